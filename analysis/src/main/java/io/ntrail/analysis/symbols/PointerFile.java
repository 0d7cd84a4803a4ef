package io.ntrail.analysis.symbols;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** What a {@code file.ptr} says, which a store may have in place of a file. */
sealed interface PointerFile {
  /** How it is called in the folder of a key. */
  String NAME = "file.ptr";

  /** What begins a line that is no path. */
  Pattern MESSAGE = Pattern.compile("(?is)MSG([:\\s].*)?");

  /** More than this is no line with a path. */
  int MOST_BYTES = 64 << 10;

  /** The file is elsewhere. */
  record Elsewhere(Path file) implements PointerFile {}

  /** The store does not have the file, and says so. */
  record Withdrawn(String message) implements PointerFile {}

  /**
   * It says nothing that can be used here.
   *
   * @param why in half a sentence, after the name of the file
   */
  record Unusable(String why) implements PointerFile {}

  /**
   * Reads one.
   *
   * @param windows whether paths are those of Windows
   */
  static PointerFile read(Path file, boolean windows) {
    try (InputStream in = Files.newInputStream(file)) {
      return of(in.readNBytes(MOST_BYTES + 1), file, windows);
    } catch (IOException e) {
      return new Unusable("cannot be read: " + e.getMessage());
    }
  }

  /**
   * Reads its bytes.
   *
   * @param file where they come from; a path that is not absolute begins beside it
   */
  static PointerFile of(byte[] bytes, Path file, boolean windows) {
    if (bytes.length > MOST_BYTES) {
      return new Unusable("is too long for a path");
    }
    String text = text(bytes);
    if (MESSAGE.matcher(text).matches()) {
      return new Withdrawn(HostPath.printable(text.substring(3)).replaceFirst("^:", "").strip());
    }
    String path = text.regionMatches(true, 0, "PATH:", 0, 5) ? text.substring(5).strip() : text;
    if (path.isEmpty()) {
      return new Unusable("is empty");
    }
    HostPath read = HostPath.of(path, windows);
    if (read.path() == null) {
      return new Unusable("says that the file is elsewhere, but " + read.why());
    }
    try {
      return new Elsewhere(file.resolveSibling(read.path()));
    } catch (InvalidPathException e) {
      return new Unusable("says that the file is elsewhere, at no path of this system");
    }
  }

  /** The first line, in UTF-8 if it is that, else by bytes. */
  private static String text(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.UTF_8);
    if (text.indexOf('\uFFFD') >= 0) {
      text = new String(bytes, StandardCharsets.ISO_8859_1);
    }
    if (text.startsWith("\uFEFF")) {
      text = text.substring(1);
    }
    return text.lines().findFirst().orElse("").strip();
  }
}
