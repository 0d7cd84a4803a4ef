package io.ntrail.programs.symbols;

import io.ntrail.formats.archives.Archives;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.bytes.OutputFile;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Puts a file into stores. It appears there as a whole or not at all: it is written beside its
 * place under a name of its own, checked, and then moved. Who puts the same file there at the same
 * time does no harm.
 *
 * @param <T> see {@link FileRequest}
 */
final class StoreWriter<T extends FileRequest.Opened> {
  private static final int CHUNK = 1 << 20;

  /** Forms of a stored file. */
  enum Form {
    PLAIN,
    PACKED
  }

  /** Source of the bytes. */
  @FunctionalInterface
  interface Content {
    /**
     * Writes them.
     *
     * @param part a file that does not exist
     */
    Form write(Path part) throws IOException;
  }

  /** A file in a store. */
  record Stored(Path file, boolean packed) {}

  private final FileRequest<T> sought;

  StoreWriter(FileRequest<T> sought) {
    this.sought = sought;
  }

  /**
   * Puts it into a store.
   *
   * @throws IOException if the store does not take it
   * @throws CannotGoOn if the content is not what is looked for
   */
  Stored put(LocalStore store, Content content) throws IOException {
    Path folder = folder(store);
    Path part = folder.resolve(sought.key().name() + unique());
    part.toFile().deleteOnExit();
    try {
      Form form = content.write(part);
      sought.open(part).close();
      String name = sought.key().name();
      boolean packed = form == Form.PACKED;
      Path file = folder.resolve(packed ? SafeFileName.packed(name) : name);
      move(part, file);
      return new Stored(file, packed);
    } finally {
      Files.deleteIfExists(part);
    }
  }

  /**
   * The folder of the key in a store, which is there then.
   *
   * @throws IOException if the store does not take it
   */
  Path folder(LocalStore store) throws IOException {
    return Files.createDirectories(folderOf(store));
  }

  /**
   * Returns the folder of a key in a store, which need not exist.
   *
   * @throws IOException if its name is not valid on this system
   */
  Path folderOf(LocalStore store) throws IOException {
    try {
      return store.folder(sought.key());
    } catch (InvalidPathException e) {
      throw new IOException("the name is not valid on this system", e);
    }
  }

  /**
   * Puts what was fetched into a store.
   *
   * @param part in the folder of the key; it is finished by this
   * @param origin of the file, for messages: its own name is a temporary one
   * @throws IOException if the store does not take it
   * @throws CannotGoOn if it is not what is looked for
   */
  Stored take(LocalStore store, PartialFile part, boolean packed, String origin)
      throws IOException {
    try {
      sought.open(part.file(), "", origin).close();
      String name = sought.key().name();
      Path file = store.folder(sought.key()).resolve(packed ? SafeFileName.packed(name) : name);
      move(part.file(), file);
      return new Stored(file, packed);
    } finally {
      if (!Thread.currentThread().isInterrupted()) {
        part.finish();
      }
    }
  }

  static String unique() {
    return ".%x-%016x.part"
        .formatted(ProcessHandle.current().pid(), ThreadLocalRandom.current().nextLong());
  }

  /** Replaces what is there, which was tried before and is not what is looked for. */
  private void move(Path part, Path file) throws IOException {
    try {
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (FileSystemException e) {
      // Windows does not replace a file in use: another program has put it there meanwhile.
      if (!isThere(file)) {
        throw e;
      }
    }
  }

  private boolean isThere(Path file) {
    try {
      sought.open(file).close();
      return true;
    } catch (CannotGoOn e) {
      return false;
    }
  }

  /** The bytes of a file as they are. */
  static Content copyOf(Path file, boolean packed) {
    return part -> {
      OutputFile.noteRead(file);
      Files.copy(file, part);
      if (Files.size(part) != Files.size(file)) {
        throw new IOException(file + " changed while it was copied");
      }
      return packed ? Form.PACKED : Form.PLAIN;
    };
  }

  /** The bytes of a compressed file, unpacked. */
  static Content contentOf(Path file) {
    return part -> {
      Gaps gaps = new Gaps();
      List<InputFile> inputs = Archives.open(file, _ -> true, gaps);
      try {
        if (inputs.size() != 1 || !gaps.list().isEmpty()) {
          throw new CannotGoOn(file + " cannot be decompressed completely", "get a new copy");
        }
        write(inputs.getFirst(), part);
      } finally {
        inputs.forEach(InputFile::close);
      }
      return Form.PLAIN;
    };
  }

  private static void write(InputFile input, Path part) throws IOException {
    try (OutputStream out = Files.newOutputStream(part, StandardOpenOption.CREATE_NEW)) {
      for (long at = 0; at < input.size(); ) {
        int length = (int) Math.min(CHUNK, input.size() - at);
        out.write(input.window(at, length).array(0, length));
        at += length;
      }
    }
  }
}
