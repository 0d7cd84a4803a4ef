package io.ntrail.programs.symbols;

import io.ntrail.formats.bytes.OutputFile;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Content of a {@code file.ptr}, which a store may have in place of a file. */
sealed interface PointerFile {
  /** Its name in the folder of a key. */
  String NAME = PointerText.NAME;

  /** Bound of its size. */
  int MOST_BYTES = PointerText.MOST_BYTES;

  /** The file is elsewhere. */
  record Elsewhere(Path file) implements PointerFile {}

  /** The store states that it does not have the file. */
  record Withdrawn(String message) implements PointerFile {}

  /**
   * It cannot be used here.
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
    OutputFile.noteRead(file);
    try (InputStream in = Files.newInputStream(file)) {
      return of(in.readNBytes(MOST_BYTES + 1), file, windows);
    } catch (IOException e) {
      return new Unusable("cannot be read: " + e.getMessage());
    }
  }

  /**
   * Parses its bytes.
   *
   * @param file their origin; a path that is not absolute is relative to it
   */
  static PointerFile of(byte[] bytes, Path file, boolean windows) {
    if (bytes.length > MOST_BYTES) {
      return new Unusable("is too long for a path");
    }
    PointerText pointer = PointerText.of(bytes);
    if (pointer.isWithdrawn()) {
      return new Withdrawn(pointer.text());
    }
    String path = pointer.text();
    if (path.isEmpty()) {
      return new Unusable("is empty");
    }
    LocalPath read = LocalPath.of(path, windows);
    if (read.path() == null) {
      return new Unusable("refers to another place, but " + read.why());
    }
    try {
      return new Elsewhere(file.resolveSibling(read.path()));
    } catch (InvalidPathException e) {
      return new Unusable("refers to a path that is not valid on this system");
    }
  }
}
