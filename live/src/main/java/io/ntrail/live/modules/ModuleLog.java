package io.ntrail.live.modules;

import io.ntrail.live.patch.Patcher;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.plan.PlannedModule;
import io.ntrail.live.plan.TracePlan;
import java.util.List;

/** Listener for modules that are loaded, unloaded and traced. */
public interface ModuleLog {
  /** Adds the plan for a module that was not planned before. */
  void planned(TracePlan more);

  /**
   * Reports that a module was loaded; its functions will be patched.
   *
   * @param functions those that were never reported
   */
  void comes(PlannedModule module, List<Patcher.Patched> functions, long ticks);

  /** Reports further functions that have stubs. */
  void more(List<Patcher.Patched> functions);

  /** Reports functions that are skipped after all, because their code has changed. */
  void changed(List<PlannedFunction> functions);

  /** Reports that a reported module was unloaded. */
  void goes(PlannedModule module, long ticks);

  /**
   * Reports a time in which calls of selected functions of a module were not recorded.
   *
   * @param to 0: until the end
   */
  void untraced(String path, long from, long to, String why);

  /** Reports that a thread waited until the library that it loaded was patched, and told why. */
  void held(String library, long from, long to);

  /** Reports that threads were suspended while code was changed. */
  void stopped(long from, long to);
}
