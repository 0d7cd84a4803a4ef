package io.ntrail.formats.bytes;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of one input of any size, mapped; the content of an archive's member is in native
 * memory or in a temporary file (see {@link InputBuilder}). {@link #close()} unmaps it; windows
 * must not be used after that.
 */
public final class InputFile implements AutoCloseable {
  /**
   * Bytes of a temporary file that are looked at before its pages are given back. They count as
   * memory of the process although the system could take them any time.
   */
  private static final long MOST_RESIDENT = 8L << 20;

  /** Most bytes that are read at once. */
  private static final long MOST_AT_ONCE = 64L << 20;

  /** Bytes that the system makes present at a time, whatever is looked at. */
  static final int FAULT_AROUND = 64 << 10;

  private final String name;
  private final MemorySegment segment;
  private final Runnable release;
  private final AtomicBoolean closed;

  /** Bytes looked at since pages were given back last; null if they are not given back. */
  private final @Nullable AtomicLong resident;

  private final @Nullable Watcher watcher;

  /** The file that is mapped, open for reading; null if the bytes are of none. */
  private final @Nullable FileChannel channel;

  /** Listener that is notified of every window before it is handed out. */
  interface Watcher {
    /** Called when a window of {@code length} bytes at {@code offset} is requested. */
    void window(long offset, int length);
  }

  private InputFile(
      String name,
      MemorySegment segment,
      Runnable release,
      AtomicBoolean closed,
      @Nullable AtomicLong resident,
      @Nullable Watcher watcher,
      @Nullable FileChannel channel) {
    this.name = name;
    this.channel = channel;
    this.segment = segment;
    this.release = release;
    this.closed = closed;
    this.resident = resident;
    this.watcher = watcher;
  }

  /** Returns the same input with a watcher of its reads, for counting. */
  InputFile watched(Watcher other) {
    return new InputFile(name, segment, release, closed, resident, other, channel);
  }

  /**
   * Maps a file as it is.
   *
   * @throws IOException if it cannot be opened
   */
  public static InputFile map(Path path, String name) throws IOException {
    FileChannel channel = open(path, name);
    Arena arena = Arena.ofShared();
    try {
      MemorySegment mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
      return new InputFile(
          name,
          mapped,
          () -> {
            arena.close();
            close(channel);
          },
          new AtomicBoolean(),
          null,
          null,
          channel);
    } catch (IOException | RuntimeException e) {
      arena.close();
      channel.close();
      throw e;
    }
  }

  private static void close(FileChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      // Nothing was written: there is nothing to lose.
      return;
    }
  }

  /**
   * Maps a file that nobody changes; it is unmapped when no window is used any more.
   *
   * @throws IOException if it cannot be opened
   */
  public static InputFile mapWhileUsed(Path path, String name) throws IOException {
    try (FileChannel channel = open(path, name)) {
      MemorySegment mapped =
          channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), Arena.ofAuto());
      return held(mapped, name, () -> {});
    }
  }

  private static FileChannel open(Path path, String name) throws IOException {
    SpecialFile.refuse(path, name);
    OutputFile.noteRead(path);
    return FileChannel.open(path, StandardOpenOption.READ);
  }

  /**
   * Reads a whole file into memory: it may be changed or deleted afterwards. The memory is freed
   * when no window is used any more.
   *
   * @throws IOException if it cannot be read
   */
  public static InputFile copy(Path path, String name) throws IOException {
    try (FileChannel channel = open(path, name)) {
      MemorySegment segment = Arena.ofAuto().allocate(Math.max(1, channel.size()), 8);
      long read = 0;
      int more = 0;
      while (more >= 0 && read < segment.byteSize()) {
        long left = Math.min(segment.byteSize() - read, MOST_AT_ONCE);
        more = channel.read(segment.asSlice(read, left).asByteBuffer(), read);
        read += Math.max(0, more);
      }
      return held(segment.asSlice(0, read), name, () -> {});
    }
  }

  /** An input that holds a copy of {@code bytes}, for tests and for small parts of archives. */
  public static InputFile of(byte[] bytes, String name) {
    Arena arena = Arena.ofShared();
    MemorySegment segment = arena.allocate(Math.max(8, bytes.length), 8);
    segment.asByteBuffer().put(bytes);
    return held(segment.asSlice(0, bytes.length), name, arena::close);
  }

  /**
   * An input that is in a segment.
   *
   * @param release called once, when it is closed
   */
  static InputFile held(MemorySegment segment, String name, Runnable release) {
    return new InputFile(
        name, segment.asReadOnly(), release, new AtomicBoolean(), null, null, null);
  }

  /** An input in a mapped segment whose pages are given back now and then while it is read. */
  static InputFile temporary(MemorySegment mapped, String name, Runnable release) {
    return new InputFile(
        name, mapped.asReadOnly(), release, new AtomicBoolean(), new AtomicLong(), null, null);
  }

  /** The name that messages use: the path as given, and {@code !/member} inside an archive. */
  public String name() {
    return name;
  }

  /** Number of bytes, after inflating. */
  public long size() {
    return segment.byteSize();
  }

  /**
   * A window of {@code length} bytes at {@code offset}.
   *
   * @throws DamagedInput if the input is shorter
   */
  public Bytes window(long offset, int length) {
    if (offset < 0 || length < 0 || offset > size() - length) {
      throw new DamagedInput(
          name,
          offset,
          "needs " + length + " bytes where the file has " + Math.max(0, size() - offset));
    }
    if (watcher != null) {
      watcher.window(offset, length);
    }
    if (resident != null) {
      giveBackPages(resident, length);
    }
    return new Bytes(segment.asSlice(offset, length).asByteBuffer(), name, offset);
  }

  /**
   * Reads bytes into memory of the caller, which is cheaper than to look at pages that were never
   * looked at before, if each is looked at once.
   *
   * @return the window on these bytes; null if they are not of a file, or cannot be read as one now
   */
  public @Nullable Bytes read(long offset, int length, NativeBuffer memory) {
    FileChannel channel = this.channel;
    if (channel == null || offset < 0 || length < 0 || offset > size() - length) {
      return null;
    }
    if (watcher != null) {
      watcher.window(offset, length);
    }
    return memory.read(channel, offset, length) ? memory.view(length, name, offset) : null;
  }

  private void giveBackPages(AtomicLong looked, int length) {
    // Windows that are in use find their pages again.
    if (looked.addAndGet(Math.max(length, FAULT_AROUND)) > MOST_RESIDENT) {
      looked.set(0);
      segment.unload();
    }
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      release.run();
    }
  }
}
