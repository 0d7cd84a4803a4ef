package io.ntrail.programs.symbols;

import io.ntrail.formats.bytes.CannotGoOn;
import java.nio.file.Path;
import java.util.List;

/**
 * A file that is looked for by its identity.
 *
 * @param <T> what it is once it is open
 */
public interface FileRequest<T extends FileRequest.Opened> {
  /** An open file that can be closed without failing. */
  interface Opened extends AutoCloseable {
    @Override
    void close();
  }

  /** Returns the key of the file in symbol stores. */
  StoreKey key();

  /**
   * Returns the folders {@code kind} and {@code symbols/kind} of a plain folder that it may be in,
   * for example {@code dll}.
   */
  List<String> kinds();

  /**
   * Opens a file, whether it is compressed or not.
   *
   * @throws CannotGoOn if it is not the requested one, with the reason
   */
  default T open(Path file) {
    return open(file, "", file.toString());
  }

  /**
   * Opens a file, or a file in an archive.
   *
   * @param member its name in the archive; empty if the file itself is meant
   * @param name of the file in messages
   * @throws CannotGoOn if it is not the requested one, with the reason
   */
  T open(Path file, String member, String name);
}
