package io.ntrail.formats.pe;

import io.ntrail.formats.collections.Search;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Remainders of ranges that may overlap, where each address belongs to the first range that
 * contains it. Hostile images have tens of thousands of overlapping ones: the work grows with their
 * number, not with its square.
 */
final class DisjointRanges {
  /**
   * A stretch.
   *
   * @param source which of the ranges it belongs to
   */
  record Piece(long begin, long end, int source) {}

  private final List<Piece> pieces = new ArrayList<>();

  /** Taken addresses, by start: ranges that neither overlap nor touch. */
  private final TreeMap<Long, Long> taken = new TreeMap<>();

  private int added;

  /** Adds the next range; what is taken already is left to those before it. */
  void add(long begin, long end) {
    int source = added++;
    if (end <= begin) {
      return;
    }
    long at = begin;
    long from = begin;
    long to = end;
    Map.Entry<Long, Long> before = taken.floorEntry(begin);
    if (before != null && before.getValue() >= begin) {
      at = before.getValue();
      from = before.getKey();
      to = Math.max(to, at);
      taken.remove(from);
    }
    for (Map.Entry<Long, Long> next = taken.higherEntry(begin);
        next != null && next.getKey() <= end;
        next = taken.higherEntry(begin)) {
      if (next.getKey() > at) {
        pieces.add(new Piece(at, next.getKey(), source));
      }
      at = Math.max(at, next.getValue());
      to = Math.max(to, at);
      taken.remove(next.getKey());
    }
    if (at < end) {
      pieces.add(new Piece(at, end, source));
    }
    taken.put(from, to);
  }

  /** Returns the pieces by their start. */
  List<Piece> sorted() {
    pieces.sort((a, b) -> Long.compare(a.begin(), b.begin()));
    return List.copyOf(pieces);
  }

  /** The piece of a sorted list that holds a place, or -1. */
  static int find(long[] begins, long place) {
    return Search.floor(begins, begins.length, place);
  }
}
