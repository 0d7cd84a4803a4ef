package io.ntrail.testkit.pe;

import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** The shared PE images by group and name. */
public final class PeSamples {
  /** The groups that tools printed something about. */
  public static final List<String> PRINTED = List.of("windows", "eh", "flags", "toolchains");

  /**
   * All groups: {@code hostile} are malformed images, {@code corkami} the hand-made extremes of
   * that archive, {@code win10} drivers that lie beside their symbols.
   */
  public static final List<String> GROUPS =
      List.of("windows", "eh", "flags", "toolchains", "hostile", "corkami", "win10");

  private PeSamples() {}

  /** The images of one group in the order of their names. */
  public static List<PeSample> group(String group) {
    try {
      return switch (group) {
        case "corkami" -> archive(group, TestData.file("pe/hostile/corkami-pe.zip"));
        case "win10" ->
            folder(group, TestData.file("pdb/win10")).stream()
                .filter(sample -> sample.name().endsWith(".sys"))
                .toList();
        default -> folder(group, TestData.file("pe/" + group));
      };
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The images of all groups. */
  public static List<PeSample> all() {
    return GROUPS.stream().flatMap(group -> group(group).stream()).toList();
  }

  /**
   * One image.
   *
   * @throws IllegalArgumentException if the group has none of that name
   */
  public static PeSample of(String group, String name) {
    return group(group).stream()
        .filter(sample -> sample.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no image " + group + "/" + name));
  }

  private static List<PeSample> folder(String group, Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> new PeSample(group, unpackedName(file), file, ""))
          .filter(sample -> !sample.name().endsWith(".json") && !sample.name().endsWith(".zip"))
          .sorted(Comparator.comparing(PeSample::name))
          .toList();
    }
  }

  private static String unpackedName(Path file) {
    String name = file.getFileName().toString();
    return name.endsWith(".gz") ? name.substring(0, name.length() - 3) : name;
  }

  private static List<PeSample> archive(String group, Path file) throws IOException {
    List<PeSample> samples = new ArrayList<>();
    try (ZipFile zip = new ZipFile(file.toFile())) {
      for (ZipEntry entry : zip.stream().toList()) {
        if (!entry.isDirectory()) {
          samples.add(new PeSample(group, entry.getName(), file, entry.getName()));
        }
      }
    }
    samples.sort(Comparator.comparing(PeSample::name));
    return List.copyOf(samples);
  }
}
