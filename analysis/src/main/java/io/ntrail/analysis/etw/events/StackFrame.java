package io.ntrail.analysis.etw.events;

import org.jspecify.annotations.Nullable;

/**
 * One frame of the stack of an event.
 *
 * @param address the address that was recorded
 * @param module last part of the path of the image that it lies in, {@value #JITTED} for code that
 *     the .NET runtime compiled; null if unknown
 * @param rva its place in that image; -1 if it lies in none
 * @param function name of the function; null if unknown
 * @param file of its source; null if unknown
 * @param line from 1; 0 if unknown
 * @param isInlined whether it has no frame of its own: the next one called it at this place
 */
public record StackFrame(
    long address,
    @Nullable String module,
    long rva,
    @Nullable String function,
    @Nullable String file,
    int line,
    boolean isInlined) {
  /** Module of code that was compiled while the program ran. */
  public static final String JITTED = "(jitted)";

  /** One of which no line is known. */
  static StackFrame of(long address, @Nullable String module, long rva, @Nullable String function) {
    return new StackFrame(address, module, rva, function, null, 0, false);
  }

  /**
   * Returns the text for people: {@code module!function}, {@code module+0x1234}, or the bare
   * address.
   */
  public String text() {
    if (module != null && function != null) {
      return module + "!" + function;
    }
    if (module != null && rva >= 0) {
      return module + "+0x" + Long.toHexString(rva);
    }
    return "0x" + Long.toHexString(address) + " " + (module == null ? "(unknown)" : module);
  }
}
