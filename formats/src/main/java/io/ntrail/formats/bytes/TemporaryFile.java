package io.ntrail.formats.bytes;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/**
 * A file for this process alone, in the temporary folder, that is written once and then mapped.
 * Only its owner may open it.
 *
 * <p>Where the system allows it, its name is removed before anything is written: nothing stays
 * behind however the process ends. Elsewhere (Windows) it is deleted by {@link #delete}, at the
 * latest when the process exits.
 *
 * <p>Zeros take no room where the file system knows holes. For one thread, until it is mapped.
 */
public final class TemporaryFile implements AutoCloseable {
  /** Space left free on a large disk, since programs need it for other things. */
  private static final long KEEP_FREE = 512L << 20;

  /** Part of a small disk that is left free. */
  private static final long KEPT_PART = 8;

  /** Number of bytes after which the free space is looked at again. */
  private static final long CHECKED_EACH = 64L << 20;

  private static final byte[] ZEROS = new byte[1 << 16];

  private final Path path;
  private final FileChannel channel;
  private final FileStore disk;
  private final long keepFree;
  private boolean hasName = true;
  private long size;
  private long written;
  private long nextCheck;

  private TemporaryFile(Path path, FileChannel channel, FileStore disk, long keepFree) {
    this.path = path;
    this.channel = channel;
    this.disk = disk;
    this.keepFree = keepFree;
  }

  /**
   * The folder for temporary files: what {@code TMPDIR} or {@code TEMP} says, else the system's.
   */
  public static Path folder() {
    return Path.of(System.getProperty("java.io.tmpdir", "."));
  }

  /**
   * Creates an empty file in the temporary folder.
   *
   * @param prefix start of its name
   * @throws IOException if that is not possible
   */
  public static TemporaryFile create(String prefix) throws IOException {
    long disk = Files.getFileStore(folder()).getTotalSpace();
    return create(folder(), prefix, Math.min(KEEP_FREE, disk / KEPT_PART));
  }

  /**
   * Creates an empty file.
   *
   * @param keepFree number of bytes that writing leaves free on the disk
   */
  static TemporaryFile create(Path folder, String prefix, long keepFree) throws IOException {
    // Java makes temporary files with random names that only their owner may open.
    Path path = Files.createTempFile(folder, prefix, ".tmp");
    try {
      FileChannel channel =
          FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
      TemporaryFile file = new TemporaryFile(path, channel, Files.getFileStore(folder), keepFree);
      if (File.separatorChar == '\\') {
        // There a file cannot lose its name and stay usable.
        path.toFile().deleteOnExit();
      } else {
        file.deleteName();
      }
      return file;
    } catch (IOException | RuntimeException e) {
      Files.deleteIfExists(path);
      throw e;
    }
  }

  /** Number of bytes that were written. */
  public long size() {
    return size;
  }

  /**
   * Appends bytes.
   *
   * @throws IOException if there is no room for them
   */
  public void write(byte[] bytes, int from, int length) throws IOException {
    for (int at = 0; at < length; ) {
      int n = Math.min(ZEROS.length, length - at);
      int begin = from + at;
      if (Arrays.equals(bytes, begin, begin + n, ZEROS, 0, n)) {
        size += n;
      } else {
        write(ByteBuffer.wrap(bytes, begin, n));
      }
      at += n;
    }
  }

  /** Appends the bytes of a segment. */
  void write(MemorySegment segment) throws IOException {
    byte[] chunk = new byte[ZEROS.length];
    for (long at = 0; at < segment.byteSize(); ) {
      int n = (int) Math.min(chunk.length, segment.byteSize() - at);
      MemorySegment.copy(segment, at, MemorySegment.ofArray(chunk), 0, n);
      write(chunk, 0, n);
      at += n;
    }
  }

  private void write(ByteBuffer bytes) throws IOException {
    if (written >= nextCheck) {
      nextCheck = written + CHECKED_EACH;
      long free = disk.getUsableSpace();
      if (free < keepFree) {
        throw new IOException("no more than %,d bytes are free there".formatted(free));
      }
    }
    written += bytes.remaining();
    while (bytes.hasRemaining()) {
      size += channel.write(bytes, size);
    }
  }

  /** Maps all that was written, read-only; the file may be closed while it is mapped. */
  MemorySegment map(Arena arena) throws IOException {
    if (channel.size() < size) {
      // It ends with a hole.
      channel.write(ByteBuffer.wrap(ZEROS, 0, 1), size - 1);
    }
    return channel.map(FileChannel.MapMode.READ_ONLY, 0, size, arena).asReadOnly();
  }

  /**
   * Returns all that was written as an input; the file is gone when that is closed.
   *
   * @param name for messages
   */
  public InputFile input(String name) throws IOException {
    Arena arena = Arena.ofShared();
    try {
      MemorySegment mapped = map(arena);
      release();
      return InputFile.temporary(
          mapped,
          name,
          () -> {
            arena.close();
            delete();
          });
    } catch (IOException | RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  /** Returns a stream that appends; closing it changes nothing. */
  public OutputStream appending() {
    return new OutputStream() {
      private final byte[] one = new byte[1];

      @Override
      public void write(int value) throws IOException {
        one[0] = (byte) value;
        write(one, 0, 1);
      }

      @Override
      public void write(byte[] bytes, int from, int length) throws IOException {
        TemporaryFile.this.write(bytes, from, length);
      }
    };
  }

  /** Closes the file, which stays mapped if it was. */
  void release() throws IOException {
    channel.close();
  }

  private void deleteName() throws IOException {
    Files.deleteIfExists(path);
    hasName = false;
  }

  /** Deletes what is left of a file that is closed and not mapped any more. */
  void delete() {
    try {
      if (hasName) {
        deleteName();
      }
    } catch (IOException e) {
      // It is tried once more when the process exits.
      hasName = true;
    }
  }

  /** Closes and deletes a file that is not mapped. */
  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      // Nothing of it is needed any more.
      hasName = true;
    }
    delete();
  }
}
