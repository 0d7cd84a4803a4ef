package io.ntrail.analysis.events;

import java.util.Locale;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * What users write for names: a glob ({@code *} and {@code ?}), or {@code /a regular expression/}.
 * Case does not matter. Immutable.
 */
public final class Pattern {
  private final String text;
  private final java.util.regex.@Nullable Pattern regex;
  private final String glob;

  private Pattern(String text, java.util.regex.@Nullable Pattern regex) {
    this.text = text;
    this.regex = regex;
    this.glob = text.toLowerCase(Locale.ROOT);
  }

  /**
   * Reads a pattern.
   *
   * @throws IllegalArgumentException if a regular expression is none, with the reason
   */
  public static Pattern of(String text) {
    if (text.length() >= 2 && text.startsWith("/") && text.endsWith("/")) {
      try {
        return new Pattern(
            text,
            java.util.regex.Pattern.compile(
                text.substring(1, text.length() - 1),
                java.util.regex.Pattern.CASE_INSENSITIVE | java.util.regex.Pattern.UNICODE_CASE));
      } catch (PatternSyntaxException e) {
        throw new IllegalArgumentException(
            "no regular expression: " + text + " (" + e.getDescription() + ")", e);
      }
    }
    return new Pattern(text, null);
  }

  /** Whether a name is meant: the whole of it by a glob, some part of it by an expression. */
  public boolean matches(@Nullable String name) {
    if (name == null) {
      return false;
    }
    java.util.regex.Pattern expression = regex;
    return expression == null
        ? glob(glob, name.toLowerCase(Locale.ROOT))
        : expression.matcher(name).find();
  }

  /** Whether it has no wildcards: it means one name. */
  public boolean isPlain() {
    return regex == null && text.indexOf('*') < 0 && text.indexOf('?') < 0;
  }

  /** Goes back to the last star only: linear but for the length of the pattern. */
  private static boolean glob(String pattern, String name) {
    int p = 0;
    int n = 0;
    int star = -1;
    int starAt = 0;
    while (n < name.length()) {
      char c = p < pattern.length() ? pattern.charAt(p) : '\0';
      if (p < pattern.length() && c == '*') {
        star = p++;
        starAt = n;
      } else if (p < pattern.length() && (c == '?' || c == name.charAt(n))) {
        p++;
        n++;
      } else if (star >= 0) {
        p = star + 1;
        n = ++starAt;
      } else {
        return false;
      }
    }
    while (p < pattern.length() && pattern.charAt(p) == '*') {
      p++;
    }
    return p == pattern.length();
  }

  @Override
  public String toString() {
    return text;
  }
}
