package io.ntrail.analysis.probe.sources;

import io.ntrail.analysis.probe.syntax.Place;
import io.ntrail.analysis.probe.syntax.ProbeDescription;
import java.util.List;

/** A probe description that names can be compared with. */
public final class ProbePattern {
  private final FieldPattern provider;
  private final FieldPattern module;
  private final FieldPattern function;
  private final FieldPattern name;

  private ProbePattern(
      FieldPattern provider, FieldPattern module, FieldPattern function, FieldPattern name) {
    this.provider = provider;
    this.module = module;
    this.function = function;
    this.name = name;
  }

  /**
   * Reads the fields of a description.
   *
   * @param ignoresCase true if case does not matter
   * @throws io.ntrail.analysis.probe.syntax.CompileError if one is no pattern
   */
  public static ProbePattern of(ProbeDescription description, boolean ignoresCase) {
    Place place = description.place();
    return new ProbePattern(
        FieldPattern.of(description.provider(), ignoresCase, place),
        FieldPattern.of(description.module(), ignoresCase, place),
        FieldPattern.of(description.function(), ignoresCase, place),
        FieldPattern.of(description.name(), ignoresCase, place));
  }

  /** Returns the pattern with any function. */
  public ProbePattern withAnyFunction() {
    return new ProbePattern(provider, module, FieldPattern.of("", false, Place.NOWHERE), name);
  }

  /** Returns true if it means a probe of these names. */
  public boolean matches(ProbeNames names) {
    return name.matches(names.names())
        && function.matches(names.functions())
        && module.matches(names.modules())
        && provider.matches(names.providers());
  }

  /** Returns true if it says a provider, and that one is meant. */
  public boolean meansProvider(String wanted) {
    return provider.matches(List.of(wanted));
  }

  /** Returns true if any provider is meant. */
  public boolean isAnyProvider() {
    return provider.isAny();
  }
}
