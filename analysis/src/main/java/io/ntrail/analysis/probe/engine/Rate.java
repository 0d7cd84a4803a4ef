package io.ntrail.analysis.probe.engine;

import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Time between two firings as programs write it: 10ms, 97 (a second), 1s. */
public final class Rate {
  private static final Pattern FORM = Pattern.compile("(\\d{1,12})([a-z]*)");

  private Rate() {}

  /** Returns the nanoseconds; empty if the text is no rate, or is zero. */
  public static OptionalLong nanos(String text) {
    Matcher matcher = FORM.matcher(text.toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      return OptionalLong.empty();
    }
    long number = Long.parseLong(matcher.group(1));
    long unit =
        switch (matcher.group(2)) {
          case "ns", "nsec" -> 1;
          case "us", "usec" -> 1_000;
          case "ms", "msec" -> 1_000_000;
          case "s", "sec" -> 1_000_000_000L;
          case "m", "min" -> 60_000_000_000L;
          case "h", "hour" -> 3_600_000_000_000L;
          case "d", "day" -> 86_400_000_000_000L;
          case "", "hz" -> -1;
          default -> 0;
        };
    if (number == 0 || unit == 0 || unit > 0 && number > Long.MAX_VALUE / unit) {
      return OptionalLong.empty();
    }
    return OptionalLong.of(unit < 0 ? Math.max(1, 1_000_000_000L / number) : number * unit);
  }
}
