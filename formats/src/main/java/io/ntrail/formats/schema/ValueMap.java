package io.ntrail.formats.schema;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Names of values: of whole values, or of the bits that a value is made of.
 *
 * @param name what it is called
 * @param bits whether the names are those of bits
 * @param texts the names, by value
 */
public record ValueMap(String name, boolean bits, Map<Long, String> texts) {
  /** Keeps the order of the entries. */
  public ValueMap {
    texts = java.util.Collections.unmodifiableMap(new java.util.LinkedHashMap<>(texts));
  }

  /**
   * The text of a value; bits one after the other with {@code |}, those without a name in
   * hexadecimal.
   *
   * @return null if nothing is known about it
   */
  public @Nullable String text(long value) {
    String whole = texts.get(value);
    if (whole != null || !bits || value == 0) {
      return whole;
    }
    StringBuilder text = new StringBuilder();
    long left = value;
    for (Map.Entry<Long, String> entry : texts.entrySet()) {
      long bit = entry.getKey();
      if (bit != 0 && (value & bit) == bit && (left & bit) != 0) {
        text.append(text.isEmpty() ? "" : "|").append(entry.getValue());
        left &= ~bit;
      }
    }
    if (text.isEmpty()) {
      return null;
    }
    if (left != 0) {
      text.append("|0x").append(Long.toHexString(left));
    }
    return text.toString();
  }
}
