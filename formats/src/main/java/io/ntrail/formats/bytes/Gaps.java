package io.ntrail.formats.bytes;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * Collects what could not be read. Thread-safe; the same place reported twice (by two passes over a
 * file) is kept once, and the list is in order of file and offset whatever order it was found in.
 *
 * <p>A hostile input could have millions of bad places: beyond {@value #LIMIT} only their number
 * and bytes are kept, in one closing entry.
 */
public final class Gaps {
  private static final int LIMIT = 10_000;

  private record Place(int file, long offset, String what) implements Comparable<Place> {
    @Override
    public int compareTo(Place other) {
      int byFile = Integer.compare(file, other.file);
      if (byFile != 0) {
        return byFile;
      }
      int byOffset = Long.compare(offset, other.offset);
      return byOffset != 0 ? byOffset : what.compareTo(other.what);
    }
  }

  private final TreeMap<Place, Gap> places = new TreeMap<>();
  private final List<String> files = new ArrayList<>();
  private long leftOut;
  private volatile boolean isBeyondLimit;

  /** No gaps yet. */
  public Gaps() {}

  /** Adds one. */
  public synchronized void add(Gap gap) {
    int file = files.indexOf(gap.file());
    if (file < 0) {
      file = files.size();
      files.add(gap.file());
    }
    Place place = new Place(file, gap.offset(), gap.what());
    if (places.containsKey(place)) {
      return;
    }
    if (places.size() >= LIMIT) {
      leftOut++;
      isBeyondLimit = true;
      return;
    }
    places.put(place, gap);
  }

  /** Names the files in the order in which their gaps are to be listed. */
  public synchronized void register(String file) {
    if (!files.contains(file)) {
      files.add(file);
    }
  }

  /** Returns true if there are no gaps. */
  public synchronized boolean isEmpty() {
    return places.isEmpty();
  }

  /** Returns true if there are so many that no further one is kept: who makes them may stop. */
  public boolean isBeyondLimit() {
    return isBeyondLimit;
  }

  /** Returns all gaps, by file and offset. */
  public synchronized List<Gap> list() {
    List<Gap> list = new ArrayList<>(places.values());
    if (leftOut > 0) {
      Gap last = list.getLast();
      list.add(
          new Gap(
              last.file(),
              last.offset(),
              -1,
              "more",
              "at least " + leftOut + " more places could not be read"));
    }
    return list;
  }
}
