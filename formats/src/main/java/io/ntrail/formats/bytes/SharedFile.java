package io.ntrail.formats.bytes;

import java.io.File;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * A file of any size, mapped for reading and writing, that other programs have mapped too: it
 * changes while it is read. Little-endian; every access is checked against the size.
 *
 * <p>What is stored with release semantics, and all that was stored before it, is visible to every
 * reader that loads it with acquire semantics. 4-byte numbers are at multiples of 4, 8-byte numbers
 * at multiples of 8.
 *
 * <p>The file is in memory where the system has a folder for that ({@code /dev/shm}), else in the
 * temporary folder; it has a random name, only its owner may open it, and {@link #close} unmaps and
 * deletes it. Bytes are written before anybody may use them, at once or by {@link #reserve}, so
 * that no process that has the file mapped runs out of space for a page; the rest takes no space.
 */
public final class SharedFile implements AutoCloseable {
  private static final VarHandle INT =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
  private static final VarHandle LONG =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN).varHandle();
  private static final ValueLayout.OfLong WORDS =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final int ZEROS = 1 << 20;

  /** Space left free in a folder in memory, since programs need it for other things. */
  private static final long KEEP_FREE = 16L << 20;

  private final Path path;
  private final FileStore store;
  private final FileChannel channel;
  private final Arena arena;
  private final MemorySegment segment;
  private final boolean isOwn;

  private SharedFile(
      Path path,
      FileStore store,
      FileChannel channel,
      Arena arena,
      MemorySegment segment,
      boolean isOwn) {
    this.isOwn = isOwn;
    this.path = path;
    this.store = store;
    this.channel = channel;
    this.arena = arena;
    this.segment = segment;
  }

  /** Returns the folders where such files lie: in memory if the system has a folder for that. */
  public static List<Path> folders() {
    Path memory = Path.of("/dev/shm");
    Path temporary = Path.of(System.getProperty("java.io.tmpdir", "."));
    return List.of(memory, temporary);
  }

  /**
   * Creates a file of zeros in the first of some folders that exists, is writable and has room.
   *
   * @param size bytes, at least 1
   * @param reserved bytes from the start on that there must be room for now
   * @throws IOException if none has
   */
  public static SharedFile create(List<Path> folders, String prefix, long size, long reserved)
      throws IOException {
    if (size < 1 || reserved < 0 || reserved > size) {
      throw new IllegalArgumentException(
          "a shared file of " + size + " bytes, " + reserved + " of them reserved");
    }
    IOException failure = new IOException("no folder for a shared file of " + reserved + " bytes");
    for (Path folder : folders) {
      try {
        if (Files.isDirectory(folder)
            && Files.isWritable(folder)
            && hasRoom(Files.getFileStore(folder), reserved)) {
          return createIn(folder, prefix, size, reserved);
        }
        failure.addSuppressed(
            new IOException(folder + " is not writable, or has not enough space"));
      } catch (IOException e) {
        failure.addSuppressed(e);
      }
    }
    throw failure;
  }

  private static boolean hasRoom(FileStore store, long size) throws IOException {
    return store.getUsableSpace() - KEEP_FREE >= size;
  }

  private static SharedFile createIn(Path folder, String prefix, long size, long reserved)
      throws IOException {
    // Java makes temporary files with random names that only their owner may open.
    Path path = Files.createTempFile(folder, prefix, ".session");
    // An interrupt may come before it is closed.
    path.toFile().deleteOnExit();
    try {
      SharedFile file = map(path, open(path), size, true);
      try {
        file.write(0, reserved);
        return file;
      } catch (IOException | RuntimeException e) {
        file.close();
        throw e;
      }
    } catch (IOException | RuntimeException e) {
      Files.deleteIfExists(path);
      throw e;
    }
  }

  /**
   * Maps a file that somebody else created, as long as it has its name; it is not deleted here.
   *
   * @throws IOException if it cannot be mapped
   */
  public static SharedFile of(Path path) throws IOException {
    FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    return map(path, channel, channel.size(), false);
  }

  /** Maps a file; if that fails, the channel is closed. */
  private static SharedFile map(Path path, FileChannel channel, long size, boolean isOwn)
      throws IOException {
    Arena arena = Arena.ofShared();
    try {
      MemorySegment segment = channel.map(FileChannel.MapMode.READ_WRITE, 0, size, arena);
      // Of the folder: a store asks for the path that it was made of, and the file may lose its
      // name.
      FileStore store = Files.getFileStore(path.toAbsolutePath().getParent());
      return new SharedFile(path, store, channel, arena, segment, isOwn);
    } catch (IOException | RuntimeException e) {
      arena.close();
      channel.close();
      throw e;
    }
  }

  /** Opens an empty file, in which what is not written takes no space. */
  private static FileChannel open(Path path) throws IOException {
    if (File.separatorChar == '/') {
      return FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }
    // Windows has to be told when the file is made.
    Files.delete(path);
    return FileChannel.open(
        path,
        StandardOpenOption.CREATE_NEW,
        StandardOpenOption.SPARSE,
        StandardOpenOption.READ,
        StandardOpenOption.WRITE);
  }

  private void write(long from, long length) throws IOException {
    ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(ZEROS, length));
    for (long at = 0; at < length; ) {
      zeros.clear().limit((int) Math.min(zeros.capacity(), length - at));
      at += channel.write(zeros, from + at);
    }
  }

  /**
   * Makes sure that there is room for bytes, and makes them zero.
   *
   * @throws IOException if there is not
   */
  public void reserve(long at, long length) throws IOException {
    if (at < 0 || length < 0 || at + length > size()) {
      throw new IllegalArgumentException(length + " bytes at " + at + " of " + size());
    }
    if (!hasRoom(store, length)) {
      throw new IOException("no room for " + length + " more bytes of a shared file in " + store);
    }
    write(at, length);
  }

  /** Returns the file's path, for other programs to map. */
  public Path path() {
    return path;
  }

  /**
   * Removes the name of the file, where the system allows that of a file that is mapped (not
   * Windows): nothing stays however this process ends. To be called when all that need it have it
   * mapped.
   */
  public void removeName() {
    if (File.separatorChar == '/') {
      try {
        Files.deleteIfExists(path);
      } catch (IOException e) {
        // It is deleted when it is closed.
      }
    }
  }

  /** Its size in bytes. */
  public long size() {
    return segment.byteSize();
  }

  /** The 4 bytes at an offset. */
  public int u32(long at) {
    return (int) INT.get(segment, at);
  }

  /** The 4 bytes at an offset; what was stored before them is seen by what is read after them. */
  public int u32Acquire(long at) {
    return (int) INT.getAcquire(segment, at);
  }

  /** Stores 4 bytes. */
  public void setU32(long at, int value) {
    INT.set(segment, at, value);
  }

  /** Stores 4 bytes with release semantics. */
  public void setU32Release(long at, int value) {
    INT.setRelease(segment, at, value);
  }

  /**
   * Stores 4 bytes atomically if others are there, with acquire and release semantics.
   *
   * @return whether they were there
   */
  public boolean compareAndSetU32(long at, int expected, int value) {
    return INT.compareAndSet(segment, at, expected, value);
  }

  /**
   * Stores 4 bytes: everybody sees them before anything is read here afterwards.
   *
   * @return what was there
   */
  public int exchangeU32(long at, int value) {
    return (int) INT.getAndSet(segment, at, value);
  }

  /** The 8 bytes at an offset. */
  public long u64(long at) {
    return (long) LONG.get(segment, at);
  }

  /** The 8 bytes at an offset; what was stored before them is seen by what is read after them. */
  public long u64Acquire(long at) {
    return (long) LONG.getAcquire(segment, at);
  }

  /** Stores 8 bytes. */
  public void setU64(long at, long value) {
    LONG.set(segment, at, value);
  }

  /** Stores 8 bytes with release semantics. */
  public void setU64Release(long at, long value) {
    LONG.setRelease(segment, at, value);
  }

  /**
   * Copies numbers of 8 bytes out of the file, plainly: faster than one by one, and what others
   * store later does not change the copy.
   *
   * @param at a multiple of 8
   */
  public void copyTo(long at, long[] target, int from, int count) {
    MemorySegment.copy(segment, WORDS, at, target, from, count);
  }

  /** Stores the low 8 bits of {@code value} into each of {@code length} bytes. */
  public void fill(long at, long length, int value) {
    segment.asSlice(at, length).fill((byte) value);
  }

  /** Makes {@code length} bytes zero. */
  public void zero(long at, long length) {
    fill(at, length, 0);
  }

  /** Returns true if the file is still mapped. */
  public boolean isOpen() {
    return arena.scope().isAlive();
  }

  /**
   * Unmaps the file, and deletes it if it was created here. Whoever else has it mapped keeps its
   * bytes.
   */
  @Override
  public void close() {
    if (!isOpen()) {
      return;
    }
    arena.close();
    try {
      channel.close();
      if (isOwn) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      // On Windows while another program has it mapped; it is then deleted when this one ends.
      path.toFile().deleteOnExit();
    }
  }
}
