package io.ntrail.analysis.probe.engine;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Buffers of firings of which it is not yet known whether they are printed. */
final class Speculations {
  private final long room;
  private final @Nullable Buffer[] buffers;
  private long failed;
  private long drops;

  /** Firings of one speculation. */
  static final class Buffer {
    private final List<Firing> firings = new ArrayList<>();
    private long used;
  }

  Speculations(int count, long room) {
    this.buffers = new @Nullable Buffer[count];
    this.room = room;
  }

  /** Returns the number of a new one, from 1; 0 if all are in use. */
  int begin() {
    for (int i = 0; i < buffers.length; i++) {
      if (buffers[i] == null) {
        buffers[i] = new Buffer();
        return i + 1;
      }
    }
    failed++;
    return 0;
  }

  /** Returns one that is in use; null if it is not. */
  @Nullable Buffer buffer(long id) {
    return id < 1 || id > buffers.length ? null : buffers[(int) id - 1];
  }

  /** Adds a firing. */
  void add(Buffer to, Firing firing) {
    long size = 16;
    for (Recorded one : firing.data()) {
      size += one.size();
    }
    if (to.used + size > room) {
      drops++;
    } else {
      to.used += size;
      to.firings.add(firing);
    }
  }

  /** Ends one; returns its firings. */
  List<Firing> end(long id) {
    Buffer buffer = buffer(id);
    if (buffer == null) {
      return List.of();
    }
    buffers[(int) id - 1] = null;
    return buffer.firings;
  }

  long failed() {
    return failed;
  }

  long drops() {
    return drops;
  }
}
