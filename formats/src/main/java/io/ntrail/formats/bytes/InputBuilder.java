package io.ntrail.formats.bytes;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import org.jspecify.annotations.Nullable;

/**
 * Collects an input whose size is known only when all of it is there: in native memory up to {@link
 * #MOST_IN_MEMORY} bytes and as far as a {@link MemoryBudget} goes, else in a {@link
 * TemporaryFile}. For one thread.
 */
public final class InputBuilder implements AutoCloseable {
  /** Number of bytes beyond which an input goes to a file, however much memory is left. */
  static final int MOST_IN_MEMORY = 64 << 20;

  private final String name;
  private final MemoryBudget budget;
  private final TemporaryFiles files;
  private @Nullable Block block;
  private @Nullable TemporaryFile file;
  private long size;

  /** Source of temporary files. */
  interface TemporaryFiles {
    TemporaryFile create() throws IOException;
  }

  /** Native memory that was reserved. */
  private static final class Block {
    final Arena arena;
    final MemorySegment segment;

    Block(Arena arena, MemorySegment segment) {
      this.arena = arena;
      this.segment = segment;
    }
  }

  /** An input without any bytes so far; the budget is that of the process. */
  public InputBuilder(String name) {
    this(name, MemoryBudget.ofProcess(), () -> TemporaryFile.create("ntrail"));
  }

  InputBuilder(String name, MemoryBudget budget, TemporaryFiles files) {
    this.name = name;
    this.budget = budget;
    this.files = files;
  }

  /** Returns the name of the input. */
  public String name() {
    return name;
  }

  /** Number of bytes so far. */
  public long size() {
    return size;
  }

  /**
   * Appends bytes.
   *
   * @throws CannotGoOn if there is no room for them
   */
  public void append(byte[] bytes, int from, int length) {
    if (length == 0) {
      return;
    }
    if (file == null && !makeRoom(length)) {
      spill();
    }
    if (file == null) {
      MemorySegment.copy(bytes, from, segment(), ValueLayout.JAVA_BYTE, size, length);
    } else {
      try {
        file.write(bytes, from, length);
      } catch (IOException e) {
        throw noRoom(e);
      }
    }
    size += length;
  }

  private MemorySegment segment() {
    return block == null ? MemorySegment.NULL : block.segment;
  }

  /** Makes the memory large enough; false if it must not be so large. */
  private boolean makeRoom(int length) {
    long needed = size + length;
    if (needed <= segment().byteSize()) {
      return true;
    }
    return needed <= MOST_IN_MEMORY
        && resize(Math.min(MOST_IN_MEMORY, Math.max(needed, 2 * segment().byteSize())));
  }

  private boolean resize(long capacity) {
    Block larger = allocate(capacity);
    if (larger == null) {
      return false;
    }
    MemorySegment.copy(segment(), 0, larger.segment, 0, size);
    free();
    block = larger;
    return true;
  }

  private @Nullable Block allocate(long capacity) {
    if (!budget.reserve(capacity)) {
      return null;
    }
    Arena arena = Arena.ofShared();
    try {
      return new Block(arena, arena.allocate(capacity, 8));
    } catch (OutOfMemoryError e) {
      // The JVM has a limit of its own, which may be lower: a file takes it.
      arena.close();
      budget.release(capacity);
      return null;
    }
  }

  private void free() {
    Block old = block;
    block = null;
    if (old != null) {
      release(old);
    }
  }

  private void release(Block old) {
    long capacity = old.segment.byteSize();
    old.arena.close();
    budget.release(capacity);
  }

  private void spill() {
    try {
      TemporaryFile created = files.create();
      file = created;
      created.write(segment().asSlice(0, size));
    } catch (IOException e) {
      throw noRoom(e);
    }
    free();
  }

  private CannotGoOn noRoom(IOException e) {
    String why =
        switch (e) {
          case NoSuchFileException _ -> "there is no such folder";
          case AccessDeniedException _ -> "access denied";
          default -> String.valueOf(e.getMessage());
        };
    return new CannotGoOn(
        "%s does not fit into the temporary folder %s when decompressed (%s)"
            .formatted(name, TemporaryFile.folder(), why),
        "set TMPDIR (Windows: TEMP) to a folder on a disk with more room, or decompress it there"
            + " and name the decompressed file");
  }

  /**
   * Returns what is there so far, to be used before anything else is done here; closing it does
   * nothing.
   */
  public InputFile soFar() {
    TemporaryFile written = file;
    if (written == null) {
      return InputFile.held(segment().asSlice(0, size), name, () -> {});
    }
    Arena arena = Arena.ofAuto();
    try {
      return InputFile.held(written.map(arena), name, () -> {});
    } catch (IOException e) {
      throw noRoom(e);
    }
  }

  /**
   * Returns the input. It keeps the memory or the file until it is closed; nothing may be appended
   * after this.
   *
   * @throws CannotGoOn if the file cannot be mapped
   */
  public InputFile finish() {
    TemporaryFile written = file;
    if (written != null) {
      file = null;
      return finish(written);
    }
    if (segment().byteSize() > size && size > 0) {
      // What is too large is given back, if there is room for a copy.
      resize(size);
    }
    Block kept = block;
    block = null;
    return kept == null
        ? InputFile.of(new byte[0], name)
        : InputFile.held(kept.segment.asSlice(0, size), name, () -> release(kept));
  }

  private InputFile finish(TemporaryFile written) {
    try {
      return written.input(name);
    } catch (IOException e) {
      written.close();
      throw noRoom(e);
    }
  }

  /** Gives back what no input was made of. */
  @Override
  public void close() {
    free();
    TemporaryFile written = file;
    file = null;
    if (written != null) {
      written.close();
    }
  }
}
