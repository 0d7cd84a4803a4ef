package io.ntrail.programs.symbols;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * The line in a {@code file.ptr}, which a store may have in place of a file.
 *
 * @param isWithdrawn whether the store states that it does not have the file any more
 * @param text why not; else the path of the file
 */
public record PointerText(boolean isWithdrawn, String text) {
  /** Bound of its size. */
  public static final int MOST_BYTES = 64 << 10;

  /** Its name in the folder of a key. */
  public static final String NAME = "file.ptr";

  /** Start of a line that is not a path. */
  private static final Pattern MESSAGE = Pattern.compile("(?is)MSG([:\\s].*)?");

  /** Parses the first line, in UTF-8 if it is valid, else by bytes. */
  public static PointerText of(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.UTF_8);
    if (text.indexOf('\uFFFD') >= 0) {
      text = new String(bytes, StandardCharsets.ISO_8859_1);
    }
    if (text.startsWith("\uFEFF")) {
      text = text.substring(1);
    }
    String line = text.lines().findFirst().orElse("").strip();
    if (MESSAGE.matcher(line).matches()) {
      String why = LocalPath.printable(line.substring(3)).replaceFirst("^:", "").strip();
      return new PointerText(true, why);
    }
    boolean hasWord = line.regionMatches(true, 0, "PATH:", 0, 5);
    return new PointerText(false, hasWord ? line.substring(5).strip() : line);
  }
}
