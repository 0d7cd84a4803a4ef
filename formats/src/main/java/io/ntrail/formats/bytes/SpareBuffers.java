package io.ntrail.formats.bytes;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Native memory that is used again: fresh memory has to be made present and zeroed, which takes the
 * system longer than to read a file into it. Any number of threads may use one of these at once.
 */
public final class SpareBuffers implements AutoCloseable {
  /** Bytes that are kept; what is given back beyond is freed. */
  private static final long MOST = 64L << 20;

  private final Queue<NativeBuffer> spare = new ConcurrentLinkedQueue<>();
  private final AtomicLong kept = new AtomicLong();
  private volatile boolean isClosed;

  /** None yet. */
  public SpareBuffers() {}

  /**
   * Returns memory that nobody else has until it is given back; anything may be in it.
   *
   * @param capacity bytes that it has at least
   */
  public NativeBuffer take(int capacity) {
    NativeBuffer buffer = poll();
    if (buffer != null && buffer.capacity() < capacity) {
      buffer.close();
      buffer = null;
    }
    return buffer == null ? new NativeBuffer(capacity) : buffer;
  }

  /** Takes memory back; windows on it must not be used any more. */
  public void giveBack(NativeBuffer buffer) {
    if (kept.addAndGet(buffer.capacity()) > MOST) {
      kept.addAndGet(-buffer.capacity());
      buffer.close();
      return;
    }
    spare.add(buffer);
    if (isClosed) {
      free();
    }
  }

  /** Frees what was given back; what is given back later is freed then. */
  @Override
  public void close() {
    isClosed = true;
    free();
  }

  private void free() {
    for (NativeBuffer buffer = poll(); buffer != null; buffer = poll()) {
      buffer.close();
    }
  }

  private @Nullable NativeBuffer poll() {
    NativeBuffer buffer = spare.poll();
    if (buffer != null) {
      kept.addAndGet(-buffer.capacity());
    }
    return buffer;
  }
}
