package io.ntrail.analysis.stacks;

import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.unwind.LoadedModule;
import io.ntrail.programs.unwind.LoadedModules;
import io.ntrail.programs.unwind.x64.DynamicFunctions;
import io.ntrail.programs.unwind.x64.WindowsBehavior;
import java.util.List;
import java.util.Optional;

/**
 * One side of a process at one instant, as far as stacks of its threads need it: a dump, or a live
 * process whose threads were stopped. A 32-bit process on 64-bit Windows has two sides.
 */
public interface ProcessSnapshot {
  /** Returns true for x64, false for x86. */
  boolean is64Bit();

  /** Returns the memory: stacks, and code as far as it is there. */
  AddressSpace memory();

  /** Returns what is loaded where. */
  LoadedModules modules();

  /** Returns all modules, each once, the program first. */
  List<SnapshotModule> moduleList();

  /** Returns the identity of one of {@link #modules}. */
  Optional<SnapshotModule> describe(LoadedModule module);

  /** Returns the places in modules that an address was at before they were unloaded, in words. */
  default Optional<String> unloadedAt(long address) {
    return Optional.empty();
  }

  /** Returns the threads, the faulting one first. */
  List<SnapshotThread> threads();

  /** Returns the function entries that the program registered for code that it made. */
  default DynamicFunctions dynamicFunctions() {
    return DynamicFunctions.NONE;
  }

  /** Returns the version of Windows that frames are undone as. */
  default WindowsBehavior behavior() {
    return WindowsBehavior.newest();
  }
}
