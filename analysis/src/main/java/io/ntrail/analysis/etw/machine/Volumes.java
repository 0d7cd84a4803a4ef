package io.ntrail.analysis.etw.machine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Drive letters for paths of the kernel ({@code \Device\HarddiskVolume3\...}), from the
 * VolumeMapping records that a merge adds. Without them paths stay as they are; a letter is never
 * invented.
 *
 * <p>Some systems record loaded images without their volume: {@code \Windows\System32\x.dll}. Such
 * a path in the folder that the recording calls {@code \SystemRoot\} is on that folder's drive;
 * others of them stay as they are.
 */
public final class Volumes {
  private static final String SYSTEM_ROOT = "\\SystemRoot\\";

  /** Volumes that are kept apart: every path is held against all of them. */
  private static final int MOST = 128;

  private record Mapping(String kernel, String drive) {}

  private final Map<String, String> told = new TreeMap<>();
  private List<Mapping> mappings = List.of();

  Volumes() {}

  /**
   * Returns the volumes of a machine.
   *
   * @param drives by paths of the kernel, each with {@code \\} at its end
   */
  public static Volumes of(Map<String, String> drives) {
    Volumes volumes = new Volumes();
    drives.forEach(volumes::note);
    volumes.settle();
    return volumes;
  }

  void note(String kernel, String drive) {
    if (!kernel.isEmpty() && (told.size() < MOST || told.containsKey(kernel))) {
      told.merge(kernel, drive, (a, b) -> a.compareTo(b) <= 0 ? a : b);
    }
  }

  void addAll(Volumes other) {
    other.told.forEach(this::note);
  }

  void settle() {
    List<Mapping> all = new ArrayList<>();
    told.forEach((kernel, drive) -> all.add(new Mapping(kernel, drive)));
    String system = told.get(SYSTEM_ROOT);
    if (system != null && system.matches("[A-Za-z]:\\\\.+\\\\")) {
      String withoutDrive = system.substring(2);
      if (!told.containsKey(withoutDrive)) {
        all.add(new Mapping(withoutDrive, system));
      }
    }
    all.sort((a, b) -> Integer.compare(b.kernel.length(), a.kernel.length()));
    mappings = List.copyOf(all);
  }

  /** Returns true if the recording maps any volume. */
  public boolean known() {
    return !mappings.isEmpty();
  }

  /** A path as people write it, by its longest mapped prefix; others as they are. */
  public String path(String kernelPath) {
    if (kernelPath.isEmpty() || kernelPath.charAt(0) != '\\') {
      return kernelPath;
    }
    for (Mapping mapping : mappings) {
      if (isBelow(kernelPath, mapping.kernel)) {
        return mapping.drive + kernelPath.substring(mapping.kernel.length());
      }
    }
    return kernelPath;
  }

  /**
   * Returns true if a path is that of a volume or lies on it: volume 12 does not lie on volume 1.
   */
  private static boolean isBelow(String path, String volume) {
    int length = volume.length();
    return path.regionMatches(true, 0, volume, 0, length)
        && (path.length() == length
            || volume.charAt(length - 1) == '\\'
            || path.charAt(length) == '\\');
  }
}
