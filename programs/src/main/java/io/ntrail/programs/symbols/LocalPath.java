package io.ntrail.programs.symbols;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A path in a text, resolved on this system, which may be another one than that of its author.
 *
 * @param path null if it is not valid here
 * @param why in a sentence; empty if there is a path
 */
record LocalPath(@Nullable Path path, String why) {
  private static final Pattern OF_WINDOWS = Pattern.compile("(?s)[A-Za-z]:.*|[^/]*\\\\.*");

  /**
   * Reads a path.
   *
   * @param windows whether this is Windows
   */
  static LocalPath of(String text, boolean windows) {
    if (!windows && OF_WINDOWS.matcher(text).matches()) {
      return new LocalPath(null, "%s is a Windows path".formatted(printable(text)));
    }
    if (text.indexOf('*') >= 0) {
      return new LocalPath(null, "%s contains *".formatted(printable(text)));
    }
    try {
      return new LocalPath(Path.of(text), "");
    } catch (InvalidPathException e) {
      return new LocalPath(
          null, "%s is not a valid path on this system".formatted(printable(text)));
    }
  }

  /** A text of others, with nothing in it that moves the cursor. */
  static String printable(String text) {
    return text.replaceAll("\\p{Cc}", "?");
  }
}
