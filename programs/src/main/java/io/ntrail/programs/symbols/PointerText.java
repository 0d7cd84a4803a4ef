package io.ntrail.programs.symbols;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * The line in a {@code file.ptr}, which a store may have in place of a file.
 *
 * @param isWithdrawn whether the store says that it does not have the file any more
 * @param text why not; else where the file is
 */
public record PointerText(boolean isWithdrawn, String text) {
  /** More than this is no line with a path. */
  public static final int MOST_BYTES = 64 << 10;

  /** How it is called in the folder of a key. */
  public static final String NAME = "file.ptr";

  /** What begins a line that is no path. */
  private static final Pattern MESSAGE = Pattern.compile("(?is)MSG([:\\s].*)?");

  /** Reads the first line, in UTF-8 if it is that, else by bytes. */
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
