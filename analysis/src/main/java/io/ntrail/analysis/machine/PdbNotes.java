package io.ntrail.analysis.machine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which PDBs belong to images, as the records tell it that a merge adds: by the place of an image
 * in a process.
 */
final class PdbNotes {
  /** Notes that are kept, about 150 bytes each. */
  private static final int MOST = 1 << 18;

  private record Place(int process, long base) {}

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

  void addAll(PdbNotes other) {
    other.notes.forEach(note -> note(note.place.process, note.place.base, note.key, note.pdb));
    leftOut += other.leftOut;
  }

  /**
   * The PDBs of image files, by their numbers. A file of which different ones are told has none: it
   * is several builds that the recording does not tell apart.
   */
  Map<Integer, PdbReference> settle(AddressLives lives) {
    Map<Place, List<Integer>> byPlace = new HashMap<>();
    for (int life = 0; life < lives.count(); life++) {
      byPlace
          .computeIfAbsent(new Place(lives.pid(life), lives.base(life)), _ -> new ArrayList<>(1))
          .add(life);
    }
    Map<Integer, PdbReference> found = new HashMap<>();
    Set<Integer> several = new HashSet<>();
    for (Note note : notes) {
      for (int life : byPlace.getOrDefault(note.place, List.of())) {
        if (lives.value(life) >= 0 && isNearest(lives, life, byPlace, note)) {
          PdbReference before = found.putIfAbsent(lives.value(life), note.pdb);
          if (before != null && !before.equals(note.pdb)) {
            several.add(lives.value(life));
          }
        }
      }
    }
    several.forEach(found::remove);
    notes.clear();
    same.clear();
    return found;
  }

  /**
   * A note is of what is there at its time, or else of what was there last before or comes next.
   */
  private static boolean isNearest(
      AddressLives lives, int life, Map<Place, List<Integer>> byPlace, Note note) {
    long distance = distance(lives, life, note.key);
    return byPlace.getOrDefault(note.place, List.of()).stream()
        .allMatch(other -> distance(lives, other, note.key) >= distance);
  }

  private static long distance(AddressLives lives, int life, long key) {
    return key < lives.from(life)
        ? lives.from(life) - key
        : key > lives.to(life) ? key - lives.to(life) : 0;
  }

  long leftOut() {
    return leftOut;
  }
}
