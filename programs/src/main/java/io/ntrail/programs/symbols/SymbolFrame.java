package io.ntrail.programs.symbols;

/**
 * A function at an address, with the line there or a line of the function that calls it.
 *
 * @param function its name for people: not decorated; empty if it is inlined and not known
 * @param file where its source lay when it was built; empty if that is not known
 * @param line from 1; 0 if there is none, or the code is of no line of the file
 * @param column from 1; 0 if it is not known
 * @param isInlined whether it has no code of its own here
 * @param type of the function, for {@link ImageSymbols#parameters}; 0 if it is not known
 */
public record SymbolFrame(
    String function, String file, int line, int column, boolean isInlined, long type) {
  /** A name that nothing more is known of. */
  static SymbolFrame named(String function) {
    return new SymbolFrame(function, "", 0, 0, false, 0);
  }
}
