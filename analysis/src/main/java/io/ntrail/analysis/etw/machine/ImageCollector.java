package io.ntrail.analysis.etw.machine;

import io.ntrail.formats.schema.Payload;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Collects which image files were loaded where, and the PDB ids that a merge recorded for them.
 *
 * <p>An image's time stamp does not identify files: some lists of images have it as 0.
 */
final class ImageCollector {
  /** Loads and places that are kept, about 200 bytes each. */
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

  private record Place(int process, long base) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Place place && place.process == process && place.base == base;
    }

    @Override
    public int hashCode() {
      return Long.hashCode(base * 31 + process);
    }
  }

  private record Load(Place place, File file) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Load load && load.place.equals(place) && load.file.equals(file);
    }

    @Override
    public int hashCode() {
      return place.hashCode() * 31 + file.hashCode();
    }
  }

  private final Map<File, File> files = new HashMap<>();
  private final Set<Load> loads = new HashSet<>();
  private final Set<Place> identified = new HashSet<>();
  private long leftOut;
  private int images;
  private int imagesWithPdbId;

  /** A record of the class Image: load, unload, or a list of what is loaded. */
  void image(Payload payload) {
    int name = payload.find("FileName");
    if (name < 0) {
      name = payload.find("ImageFileName");
    }
    int base = payload.find("ImageBase");
    if (base < 0) {
      base = payload.find("BaseAddress");
    }
    if (name < 0 || base < 0) {
      return;
    }
    int size = payload.find("ImageSize");
    if (size < 0) {
      size = payload.find("ModuleSize");
    }
    add(
        new Place((int) KernelPayload.number(payload, "ProcessId"), payload.integer(base)),
        new File(lower(payload.text(name)), size < 0 ? 0 : payload.integer(size)));
  }

  private void add(Place place, File file) {
    if (loads.size() < MOST) {
      File known = files.putIfAbsent(file, file);
      loads.add(new Load(place, known == null ? file : known));
    } else {
      leftOut++;
    }
  }

  /** Reads a merge's record with the PDB of an image. */
  void pdb(Payload payload) {
    int base = payload.find("ImageBase");
    // The id is after both: without it the record is cut.
    if (base < 0 || payload.find("Age") < 0) {
      return;
    }
    if (identified.size() < MOST) {
      identified.add(
          new Place((int) KernelPayload.number(payload, "ProcessId"), payload.integer(base)));
    } else {
      leftOut++;
    }
  }

  void merge(ImageCollector other) {
    other.loads.forEach(load -> add(load.place, load.file));
    identified.addAll(other.identified);
    leftOut += other.leftOut;
  }

  /** Counts, paths of one file in several notations as one. */
  void settle(Volumes volumes) {
    Set<File> all = new HashSet<>();
    Set<File> withId = new HashSet<>();
    Map<File, File> plain = new HashMap<>();
    for (File file : files.keySet()) {
      File known = new File(lower(volumes.path(file.path)), file.size);
      plain.put(file, known);
      all.add(known);
    }
    for (Load load : loads) {
      File known = plain.get(load.file);
      if (known != null && identified.contains(load.place)) {
        withId.add(known);
      }
    }
    images = all.size();
    imagesWithPdbId = withId.size();
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
