package io.ntrail.live.session;

import org.jspecify.annotations.Nullable;

/** State of a chunk as the recorder knows it: its own actions, and the header as first seen. */
final class ChunkState {
  final int index;

  /** Set from when it is offered until the head of the ring has passed it. */
  boolean inRing;

  /** Index in the list of taken chunks, or -1. */
  int place = -1;

  /** Owner; null before its header was read. */
  @Nullable RecordedThread owner;

  /** Sequence number among the chunks of its thread. */
  long number;

  /** Records lost before it. */
  long lost;

  boolean lossTold;

  /** Number of records that were taken out. */
  int done;

  /** Set when its thread handed it over, or abandoned it. */
  boolean ready;

  /** Pass that found it ready. */
  long readyPass;

  /** Set if it is ready but was not handed over: only its whole records count. */
  boolean partial;

  /** Set when an anomaly was reported. */
  boolean said;

  ChunkState(int index) {
    this.index = index;
  }

  void forget() {
    owner = null;
    number = 0;
    lost = 0;
    lossTold = false;
    done = 0;
    ready = false;
    readyPass = 0;
    partial = false;
    said = false;
  }
}
