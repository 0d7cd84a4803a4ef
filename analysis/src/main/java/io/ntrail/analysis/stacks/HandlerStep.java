package io.ntrail.analysis.stacks;

import org.jspecify.annotations.Nullable;

/**
 * A handler of a frame: what would be asked or run if an exception came up there.
 *
 * @param frame number of the frame in the named stack; -1 if it belongs to none of them
 * @param kind sort of the handler
 * @param address of its code
 * @param module that its code lies in; null if none
 * @param rva of its code in the module; {@link NamedFrame#UNKNOWN} in none
 * @param function name of the function that has its code; null if unknown
 * @param action what it is for, as a clause
 */
public record HandlerStep(
    int frame,
    Kind kind,
    long address,
    @Nullable String module,
    long rva,
    @Nullable String function,
    String action) {
  /** Sorts of handlers. */
  public enum Kind {
    /** Filter of a {@code __except}: asked, and decides. */
    FILTER("filter"),
    /** {@code __except} that takes every exception. */
    EXCEPT("except"),
    /** {@code __finally}: run when the frame is left. */
    FINALLY("finally"),
    /** {@code catch} of C++: takes exceptions of its type. */
    CATCH("catch"),
    /** Destructors of C++: run when the frame is left. */
    CLEANUP("cleanup"),
    /** Language handler of which nothing more is known: asked, and decides. */
    HANDLER("handler");

    private final String word;

    Kind(String word) {
      this.word = word;
    }

    /** Returns the word for it. */
    public String word() {
      return word;
    }
  }
}
