package io.ntrail.live.session;

import io.ntrail.formats.ntr.ThreadEventWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Thread of the target, as its chunks describe it. */
final class RecordedThread {
  final ThreadKey key;

  /** Number in the {@code .ntr}; 0 if it exceeds the thread limit. */
  final long number;

  /** Writer of its events; null if it exceeds the thread limit. */
  final @Nullable ThreadEventWriter events;

  /** Sequence number of the next chunk. */
  long next;

  String name = "";

  /** Chunks in use: one, unless something is wrong. */
  final List<ChunkState> inUse = new ArrayList<>(1);

  /** Chunks to be read, in no order. */
  final List<ChunkState> ready = new ArrayList<>();

  /** Area of its last event that had one. */
  int area;

  /** Slot of the innermost frame after that event. */
  int slot;

  /** Dropped records that the file does not report yet. */
  long dropped;

  RecordedThread(ThreadKey key, long number, @Nullable ThreadEventWriter events) {
    this.key = key;
    this.number = number;
    this.events = events;
  }
}
