package io.ntrail.analysis.probe.engine;

import io.ntrail.analysis.probe.types.Type;
import java.util.List;

/**
 * Probe that a program can be attached to.
 *
 * @param id from 1
 * @param module empty if it has none
 * @param function empty if it has none
 * @param arguments types of args[0] and so on
 */
public record Probe(
    int id, String provider, String module, String function, String name, List<Type> arguments) {
  /** Copies the types. */
  public Probe {
    arguments = List.copyOf(arguments);
  }

  /** Returns the four fields with colons. */
  public String text() {
    return provider + ":" + module + ":" + function + ":" + name;
  }
}
