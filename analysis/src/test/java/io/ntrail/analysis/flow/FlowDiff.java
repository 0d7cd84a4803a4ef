package io.ntrail.analysis.flow;

import io.ntrail.formats.collections.LongList;
import java.util.Arrays;

/**
 * Compares the flow of a damaged stream with the true one, piece by piece: between packets behind
 * the damage that tell an address, and that both streams have.
 */
final class FlowDiff {
  /** Addresses of a flow, and how many of them came before packets that tell one. */
  static final class Flow {
    private final LongList all = new LongList();
    private final LongList offsets = new LongList();
    private final LongList counts = new LongList();

    void add(long address) {
      all.add(address);
    }

    long[] addresses() {
      return all.toArray();
    }

    /** Notes a packet that tells an address; the flow did not take it yet. */
    void packet(long offset) {
      offsets.add(offset);
      counts.add(all.size());
    }
  }

  private final long[] sound;
  private final long[] found;
  private final int end;
  private long wrong;
  private long late;
  private long told = Long.MAX_VALUE;

  /**
   * Compares.
   *
   * @param damage offset of it; behind it, packets were moved
   * @param moved by how much they lie nearer to the start
   * @param end of what is compared of the flow that was found
   */
  FlowDiff(Flow sound, Flow found, long damage, int moved, int end) {
    this.sound = sound.addresses();
    this.found = found.addresses();
    this.end = end;
    int inSound = 0;
    int inFound = 0;
    int at = 0;
    for (int i = 0; i < found.offsets.size(); i++) {
      if (found.offsets.get(i) > damage) {
        told = Math.min(told, found.counts.get(i));
        long offset = found.offsets.get(i) + moved;
        while (at < sound.offsets.size() && sound.offsets.get(at) < offset) {
          at++;
        }
        if (at < sound.offsets.size() && sound.offsets.get(at) == offset) {
          piece(inSound, (int) sound.counts.get(at), inFound, (int) found.counts.get(i));
          inSound = (int) sound.counts.get(at);
          inFound = (int) found.counts.get(i);
        }
      }
    }
    piece(inSound, this.sound.length, inFound, this.found.length);
  }

  private void piece(int from, int to, int foundFrom, int foundTo) {
    int last = Math.min(foundTo, end);
    int first = Math.min(foundFrom, last);
    int same = Arrays.mismatch(sound, from, to, found, first, last);
    if (same < 0) {
      return;
    }
    int most = Math.min(to - from, last - first) - same;
    int back = 0;
    while (last == foundTo && back < most && sound[to - 1 - back] == found[last - 1 - back]) {
      back++;
    }
    int wrongFrom = first + same;
    int wrongTo = last - back;
    wrong += wrongTo - wrongFrom;
    late += Math.max(0, wrongTo - Math.max(wrongFrom, told));
  }

  /** Returns how many addresses of the flow that was found are not in the true one, in order. */
  long wrong() {
    return wrong;
  }

  /** Returns how many of those come behind the next packet that tells an address. */
  long late() {
    return late;
  }
}
