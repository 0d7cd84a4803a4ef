package io.ntrail.analysis.etw.machine;

import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.Hashing;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.collections.LongList;
import io.ntrail.formats.collections.LongSet;
import io.ntrail.formats.collections.RowIndex;
import io.ntrail.formats.schema.Payload;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Collects which image files were loaded where, and the PDB ids that a merge recorded for them.
 *
 * <p>An image's time stamp does not identify files: some lists of images have it as 0.
 */
final class ImageCollector {
  /** Loads and places that are kept, about 100 bytes each, and the paths of files. */
  private static final int MOST = 1 << 18;

  // equals and hashCode are written out: those that a record makes of itself at run time cost tens
  // of milliseconds at the start.

  private record File(String path, long size) {
    @Override
    public boolean equals(Object other) {
      return other instanceof File file && file.size == size && file.path.equals(path);
    }

    @Override
    public int hashCode() {
      return path.hashCode() * 31 + Long.hashCode(size);
    }
  }

  /** Files by number, their paths in lower case. */
  private final List<File> files = new ArrayList<>();

  private final Map<File, Integer> numbers = new HashMap<>();

  /** Numbers of files by their paths as they are told, most of which come again and again. */
  private final Map<File, Integer> told = new HashMap<>();

  // Places in processes by number: what a thread found is added to what another one has in few
  // steps.
  private final Columns columns = new Columns();
  private final IntColumn processes = columns.ints();
  private final LongColumn bases = columns.longs();
  private final RowIndex places =
      new RowIndex(0, row -> Hashing.hash(processes.get(row), bases.get(row)));

  /** Numbers of a place, and of the file that was loaded there, in the lower half. */
  private final LongList loads = new LongList();

  /** Loads that are in the list, to keep each once. */
  private final LongSet known = new LongSet();

  /** Numbers of the places of which a merge recorded a PDB id. */
  private final BitSet identified = new BitSet();

  private int identifiedPlaces;
  private long leftOut;
  private int images;
  private int imagesWithPdbId;

  /**
   * Reads a record of the class Image: load, unload, or a list of what is loaded.
   *
   * @return false if it does not tell which image is where
   */
  boolean image(Payload payload) {
    int name = payload.find("FileName");
    if (name < 0) {
      name = payload.find("ImageFileName");
    }
    int base = payload.find("ImageBase");
    if (base < 0) {
      base = payload.find("BaseAddress");
    }
    if (name < 0 || base < 0) {
      return false;
    }
    int size = payload.find("ImageSize");
    if (size < 0) {
      size = payload.find("ModuleSize");
    }
    if (leavesOut()) {
      return true;
    }
    int process = (int) KernelPayload.number(payload, "ProcessId");
    long bytes = size < 0 ? 0 : payload.integer(size);
    add(process, payload.integer(base), number(new File(payload.text(name), bytes)));
    return true;
  }

  /** Returns whether so many loads are kept that this one is left out, and counts it. */
  private boolean leavesOut() {
    boolean isFull = loads.size() >= MOST;
    leftOut += isFull ? 1 : 0;
    return isFull;
  }

  private int number(File as) {
    Integer number = told.get(as);
    if (number == null) {
      number = numberOf(new File(lower(as.path), as.size));
      if (told.size() < MOST) {
        told.put(as, number);
      }
    }
    return number;
  }

  private int numberOf(File file) {
    Integer next = files.size();
    Integer number = numbers.putIfAbsent(file, next);
    if (number == null) {
      files.add(file);
      return next;
    }
    return number;
  }

  private void add(int process, long base, int file) {
    long load = (long) place(process, base) << 32 | file;
    if (known.add(load)) {
      loads.add(load);
    }
  }

  private int place(int process, long base) {
    int slot = places.slot(Hashing.hash(process, base));
    int row = places.row(slot);
    while (row >= 0 && (bases.get(row) != base || processes.get(row) != process)) {
      slot = places.next(slot);
      row = places.row(slot);
    }
    if (row < 0) {
      row = columns.add();
      processes.set(row, process);
      bases.set(row, base);
      places.put(slot, row);
    }
    return row;
  }

  /**
   * Reads a merge's record with the PDB of an image.
   *
   * @return false if it does not tell which
   */
  boolean pdb(Payload payload) {
    int base = payload.find("ImageBase");
    // The id is after both: without it the record is cut.
    if (base < 0 || payload.find("Age") < 0) {
      return false;
    }
    identify((int) KernelPayload.number(payload, "ProcessId"), payload.integer(base));
    return true;
  }

  private void identify(int process, long base) {
    if (identifiedPlaces >= MOST) {
      leftOut++;
      return;
    }
    int place = place(process, base);
    if (!identified.get(place)) {
      identified.set(place);
      identifiedPlaces++;
    }
  }

  void merge(ImageCollector other) {
    int[] ours = new int[other.files.size()];
    Arrays.fill(ours, -1);
    for (int i = 0; i < other.loads.size(); i++) {
      if (leavesOut()) {
        continue;
      }
      int place = (int) (other.loads.get(i) >>> 32);
      int file = (int) other.loads.get(i);
      if (ours[file] < 0) {
        ours[file] = numberOf(other.files.get(file));
      }
      add(other.processes.get(place), other.bases.get(place), ours[file]);
    }
    for (int i = other.identified.nextSetBit(0); i >= 0; i = other.identified.nextSetBit(i + 1)) {
      identify(other.processes.get(i), other.bases.get(i));
    }
    leftOut += other.leftOut;
  }

  /** Counts, paths of one file in several notations as one. */
  void settle(Volumes volumes) {
    Map<File, Integer> plain = new HashMap<>();
    int[] numberOf = new int[files.size()];
    for (int i = 0; i < numberOf.length; i++) {
      File file = files.get(i);
      String path = lower(volumes.path(file.path));
      Integer next = plain.size();
      Integer number = plain.putIfAbsent(new File(path, file.size), next);
      numberOf[i] = number == null ? next : number;
    }
    BitSet withId = new BitSet();
    for (int i = 0; i < loads.size(); i++) {
      if (identified.get((int) (loads.get(i) >>> 32))) {
        withId.set(numberOf[(int) loads.get(i)]);
      }
    }
    images = plain.size();
    imagesWithPdbId = withId.cardinality();
  }

  private static String lower(String path) {
    return path.toLowerCase(Locale.ROOT);
  }

  int images() {
    return images;
  }

  int imagesWithPdbId() {
    return imagesWithPdbId;
  }

  long leftOut() {
    return leftOut;
  }
}
