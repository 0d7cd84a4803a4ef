package io.ntrail.analysis.probe.engine;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Buffers of firings of which it is not yet known whether they are printed. */
final class Speculations {
  /** Bytes of all buffers together at most. */
  private static final long MOST_BYTES = Runtime.getRuntime().maxMemory() / 4;

  private final long room;
  private final int count;
  private final List<@Nullable Buffer> buffers = new ArrayList<>();
  private long used;
  private long failed;
  private long drops;

  /** Firings of one speculation. */
  static final class Buffer {
    private final List<Firing> firings = new ArrayList<>();
    private long used;
  }

  Speculations(int count, long room) {
    this.count = count;
    this.room = room;
  }

  /** Returns the number of a new one, from 1; 0 if all are in use. */
  int begin() {
    int free = buffers.indexOf(null);
    if (free >= 0) {
      buffers.set(free, new Buffer());
      return free + 1;
    }
    if (buffers.size() < count) {
      buffers.add(new Buffer());
      return buffers.size();
    }
    failed++;
    return 0;
  }

  /** Returns one that is in use; null if it is not. */
  @Nullable Buffer buffer(long id) {
    return id < 1 || id > buffers.size() ? null : buffers.get((int) id - 1);
  }

  /** Adds a firing. */
  void add(Buffer to, Firing firing) {
    long size = firing.size();
    if (to.used + size > room || used + size > MOST_BYTES) {
      drops++;
    } else {
      to.used += size;
      used += size;
      to.firings.add(firing);
    }
  }

  /** Ends one; returns its firings. */
  List<Firing> end(long id) {
    Buffer buffer = buffer(id);
    if (buffer == null) {
      return List.of();
    }
    buffers.set((int) id - 1, null);
    used -= buffer.used;
    return buffer.firings;
  }

  long failed() {
    return failed;
  }

  long drops() {
    return drops;
  }
}
