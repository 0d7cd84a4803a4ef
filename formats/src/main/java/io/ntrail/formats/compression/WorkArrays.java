package io.ntrail.formats.compression;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Byte arrays that decompressors work in, used again for the next buffer: arrays made anew would
 * have to be zeroed first, and would push everything else out of the processor's cache. Any number
 * of threads may decompress with one of these at once; each gets arrays of its own.
 */
public final class WorkArrays {
  /** Two arrays, at least as long as they were asked for; anything may be in them. */
  static final class Pair {
    byte[] input = {};
    byte[] output = {};
  }

  /** Pairs that no thread works in: never more than threads that did so at one time. */
  private final Queue<Pair> spare = new ConcurrentLinkedQueue<>();

  /** None yet. */
  public WorkArrays() {}

  /** Returns a pair that nobody else has until it is given back. */
  Pair take(int inputBytes, int outputBytes) {
    Pair pair = spare.poll();
    if (pair == null) {
      pair = new Pair();
    }
    if (pair.input.length < inputBytes) {
      pair.input = new byte[length(inputBytes)];
    }
    if (pair.output.length < outputBytes) {
      pair.output = new byte[length(outputBytes)];
    }
    return pair;
  }

  void giveBack(Pair pair) {
    spare.add(pair);
  }

  /** Powers of two, because buffers of one file are packed into any number of bytes. */
  private static int length(int least) {
    return Math.max(1 << 12, Integer.highestOneBit(Math.max(1, least - 1)) << 1);
  }
}
