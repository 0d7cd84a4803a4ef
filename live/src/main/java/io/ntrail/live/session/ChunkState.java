package io.ntrail.live.session;

import org.jspecify.annotations.Nullable;

/** What the recorder knows about a chunk: what it did itself, and the head as first seen. */
final class ChunkState {
  final int index;

  /** It was offered, and the head of the ring has not passed it. */
  boolean inRing;

  /** Its place in the list of taken chunks, or -1. */
  int place = -1;

  /** Whose it is; null before its head was read. */
  @Nullable RecordedThread owner;

  /** Its number among the chunks of its thread. */
  long number;

  /** Records lost before it. */
  long lost;

  boolean lossTold;

  /** Records that were taken out. */
  int done;

  /** Its thread handed it over, or left it for another one. */
  boolean ready;

  /** The pass that found it ready. */
  long readyPass;

  /** Ready although its thread did not hand it over: only its whole records count. */
  boolean partial;

  /** Something about it that cannot be was said. */
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
