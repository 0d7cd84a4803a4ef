package io.ntrail.programs.unwind.x64;

import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.formats.pe.unwind.UnwindChain;

/**
 * A function entry where it is loaded.
 *
 * @param base address that its RVAs count from
 * @param function its range and the place of its unwind information
 * @param view bytes by RVA, for unwind information, and for code that the address space lacks
 */
public record FunctionEntry(long base, RuntimeFunction function, ImageView view) {
  /** Returns the address of the first byte. */
  public long begin() {
    return base + function.begin();
  }

  /** Reads the unwind information and what it is chained to; never fails. */
  public UnwindChain chain() {
    return UnwindChain.of(view, function);
  }

  /** Returns the entry that all parts of its function lead to: the end of its chain. */
  RuntimeFunction primary() {
    return chain().primary();
  }
}
