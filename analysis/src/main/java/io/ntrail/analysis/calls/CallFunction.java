package io.ntrail.analysis.calls;

import org.jspecify.annotations.Nullable;

/**
 * A routine.
 *
 * @param module in which it lies; null if in none that is known
 * @param address where it begins
 * @param name as the recording has it; null if it has none
 */
public record CallFunction(@Nullable CallModule module, long address, @Nullable String name) {
  /** Its address from the start of the module, or its address if that is unknown. */
  public long rva() {
    return module == null ? address : address - module.base();
  }
}
