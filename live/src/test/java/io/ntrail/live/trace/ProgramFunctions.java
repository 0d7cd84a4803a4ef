package io.ntrail.live.trace;

import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.target.TargetModule;
import java.util.Locale;
import java.util.Set;

/** Selection of all functions of the program, and of some modules by their stems. */
record ProgramFunctions(Set<String> stems) implements TracePlan.Selection {
  @Override
  public boolean mayWant(TargetModule module) {
    return module.name().endsWith(".exe") || stems.contains(module.stem().toLowerCase(Locale.ROOT));
  }

  @Override
  public boolean wants(TargetModule module, String name) {
    return mayWant(module);
  }

  @Override
  public boolean excludes(TargetModule module, String name) {
    return false;
  }
}
