package io.ntrail.analysis.probe.sources;

import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.analysis.probe.syntax.CompileError;
import io.ntrail.analysis.probe.syntax.Place;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Pattern of one field of a probe description: empty for any, a glob with {@code *}, {@code ?},
 * {@code [...]} and {@code \}, or, behind a {@code ~}, a regular expression.
 */
final class FieldPattern {
  private static final int ANY_CASE = Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE;

  private final String text;
  private final boolean isAny;
  private final boolean isPlain;
  private final Tester tester;

  private interface Tester {
    boolean matches(String name);
  }

  private FieldPattern(String text, boolean isAny, boolean isPlain, Tester tester) {
    this.text = text;
    this.isAny = isAny;
    this.isPlain = isPlain;
    this.tester = tester;
  }

  /**
   * Reads a pattern.
   *
   * @param ignoresCase true if case does not matter; in regular expressions it never does
   * @throws CompileError if it is none
   */
  static FieldPattern of(String text, boolean ignoresCase, Place place) {
    if (text.isEmpty() || text.equals("*")) {
      return new FieldPattern(text, true, false, _ -> true);
    }
    if (text.startsWith("~")) {
      try {
        NamePattern expression = NamePattern.of("/" + text.substring(1) + "/");
        return new FieldPattern(text, false, false, expression::matches);
      } catch (IllegalArgumentException e) {
        throw new CompileError("D_PDESC_INVAL", place, String.valueOf(e.getMessage()));
      }
    }
    boolean isPlain = text.chars().noneMatch(c -> "*?[\\".indexOf(c) >= 0);
    if (isPlain) {
      Tester plain = ignoresCase ? text::equalsIgnoreCase : text::equals;
      return new FieldPattern(text, false, true, plain);
    }
    Pattern glob = Pattern.compile(regex(text), Pattern.DOTALL | (ignoresCase ? ANY_CASE : 0));
    return new FieldPattern(text, false, false, name -> glob.matcher(name).matches());
  }

  private static String regex(String glob) {
    StringBuilder regex = new StringBuilder();
    for (int i = 0; i < glob.length(); i++) {
      char c = glob.charAt(i);
      int end = c == '[' ? glob.indexOf(']', i + 2) : -1;
      if (c == '*') {
        // Several stars are one, and take as much time.
        if (!regex.toString().endsWith(".*")) {
          regex.append(".*");
        }
      } else if (c == '?') {
        regex.append('.');
      } else if (end > 0) {
        boolean isNot = glob.charAt(i + 1) == '!';
        regex.append(isNot ? "[^" : "[");
        for (int at = isNot ? i + 2 : i + 1; at < end; at++) {
          char one = glob.charAt(at);
          regex.append("\\[]^&".indexOf(one) >= 0 ? "\\" : "").append(one);
        }
        regex.append(']');
        i = end;
      } else if (c == '\\' && i + 1 < glob.length()) {
        i++;
        regex.append(Pattern.quote(String.valueOf(glob.charAt(i))));
      } else {
        regex.append(Pattern.quote(String.valueOf(c)));
      }
    }
    return regex.toString();
  }

  /** Returns true if it matches everything. */
  boolean isAny() {
    return isAny;
  }

  /** Returns true if it matches one name only. */
  boolean isPlain() {
    return isPlain;
  }

  /** Returns true if it matches one of some names. */
  boolean matches(List<String> names) {
    if (isAny) {
      return true;
    }
    for (int i = 0; i < names.size(); i++) {
      if (tester.matches(names.get(i))) {
        return true;
      }
    }
    return false;
  }

  @Override
  public String toString() {
    return text;
  }
}
