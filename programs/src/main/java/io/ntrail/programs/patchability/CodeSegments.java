package io.ntrail.programs.patchability;

import io.ntrail.formats.collections.LongList;
import io.ntrail.formats.collections.Search;
import io.ntrail.programs.image.CodeRanges;
import io.ntrail.programs.image.ImageFunctions;
import java.util.BitSet;
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
    LongList marks = new LongList();
    for (int i = 0; i < functions.list().size(); i++) {
      marks.add(functions.start(i));
    }
    for (int i = 0; i < functions.partCount(); i++) {
      marks.add(functions.partBegin(i));
      marks.add(functions.partEnd(i));
    }
    for (int i = hashed.nextSetBit(0); i >= 0; i = hashed.nextSetBit(i + 1)) {
      marks.add(functions.start(i) - HASH);
    }
    for (CodeRanges.Range range : code.list()) {
      marks.add(range.begin());
    }
    marks.sort();
    this.begins = distinct(marks.array(), marks.size());
  }

  private long[] distinct(long[] ascending, int count) {
    LongList distinct = new LongList(count + 1);
    for (int i = 0; i < count; i++) {
      if ((i == 0 || ascending[i] != ascending[i - 1]) && code.contains(ascending[i])) {
        distinct.add(ascending[i]);
      }
    }
    return distinct.toArray();
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
