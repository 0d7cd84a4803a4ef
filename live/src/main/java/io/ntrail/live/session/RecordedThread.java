package io.ntrail.live.session;

import io.ntrail.formats.ntr.ThreadEventWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A thread of the target, as its chunks tell of it. */
final class RecordedThread {
  final ThreadKey key;

  /** Its number in the {@code .ntr}; 0 if it is one too many. */
  final long number;

  /** Where its events go; null if it is one too many. */
  final @Nullable ThreadEventWriter events;

  /** The number of the chunk that comes next. */
  long next;

  String name = "";

  /** Chunks that were not handed over: one, unless something is wrong. */
  final List<ChunkState> inUse = new ArrayList<>(1);

  /** Chunks that are to be read, in no order. */
  final List<ChunkState> ready = new ArrayList<>();

  /** The area of its last event that had one. */
  int area;

  /** The slot of the innermost frame after that event. */
  int slot;

  /** Records that were taken out and dropped, and not told in the file yet. */
  long dropped;

  RecordedThread(ThreadKey key, long number, @Nullable ThreadEventWriter events) {
    this.key = key;
    this.number = number;
    this.events = events;
  }
}
