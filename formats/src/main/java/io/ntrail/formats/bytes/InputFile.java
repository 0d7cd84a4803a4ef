package io.ntrail.formats.bytes;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of one input of any size, mapped; the content of an archive's member is in native
 * memory or in a temporary file. {@link #close()} unmaps it; windows must not be used after that.
 */
public final class InputFile implements AutoCloseable {
  private final String name;
  private final Arena arena;
  private final MemorySegment segment;
  private final @Nullable Path temporary;
  private final @Nullable Watcher watcher;

  /** Listener that is notified of every window before it is handed out. */
  interface Watcher {
    /** Called when a window of {@code length} bytes at {@code offset} is requested. */
    void window(long offset, int length);
  }

  private InputFile(
      String name,
      Arena arena,
      MemorySegment segment,
      @Nullable Path temporary,
      @Nullable Watcher watcher) {
    this.name = name;
    this.arena = arena;
    this.segment = segment;
    this.temporary = temporary;
    this.watcher = watcher;
  }

  /** Returns the same input with a watcher of its reads, for counting. */
  InputFile watched(Watcher other) {
    return new InputFile(name, arena, segment, temporary, other);
  }

  /**
   * Maps a file as it is.
   *
   * @throws IOException if it cannot be opened
   */
  public static InputFile map(Path path, String name) throws IOException {
    return map(path, name, null);
  }

  /**
   * Maps a file that is deleted when the input is closed.
   *
   * @throws IOException if it cannot be opened
   */
  public static InputFile mapTemporary(Path path, String name) throws IOException {
    return map(path, name, path);
  }

  private static InputFile map(Path path, String name, @Nullable Path temporary)
      throws IOException {
    Arena arena = Arena.ofShared();
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      MemorySegment segment =
          channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena).asReadOnly();
      return new InputFile(name, arena, segment, temporary, null);
    } catch (IOException | RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  /** An input that holds a copy of {@code bytes}, for tests and for small parts of archives. */
  public static InputFile of(byte[] bytes, String name) {
    Arena arena = Arena.ofShared();
    MemorySegment segment = arena.allocate(Math.max(8, bytes.length), 8);
    segment.asByteBuffer().put(bytes);
    return new InputFile(name, arena, segment.asSlice(0, bytes.length).asReadOnly(), null, null);
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
          name, offset, "needs " + length + " bytes where the file has " + (size() - offset));
    }
    if (watcher != null) {
      watcher.window(offset, length);
    }
    return new Bytes(segment.asSlice(offset, length).asByteBuffer(), name, offset);
  }

  @Override
  public void close() {
    if (!arena.scope().isAlive()) {
      return;
    }
    arena.close();
    if (temporary != null) {
      try {
        Files.deleteIfExists(temporary);
      } catch (IOException e) {
        // A leftover in the system's temporary folder does no harm and does not affect the answer.
        temporary.toFile().deleteOnExit();
      }
    }
  }
}
