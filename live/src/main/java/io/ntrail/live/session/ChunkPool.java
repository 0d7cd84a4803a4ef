package io.ntrail.live.session;

import io.ntrail.live.code.SessionLayout;
import java.util.Arrays;

/**
 * Chunks that the target has. It follows the head of the chunk ring, so that a pass looks at the
 * chunks that were taken and at no others; it looks at all of them now and then, since the head may
 * be wrong.
 */
final class ChunkPool {
  private final SessionFile session;
  private final RecorderDiagnostics remarks;
  private ChunkState[] chunks = {};
  private ChunkState[] taken = {};
  private int takenCount;
  private int known;
  private long offered;
  private boolean headDamaged;

  ChunkPool(SessionFile session, RecorderDiagnostics remarks) {
    this.session = session;
    this.remarks = remarks;
    grown();
  }

  /** Notes chunks that the session has and offers since the last call. */
  void grown() {
    int from = chunks.length;
    chunks = Arrays.copyOf(chunks, session.chunks());
    taken = Arrays.copyOf(taken, session.chunks());
    for (int i = from; i < chunks.length; i++) {
      chunks[i] = new ChunkState(i);
      chunks[i].inRing = true;
    }
    offered += chunks.length - from;
  }

  int takenCount() {
    return takenCount;
  }

  ChunkState taken(int place) {
    return taken[place];
  }

  /** Returns the number of free chunks, as far as the head of the ring is right. */
  int free() {
    return headDamaged ? 0 : Math.clamp(session.chunksOffered() - known, 0, chunks.length);
  }

  /** Returns how often a chunk was offered, an upper bound of the chunks of any thread. */
  long offered() {
    return offered;
  }

  /** Notes the chunks that were taken since the last call. */
  void follow() {
    int head = session.chunksTaken();
    int fresh = head - known;
    if (Integer.compareUnsigned(fresh, session.chunksOffered() - known) > 0) {
      if (!headDamaged) {
        headDamaged = true;
        remarks.damaged(
            "chunk ring head %d is beyond tail %d",
            Integer.toUnsignedLong(head), Integer.toUnsignedLong(session.chunksOffered()));
      }
      return;
    }
    for (; known != head; known++) {
      ChunkState chunk = chunks[session.offered(known)];
      chunk.inRing = false;
      take(chunk);
    }
  }

  /** Notes chunks that are in use but were not taken. */
  void search() {
    for (ChunkState chunk : chunks) {
      if (chunk.place < 0 && session.state(chunk.index) != SessionLayout.FREE) {
        // Whoever took it moved the head first.
        follow();
        if (chunk.place < 0) {
          remarks.damaged("chunk %d is in use but was not taken", chunk.index);
          take(chunk);
        }
      }
    }
  }

  private void take(ChunkState chunk) {
    if (chunk.place < 0) {
      chunk.place = takenCount;
      taken[takenCount++] = chunk;
    }
  }

  /** Clears a chunk and offers it, unless it is in the ring already. */
  void recycle(ChunkState chunk) {
    takenCount--;
    ChunkState last = taken[takenCount];
    taken[chunk.place] = last;
    last.place = chunk.place;
    chunk.place = -1;
    chunk.forget();
    session.zero(chunk.index);
    if (!chunk.inRing) {
      chunk.inRing = true;
      offered++;
      session.offerChunk(chunk.index);
    }
  }
}
