package io.ntrail.analysis.naming;

import io.ntrail.formats.bytes.CannotGoOn;
import java.util.Locale;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * Pattern that users write for names: a glob ({@code *} and {@code ?}), or {@code /a regular
 * expression/}. Case does not matter. Immutable.
 */
public final class NamePattern {
  /** Characters that an expression may look at in one text; one that backtracks looks at more. */
  private static final int MOST_LOOKS = 4_000_000;

  /** A text that ends an expression's search instead of letting it try for years. */
  private static final class Watched implements CharSequence {
    private final CharSequence text;
    private final int[] looks;

    Watched(CharSequence text, int[] looks) {
      this.text = text;
      this.looks = looks;
    }

    @Override
    public char charAt(int index) {
      if (--looks[0] < 0) {
        throw new TooLong();
      }
      return text.charAt(index);
    }

    @Override
    public int length() {
      return text.length();
    }

    @Override
    public CharSequence subSequence(int start, int end) {
      return new Watched(text.subSequence(start, end), looks);
    }

    @Override
    public String toString() {
      return text.toString();
    }
  }

  /** An expression has looked at too many characters. */
  private static final class TooLong extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TooLong() {
      super(null, null, false, false);
    }
  }

  private final String text;
  private final java.util.regex.@Nullable Pattern regex;
  private final String glob;

  /**
   * Part of the glob before its first exclamation mark; null: there is none, or wildcards in it.
   */
  private final @Nullable String qualifier;

  /** Part of the glob after it. */
  private final String rest;

  private NamePattern(String text, java.util.regex.@Nullable Pattern regex) {
    this.text = text;
    this.regex = regex;
    this.glob = text.toLowerCase(Locale.ROOT);
    int mark = regex == null ? glob.indexOf('!') : -1;
    this.qualifier = mark >= 0 && isPlain(glob.substring(0, mark)) ? glob.substring(0, mark) : null;
    this.rest = glob.substring(mark + 1);
  }

  /**
   * Reads a pattern.
   *
   * @throws IllegalArgumentException if a regular expression is none, with the reason
   */
  public static NamePattern of(String text) {
    if (text.length() >= 2 && text.startsWith("/") && text.endsWith("/")) {
      try {
        return new NamePattern(
            text,
            java.util.regex.Pattern.compile(
                text.substring(1, text.length() - 1),
                java.util.regex.Pattern.CASE_INSENSITIVE | java.util.regex.Pattern.UNICODE_CASE));
      } catch (PatternSyntaxException e) {
        throw new IllegalArgumentException(
            "not a regular expression: " + text + " (" + e.getDescription() + ")", e);
      } catch (StackOverflowError e) {
        throw new IllegalArgumentException("a regular expression nested too deeply", e);
      }
    }
    return new NamePattern(text, null);
  }

  /**
   * Returns whether a name is meant: the whole of it by a glob, some part of it by an expression.
   *
   * @throws CannotGoOn if an expression would take too long to find out
   */
  public boolean matches(@Nullable String name) {
    if (name == null) {
      return false;
    }
    if (glob.equals("*")) {
      return true;
    }
    java.util.regex.Pattern expression = regex;
    return expression == null ? glob(glob, name.toLowerCase(Locale.ROOT)) : found(expression, name);
  }

  /**
   * Returns whether a name with its qualifier, {@code qualifier!name}, is meant. Faster than with
   * the two put together.
   *
   * @throws CannotGoOn if an expression would take too long to find out
   */
  public boolean matches(String qualifier, String name) {
    if (this.qualifier == null || qualifier.indexOf('!') >= 0) {
      return matches(qualifier + "!" + name);
    }
    return qualifier.toLowerCase(Locale.ROOT).equals(this.qualifier)
        && glob(rest, name.toLowerCase(Locale.ROOT));
  }

  private boolean found(java.util.regex.Pattern expression, String name) {
    try {
      int[] looks = {MOST_LOOKS + 16 * name.length()};
      return expression.matcher(new Watched(name, looks)).find();
    } catch (TooLong | StackOverflowError e) {
      throw new CannotGoOn(
          "the regular expression "
              + text
              + " takes too long on a text of "
              + name.length()
              + " characters",
          "a simpler expression, without repetitions in repetitions, or a glob such as '*.db'");
    }
  }

  /**
   * Returns whether a program is meant: {@code Test} means {@code Test.exe} and {@code
   * Test.x64.exe}, too.
   */
  public boolean meansProgram(String image) {
    String stem = text + ".";
    return matches(image) || isPlain() && image.regionMatches(true, 0, stem, 0, stem.length());
  }

  /** Returns whether it has no wildcards: it means one name. */
  public boolean isPlain() {
    return regex == null && isPlain(text);
  }

  private static boolean isPlain(String text) {
    return text.indexOf('*') < 0 && text.indexOf('?') < 0;
  }

  /** Matches a glob, going back to the last star only: linear but for the length of the pattern. */
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
