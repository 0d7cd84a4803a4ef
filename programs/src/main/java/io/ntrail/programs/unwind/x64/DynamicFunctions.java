package io.ntrail.programs.unwind.x64;

import java.util.Optional;

/**
 * Function entries of code that is in no image, as a program registers them for code that it made:
 * from a dump, or from the tables of a live target.
 */
@FunctionalInterface
public interface DynamicFunctions {
  /** Nothing is registered. */
  DynamicFunctions NONE = _ -> Optional.empty();

  /** Returns the entry whose range contains an address. */
  Optional<FunctionEntry> find(long address);
}
