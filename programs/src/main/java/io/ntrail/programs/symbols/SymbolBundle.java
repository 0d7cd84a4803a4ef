package io.ntrail.programs.symbols;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.bytes.OutputFile;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.time.LocalDateTime;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Writes a zip that is laid out as a symbol store: {@code name/key/name}; or one with a file and
 * such a store in a folder beside it. It appears as a whole when it is {@link #finish finished};
 * the same files in the same order make the same bytes.
 */
public final class SymbolBundle implements AutoCloseable {
  private static final int CHUNK = 1 << 20;

  /** A time that every zip can store. */
  private static final LocalDateTime TIME = LocalDateTime.of(1980, 1, 1, 0, 0);

  private final OutputFile file;
  private final ZipOutputStream zip;
  private final String folder;
  private final Set<String> names = new HashSet<>();

  /**
   * Starts a bundle.
   *
   * @param file that is completed when it is finished; who reserved it closes it
   * @throws CannotGoOn if it cannot be written
   */
  public SymbolBundle(OutputFile file) {
    this(file, "");
  }

  /**
   * Starts a zip of a file and its symbols.
   *
   * @param file as of {@link #SymbolBundle(OutputFile)}
   * @param folder that the store is in, with a slash at its end; empty for none
   * @throws CannotGoOn if it cannot be written
   */
  public SymbolBundle(OutputFile file, String folder) {
    this.file = file;
    this.folder = folder;
    this.zip = new ZipOutputStream(new BufferedOutputStream(file.open(), CHUNK));
  }

  /**
   * Adds a file, once.
   *
   * @throws CannotGoOn if it cannot be written
   */
  public void add(StoreKey key, InputFile input) {
    if (!names.add(key.toString().toLowerCase(Locale.ROOT))) {
      return;
    }
    write(folder + key, input);
  }

  /**
   * Adds a file that is not a symbol file.
   *
   * @param name of it, without folders
   * @throws CannotGoOn if it cannot be written
   */
  public void addFile(String name, InputFile input) {
    write(name, input);
  }

  private void write(String name, InputFile input) {
    try {
      ZipEntry entry = new ZipEntry(name);
      entry.setTimeLocal(TIME);
      zip.putNextEntry(entry);
      for (long at = 0; at < input.size(); ) {
        int length = (int) Math.min(CHUNK, input.size() - at);
        zip.write(input.window(at, length).array(0, length));
        at += length;
      }
      zip.closeEntry();
    } catch (IOException e) {
      throw file.failed(e);
    }
  }

  /** Returns the number of symbol files in it. */
  public int count() {
    return names.size();
  }

  /**
   * Puts it in its place.
   *
   * @return its bytes
   * @throws CannotGoOn if it cannot be written, or nothing is in it
   */
  public long finish() {
    try {
      zip.close();
      file.complete();
      return Files.size(file.place());
    } catch (IOException e) {
      throw file.failed(e);
    }
  }

  /** Ends it; if it was not finished, it gets no place. */
  @Override
  public void close() {
    try {
      zip.close();
    } catch (IOException e) {
      // It was finished, or is of no use.
    }
  }
}
