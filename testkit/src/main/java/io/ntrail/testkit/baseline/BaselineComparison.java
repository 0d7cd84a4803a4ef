package io.ntrail.testkit.baseline;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;

/**
 * Compares what the other decoder printed with what we decoded. It printed numbers with separators
 * of thousands or without, with or without a sign, in hexadecimal with or without leading zeros;
 * truth values as {@code True} and {@code False}; enumerations by name, flags with commas between,
 * none of them as {@code None}; times as {@code 20/07/29 00:07:10.69}; nothing as nothing. What is
 * longer than 20 characters was cut, with three points after it.
 */
public final class BaselineComparison {
  private static final int LONGEST = 20;
  private static final String CUT = "...";
  private static final long FILE_TIME_OF_1970 = 116_444_736_000_000_000L;
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yy/MM/dd HH:mm:ss.SSSSSSS", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private BaselineComparison() {}

  /** Returns true if {@code printed} is how the other decoder prints {@code decoded}. */
  public static boolean same(String printed, DecodedValue decoded) {
    for (String form : forms(decoded)) {
      if (printed.equals(form) || isCutOf(printed, form)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isCutOf(String printed, String form) {
    return printed.length() == LONGEST + CUT.length()
        && printed.endsWith(CUT)
        && form.length() > LONGEST
        && printed.regionMatches(0, form, 0, LONGEST);
  }

  /** Every form in which the value may have been printed. */
  static Set<String> forms(DecodedValue decoded) {
    Set<String> forms = new LinkedHashSet<>();
    switch (decoded) {
      case DecodedValue.Whole number -> whole(number, forms);
      case DecodedValue.Fraction number -> {
        forms.add(String.format(Locale.ROOT, "%,.3f", number.value()));
        forms.add(String.valueOf(number.value()));
      }
      case DecodedValue.Text text -> forms.add(text.value());
      case DecodedValue.Time time -> forms.add(time(time.fileTime()));
      case DecodedValue.Nothing nothing -> forms.add("");
    }
    return forms;
  }

  private static void whole(DecodedValue.Whole number, Set<String> forms) {
    long value = number.value();
    int unused = Math.max(0, 64 - 8 * number.bytes());
    long signed = value << unused >> unused;
    long unsigned = value << unused >>> unused;
    forms.add(String.format(Locale.ROOT, "%,d", signed));
    forms.add(Long.toString(signed));
    forms.add(Long.toUnsignedString(unsigned));
    if (unsigned >= 0) {
      forms.add(String.format(Locale.ROOT, "%,d", unsigned));
    }
    forms.add("0x" + Long.toHexString(unsigned));
    forms.add(String.format(Locale.ROOT, "0x%08x", unsigned));
    String names = number.names();
    if (names != null) {
      forms.add(names.replace("|", ", "));
    }
    if (value == 0) {
      forms.add("None");
    }
    if (value == 0 || value == 1) {
      forms.add(value == 1 ? "True" : "False");
    }
  }

  private static String time(long fileTime) {
    long ticks = fileTime - FILE_TIME_OF_1970;
    return TIME.format(
        Instant.ofEpochSecond(
            Math.floorDiv(ticks, 10_000_000L), 100 * Math.floorMod(ticks, 10_000_000L)));
  }
}
