package io.ntrail.analysis.naming;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

/** PDBs of images, from the records that a merge adds: by the place of an image in a process. */
final class PdbReferenceCollector {
  /** Notes that are kept, about 150 bytes each. */
  private static final int MOST = 1 << 18;

  private record Place(int process, long base) {
    // Written out: what a record makes of itself at run time costs milliseconds at every start.
    @Override
    public boolean equals(Object other) {
      return other instanceof Place place && place.process == process && place.base == base;
    }

    @Override
    public int hashCode() {
      return 31 * Long.hashCode(base) + process;
    }
  }

  private record Note(Place place, long key, PdbReference pdb) {}

  private final Map<PdbReference, PdbReference> same = new HashMap<>();
  private final List<Note> notes = new ArrayList<>();
  private long leftOut;

  void note(int process, long base, long key, PdbReference pdb) {
    if (notes.size() >= MOST) {
      leftOut++;
      return;
    }
    PdbReference known = same.putIfAbsent(pdb, pdb);
    notes.add(new Note(new Place(process, base), key, known == null ? pdb : known));
  }

  void addAll(PdbReferenceCollector other) {
    other.notes.forEach(note -> note(note.place.process, note.place.base, note.key, note.pdb));
    leftOut += other.leftOut;
  }

  /**
   * Returns the PDBs of image files, by their numbers. A file with different ones has none: it is
   * several builds that the recording does not distinguish.
   */
  Map<Integer, PdbReference> settle(AddressRangeLifetimes lives) {
    if (notes.isEmpty()) {
      return Map.of();
    }
    Map<Place, NavigableMap<Long, Integer>> byPlace = new HashMap<>();
    for (int life = 0; life < lives.count(); life++) {
      byPlace
          .computeIfAbsent(new Place(lives.pid(life), lives.base(life)), _ -> new TreeMap<>())
          .put(lives.from(life), life);
    }
    Map<Integer, PdbReference> found = new HashMap<>();
    Set<Integer> several = new HashSet<>();
    for (Note note : notes) {
      NavigableMap<Long, Integer> there = byPlace.get(note.place);
      int file = there == null ? -1 : lives.value(nearest(lives, there, note.key));
      if (file >= 0) {
        PdbReference before = found.putIfAbsent(file, note.pdb);
        if (before != null && !before.equals(note.pdb)) {
          several.add(file);
        }
      }
    }
    several.forEach(found::remove);
    notes.clear();
    same.clear();
    return found;
  }

  /**
   * Returns the life at a time, else the last before or the next after it, whichever is nearer.
   *
   * @param there the lives of one place by their beginnings; they do not overlap
   */
  private static int nearest(
      AddressRangeLifetimes lives, NavigableMap<Long, Integer> there, long key) {
    Map.Entry<Long, Integer> before = there.floorEntry(key);
    Map.Entry<Long, Integer> after = there.higherEntry(key);
    if (before == null) {
      return there.firstEntry().getValue();
    }
    long since = key - lives.to(before.getValue());
    return after == null || since <= after.getKey() - key ? before.getValue() : after.getValue();
  }

  long leftOut() {
    return leftOut;
  }
}
