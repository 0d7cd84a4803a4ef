package io.ntrail.formats.bytes;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * Makes the pages of a mapped file present on another core, ahead of who looks at all of it: half
 * of the time in which a large file is opened is the system's, for pages that are looked at first.
 */
public final class PagesAhead implements AutoCloseable {
  /** Smaller files are opened before a thread has begun. */
  private static final long LARGE = 128L << 20;

  private static final long WINDOW = 1L << 30;

  static final String THREAD = "pages ahead";

  private final MemorySegment segment;

  /** Null if there is nothing to do. */
  private final @Nullable ExecutorService otherCore;

  private volatile boolean isOver;
  private volatile long sum;

  private PagesAhead(MemorySegment segment, @Nullable ExecutorService otherCore) {
    this.segment = segment;
    this.otherCore = otherCore;
  }

  /** Begins, unless the segment is small or there is no other core. */
  static PagesAhead begin(MemorySegment segment) {
    if (segment.byteSize() < LARGE || Runtime.getRuntime().availableProcessors() == 1) {
      return new PagesAhead(segment, null);
    }
    ExecutorService otherCore =
        Executors.newThreadPerTaskExecutor(Thread.ofPlatform().daemon().name(THREAD).factory());
    PagesAhead pages = new PagesAhead(segment, otherCore);
    otherCore.execute(pages::touch);
    return pages;
  }

  private void touch() {
    long added = 0;
    try {
      for (long from = 0; from < segment.byteSize(); from += WINDOW) {
        int length = (int) Math.min(WINDOW, segment.byteSize() - from);
        ByteBuffer bytes = segment.asSlice(from, length).asByteBuffer();
        for (int at = 0; at < length && !isOver; at += InputFile.FAULT_AROUND) {
          added += bytes.get(at);
        }
      }
    } catch (InternalError e) {
      // The file has become shorter: who reads it says so.
      isOver = true;
    }
    sum = added;
  }

  /** Returns the sum of the bytes that were looked at, so that no compiler leaves them out. */
  long sum() {
    return sum;
  }

  /** Ends it; returns when the segment is not used any more. */
  @Override
  public void close() {
    isOver = true;
    if (otherCore != null) {
      otherCore.close();
    }
  }
}
