package io.ntrail.programs.symbols;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.InputFile;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.LocalDateTime;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Writes a zip that is laid out as a symbol store: {@code name/key/name}. It appears as a whole
 * when it is {@link #finish finished}; the same files in the same order make the same bytes.
 */
public final class SymbolBundle implements AutoCloseable {
  private static final int CHUNK = 1 << 20;

  /** A time that every zip can store. */
  private static final LocalDateTime TIME = LocalDateTime.of(1980, 1, 1, 0, 0);

  private final Path file;
  private final Path part;
  private final ZipOutputStream zip;
  private final Set<String> names = new HashSet<>();
  private boolean isOpen = true;

  /**
   * Starts a bundle.
   *
   * @param file that is replaced when it is finished
   * @throws CannotGoOn if it cannot be written
   */
  public SymbolBundle(Path file) {
    this.file = file;
    this.part = file.resolveSibling(file.getFileName() + StoreWriter.unique());
    try {
      OutputStream out = new BufferedOutputStream(Files.newOutputStream(part), CHUNK);
      this.zip = new ZipOutputStream(out);
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private CannotGoOn failed(IOException e) {
    String why = e instanceof NoSuchFileException ? "no such folder" : e.getMessage();
    return new CannotGoOn("cannot write %s: %s".formatted(file, why), "");
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
    try {
      ZipEntry entry = new ZipEntry(key.toString());
      entry.setTimeLocal(TIME);
      zip.putNextEntry(entry);
      for (long at = 0; at < input.size(); ) {
        int length = (int) Math.min(CHUNK, input.size() - at);
        zip.write(input.window(at, length).array(0, length));
        at += length;
      }
      zip.closeEntry();
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /** Returns the number of files in it. */
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
      isOpen = false;
      zip.close();
      Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
      return Files.size(file);
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /** Leaves nothing if it was not finished. */
  @Override
  public void close() {
    try {
      if (isOpen) {
        zip.close();
      }
      Files.deleteIfExists(part);
    } catch (IOException e) {
      throw failed(e);
    }
  }
}
