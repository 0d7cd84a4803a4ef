package io.ntrail.testkit.described;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Texts of the numbers of a field.
 *
 * @param bits whether entries are bits that can be together
 * @param entries value to text
 */
public record EventMap(String name, boolean bits, Map<Long, String> entries) {
  /** Copies the entries. */
  public EventMap {
    entries = Map.copyOf(entries);
  }

  /**
   * The text for {@code value}: of bits the texts of all that are set from the lowest up, with
   * {@code |} between them and what has no name as a hexadecimal number; null where the map has
   * nothing to say.
   */
  public @Nullable String meaning(long value) {
    String whole = entries.get(value);
    if (!bits || whole != null) {
      return whole;
    }
    List<String> names = new ArrayList<>();
    long left = value;
    for (int bit = 0; bit < 64; bit++) {
      long one = 1L << bit;
      String text = entries.get(one);
      if ((value & one) != 0 && text != null) {
        names.add(text);
        left &= ~one;
      }
    }
    if (names.isEmpty()) {
      return null;
    }
    if (left != 0) {
      names.add("0x" + Long.toHexString(left));
    }
    return String.join("|", names);
  }
}
