package io.ntrail.programs.unwind;

import java.util.Optional;

/** Modules of an address space by address. */
@FunctionalInterface
public interface LoadedModules {
  /** Returns the module that contains an address; the same object each time. */
  Optional<LoadedModule> at(long address);
}
