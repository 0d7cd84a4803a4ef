package io.ntrail.analysis.naming;

import io.ntrail.formats.identity.ImageId;
import io.ntrail.formats.identity.PdbId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Builds of the images of a recording, by the names of their files. */
public final class ModuleBuilds {
  /**
   * A build.
   *
   * @param id its time stamp is 0 if not recorded
   * @param pdb which PDB belongs to it, if that was recorded
   */
  public record Build(ImageId id, Optional<PdbId> pdb) {
    /** Returns true unless what is known of both differs. */
    boolean mayBe(Build other) {
      if (pdb.isPresent() && other.pdb.isPresent()) {
        return pdb.equals(other.pdb);
      }
      boolean isDated = id.timestamp() != 0 && other.id.timestamp() != 0;
      return id.size() == other.id.size() && (!isDated || id.timestamp() == other.id.timestamp());
    }
  }

  /**
   * A name that means different builds in two recordings.
   *
   * @param module as the first one spells it; of several spellings the first in order
   * @param before those of the first recording, in order of size, time stamp and PDB
   * @param after those of the second one, in the same order
   */
  public record Difference(String module, List<Build> before, List<Build> after) {}

  /** Images come in no order, as several threads find them: what is told of them has one. */
  private static final Comparator<Build> ORDER =
      Comparator.comparingLong((Build build) -> build.id.size())
          .thenComparingLong(build -> build.id.timestamp())
          .thenComparing(build -> build.pdb.map(PdbId::toString).orElse(""));

  private record Module(SortedSet<String> names, List<Build> builds) {
    List<Build> inOrder() {
      return builds.stream().sorted(ORDER).toList();
    }
  }

  private final SortedMap<String, Module> modules = new TreeMap<>();

  /** Knows no image. */
  public ModuleBuilds() {}

  /** Returns the builds of all images of a recording of events. */
  public static ModuleBuilds of(Images images) {
    ModuleBuilds builds = new ModuleBuilds();
    for (int file = 0; file < images.files().size(); file++) {
      ImageFile image = images.files().get(file);
      builds.add(image.name(), new Build(image.id(), images.pdb(file).map(PdbReference::id)));
    }
    return builds;
  }

  /** Adds an image. */
  public void add(String name, Build build) {
    Module module =
        modules.computeIfAbsent(key(name), _ -> new Module(new TreeSet<>(), new ArrayList<>()));
    module.names.add(name);
    if (!module.builds.contains(build)) {
      module.builds.add(build);
    }
  }

  /** Returns a name as it is compared. */
  public static String key(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the names of both recordings of which one recording has a build that the other one does
   * not have, by {@link #key}.
   */
  public Map<String, Difference> differences(ModuleBuilds after) {
    Map<String, Difference> differences = new LinkedHashMap<>();
    modules.forEach((key, module) -> {
      Module other = after.modules.get(key);
      if (other != null && !(covers(module, other) && covers(other, module))) {
        differences.put(
            key, new Difference(module.names.first(), module.inOrder(), other.inOrder()));
      }
    });
    return differences;
  }

  private static boolean covers(Module a, Module b) {
    return b.builds.stream().allMatch(build -> a.builds.stream().anyMatch(build::mayBe));
  }
}
