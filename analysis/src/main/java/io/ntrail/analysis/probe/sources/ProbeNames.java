package io.ntrail.analysis.probe.sources;

import io.ntrail.analysis.probe.engine.Probe;
import io.ntrail.analysis.probe.types.Type;
import java.util.List;

/** Names that a probe is found by, for each field. The first ones are those that it has. */
public record ProbeNames(
    List<String> providers, List<String> modules, List<String> functions, List<String> names) {
  /** Copies. */
  public ProbeNames {
    providers = List.copyOf(providers);
    modules = List.copyOf(modules);
    functions = List.copyOf(functions);
    names = List.copyOf(names);
  }

  /** Returns the probe of a number. */
  public Probe probe(int id, List<Type> arguments) {
    return new Probe(
        id,
        providers.getFirst(),
        modules.getFirst(),
        functions.getFirst(),
        names.getFirst(),
        arguments);
  }
}
