package io.ntrail.programs.patchability;

import io.ntrail.formats.collections.LongList;
import io.ntrail.formats.collections.Search;
import io.ntrail.programs.image.CodeRanges;
import io.ntrail.programs.image.ImageFunctions;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * Code of an image in segments, from each address that is known to start or end something to the
 * next one.
 */
final class CodeSegments {
  /** The bytes of a hash in front of a function. */
  static final int HASH = 8;

  private final CodeRanges code;
  private final long[] begins;

  /**
   * Cuts the code.
   *
   * @param hashed the functions that have a hash in front of them
   */
  CodeSegments(ImageFunctions functions, BitSet hashed) {
    this.code = functions.code();
    long[] starts = new long[functions.list().size()];
    Arrays.setAll(starts, functions::start);
    long[] partBegins = new long[functions.partCount()];
    Arrays.setAll(partBegins, functions::partBegin);
    long[] partEnds = new long[functions.partCount()];
    Arrays.setAll(partEnds, functions::partEnd);
    LongList others = new LongList();
    for (int i = hashed.nextSetBit(0); i >= 0; i = hashed.nextSetBit(i + 1)) {
      others.add(functions.start(i) - HASH);
    }
    for (CodeRanges.Range range : code.list()) {
      others.add(range.begin());
    }
    others.sort();
    this.begins =
        inCode(
            merged(merged(starts, partBegins), merged(sorted(partEnds), others.toArray())),
            code.list());
  }

  /** Sorts numbers that mostly ascend already. */
  private static long[] sorted(long[] numbers) {
    for (int i = 1; i < numbers.length; i++) {
      if (numbers[i] < numbers[i - 1]) {
        Arrays.sort(numbers);
        break;
      }
    }
    return numbers;
  }

  /** Merges ascending numbers, each once. */
  private static long[] merged(long[] some, long[] others) {
    long[] merged = new long[some.length + others.length];
    int count = 0;
    int i = 0;
    int k = 0;
    while (i < some.length || k < others.length) {
      boolean isSome = k == others.length || i < some.length && some[i] <= others[k];
      long next = isSome ? some[i++] : others[k++];
      if (count == 0 || merged[count - 1] != next) {
        merged[count++] = next;
      }
    }
    return Arrays.copyOf(merged, count);
  }

  /** Returns the ascending addresses that are in ranges, which ascend, too. */
  private static long[] inCode(long[] addresses, List<CodeRanges.Range> ranges) {
    long[] found = new long[addresses.length];
    int count = 0;
    int range = 0;
    for (long address : addresses) {
      while (range < ranges.size() && ranges.get(range).end() <= address) {
        range++;
      }
      if (range < ranges.size() && ranges.get(range).begin() <= address) {
        found[count++] = address;
      }
    }
    return Arrays.copyOf(found, count);
  }

  int count() {
    return begins.length;
  }

  long begin(int segment) {
    return begins[segment];
  }

  /** Returns the end of a segment: where the next begins, or the code ends. */
  long end(int segment) {
    long end = code.end(begins[segment]);
    return isFollowed(segment, end) ? begins[segment + 1] : end;
  }

  /** Returns true if something starts where a segment ends. */
  boolean isFollowed(int segment) {
    return isFollowed(segment, code.end(begins[segment]));
  }

  private boolean isFollowed(int segment, long end) {
    return segment + 1 < begins.length && begins[segment + 1] <= end;
  }

  /** Passes on the segments that have bytes between two addresses. */
  void between(long from, long to, IntConsumer each) {
    int segment = Math.max(0, Search.floor(begins, begins.length, from));
    while (segment < begins.length && begins[segment] < to) {
      if (end(segment) > from) {
        each.accept(segment);
      }
      segment++;
    }
  }
}
