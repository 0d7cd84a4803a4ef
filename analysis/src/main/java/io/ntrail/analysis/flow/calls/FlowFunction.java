package io.ntrail.analysis.flow.calls;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A function that was executed.
 *
 * @param number from 1
 * @param module the file it is in; null for code of no file that is known
 * @param start its first address; if it has no name, the first one that was seen
 * @param name empty if it is not known
 */
public record FlowFunction(int number, @Nullable CodeModule module, long start, String name) {
  /** Returns it as {@code module!name}, or its address where that is not known. */
  public String label() {
    if (module == null) {
      return name.isEmpty() ? "0x" + Long.toHexString(start) : name;
    }
    String rva = "0x" + Long.toHexString(start - module.base()).toUpperCase(Locale.ROOT);
    return module.name() + "!" + (name.isEmpty() ? rva : name);
  }
}
