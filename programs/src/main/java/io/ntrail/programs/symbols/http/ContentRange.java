package io.ntrail.programs.symbols.http;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A {@code Content-Range} header: {@code bytes 100-199/200}.
 *
 * @param first byte of the part, from 0
 * @param last byte of the part
 * @param total bytes of the whole; -1 if unknown
 */
record ContentRange(long first, long last, long total) {
  private static final Pattern FORM =
      Pattern.compile("(?i)\\s*bytes\\s+(\\d{1,18})-(\\d{1,18})/(\\d{1,18}|\\*)\\s*");

  /** Reads one; empty if it is none that makes sense. */
  static Optional<ContentRange> read(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    long first = Long.parseLong(matcher.group(1));
    long last = Long.parseLong(matcher.group(2));
    long total = matcher.group(3).equals("*") ? -1 : Long.parseLong(matcher.group(3));
    boolean fits = first <= last && (total < 0 || last < total);
    return fits ? Optional.of(new ContentRange(first, last, total)) : Optional.empty();
  }
}
