package io.ntrail.testkit.calls;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Writes recordings of many calls, of any size, in NTrace's form. Each thread has one call around
 * all others; these are trees of the same shape, a routine calling two others {@value #LEVELS}
 * levels deep, so that everything about them can be worked out.
 */
public final class BigJtrc {
  /** Levels of a tree. */
  public static final int LEVELS = 5;

  /** Calls in a tree: 1 + 2 + 4 + 8 + 16. */
  public static final int TREE = (1 << LEVELS) - 1;

  /** Address of the routines: one for each level, and one around all. */
  public static final long BASE = 0x400000;

  private static final int CHUNK = 1 << 16;
  private static final int RECORD = 16;

  private final FileChannel out;
  private final ByteBuffer chunk = ByteBuffer.allocate(CHUNK).order(ByteOrder.LITTLE_ENDIAN);
  private int thread;
  private long time;

  private BigJtrc(FileChannel out) {
    this.out = out;
  }

  /**
   * Writes a file.
   *
   * @param threads with the same number of trees each
   * @param trees of each thread
   */
  public static void write(Path path, int threads, long trees) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            path,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      BigJtrc calls = new BigJtrc(channel);
      // The header takes the place of a chunk's beginning; a pad fills up to the next chunk.
      calls.chunk.putInt(0x4352544A).putShort((short) 0x1000).putShort((short) 5).putLong(0);
      calls.chunk.putInt(0).putInt(CHUNK - 16).position(CHUNK);
      calls.flush();
      for (int i = 0; i < threads; i++) {
        calls.thread = i;
        calls.begin();
        calls.add(0, LEVELS);
        for (long tree = 0; tree < trees; tree++) {
          calls.tree(0);
        }
        calls.add(1, LEVELS);
        calls.end();
      }
    }
  }

  private void tree(int level) throws IOException {
    add(0, level);
    if (level + 1 < LEVELS) {
      tree(level + 1);
      tree(level + 1);
    }
    add(1, level);
  }

  private void add(int kind, int level) throws IOException {
    if (chunk.remaining() < RECORD) {
      end();
      begin();
    }
    chunk.putLong(++time << 4 | kind).putInt((int) (BASE + 0x100L * level)).putInt(level);
  }

  private void begin() {
    chunk.clear().putShort((short) 2).putShort((short) 0).putInt(0).putInt(4).putInt(100 + thread);
  }

  /** A buffer, and what is left up to the next one: segments are whole numbers of buffers. */
  private void end() throws IOException {
    int size = chunk.position();
    chunk.putInt(4, size);
    if (size < CHUNK) {
      chunk.putInt(0).putInt(CHUNK - size).position(CHUNK);
    }
    flush();
  }

  private void flush() throws IOException {
    chunk.flip();
    while (chunk.hasRemaining()) {
      out.write(chunk);
    }
    chunk.clear();
  }
}
