package io.ntrail.analysis.naming;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Images of all processes with their lifetimes. Those of the kernel are in process 0. */
public final class Images {
  private final AddressRangeLifetimes lives = new AddressRangeLifetimes(most());
  private final Map<ImageFile, Integer> numbers = new HashMap<>();
  private final List<ImageFile> files = new ArrayList<>();
  private final PdbReferenceCollector notes = new PdbReferenceCollector();
  private Map<Integer, PdbReference> pdbs = Map.of();

  public Images() {}

  /**
   * Returns how many notes are kept: a sixth of the memory that there is; 2 million notes of 256
   * MB.
   */
  static int most() {
    return Math.clamp(Runtime.getRuntime().maxMemory() / 128, 1 << 18, 1 << 23);
  }

  public void note(int pid, long base, long key, byte kind, ImageFile file) {
    int number = numbers.computeIfAbsent(file, this::add);
    lives.note(pid, base, file.size(), key, kind, number);
  }

  public void notePdb(int pid, long base, long key, PdbReference pdb) {
    notes.note(pid, base, key, pdb);
  }

  private int add(ImageFile file) {
    files.add(file);
    return files.size() - 1;
  }

  public void addAll(Images other) {
    int[] newNumbers = new int[other.files.size()];
    for (int i = 0; i < newNumbers.length; i++) {
      newNumbers[i] = numbers.computeIfAbsent(other.files.get(i), this::add);
    }
    lives.addAll(other.lives, newNumbers);
    notes.addAll(other.notes);
  }

  public void settle(Lifetimes processes) {
    lives.settle(processes, (a, b) -> ImageFile.ORDER.compare(files.get(a), files.get(b)));
    pdbs = notes.settle(lives);
  }

  AddressRangeLifetimes lives() {
    return lives;
  }

  /**
   * One load of an image, or an image that was found loaded.
   *
   * @param pid process; 0 for the kernel's
   * @param file number of the file
   * @param from time; {@link Long#MIN_VALUE} if it is before the recording
   * @param to time, at the latest the end of the process; {@link Long#MAX_VALUE} if not recorded
   */
  public record Load(int pid, long base, long size, int file, long from, long to) {}

  /** Returns the loads of all processes. */
  public List<Load> loads() {
    List<Load> loads = new ArrayList<>();
    for (int life = 0; life < lives.count(); life++) {
      loads.add(
          new Load(
              lives.pid(life),
              lives.base(life),
              lives.size(life),
              lives.value(life),
              lives.from(life),
              lives.to(life)));
    }
    return loads;
  }

  /** Returns the files that images were loaded from, in no particular order. */
  public List<ImageFile> files() {
    return files;
  }

  /** Returns the PDB of a file, by the number of the file; empty if not recorded. */
  public Optional<PdbReference> pdb(int file) {
    return Optional.ofNullable(pdbs.get(file));
  }

  /** Returns how often an image was loaded, or found loaded, all processes together. */
  public int count() {
    return lives.count();
  }

  public long leftOut() {
    return lives.leftOut() + notes.leftOut();
  }
}
