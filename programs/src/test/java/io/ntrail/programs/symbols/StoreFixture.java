package io.ntrail.programs.symbols;

import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.identity.PdbId;
import io.ntrail.testkit.pdb.PdbSamples;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

/**
 * A real PDB with the key that an independent reader of files.tsv found for it, and ways to lay it
 * into folders.
 *
 * @param sample see {@link PdbSamples}
 * @param name of the file
 * @param key GUID and age of DBI as stores spell them
 */
public record StoreFixture(String sample, String name, String key, PdbRequest sought) {
  /** The PDB of a small program, age 1. */
  public static StoreFixture crash() {
    return of("sentry/crash.pdb");
  }

  /** The PDB that its owner's tools have edited: info age 3, DBI age 2. */
  public static StoreFixture user32() {
    return of("win7/user32.pdb");
  }

  public static StoreFixture of(String sample) {
    Map<String, String> row =
        PdbSamples.files().stream()
            .filter(
                each -> each.getOrDefault("file", "").replaceAll("\\.(gz|xz)$", "").equals(sample))
            .findFirst()
            .orElseThrow();
    String name = sample.substring(sample.indexOf('/') + 1);
    long age = Long.parseLong(row.getOrDefault("dbiage", ""));
    String guid = row.getOrDefault("guid", "");
    String key = guid.replace("-", "") + Long.toHexString(age);
    PdbId id = new PdbId(Guid.parse(guid), age);
    return new StoreFixture(
        sample, name, key, new PdbRequest(new StoreKey(name, key), id, List.of("exe")));
  }

  public byte[] bytes() {
    return PdbSamples.bytes(sample);
  }

  /** {@code name/KEY/name}. */
  public String place() {
    return name + "/" + key + "/" + name;
  }

  /** {@code name/KEY/} and the name of the compressed file. */
  public String packedPlace() {
    return name + "/" + key + "/" + name.replaceAll(".$", "_");
  }

  /** Compressed in a way that ntrail unpacks by what it finds, not by the name. */
  public byte[] packed() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(bytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }

  /** Puts bytes somewhere, with the folders above. */
  public static Path put(Path folder, String place, byte[] bytes) throws IOException {
    Path file = folder.resolve(place);
    Files.createDirectories(file.getParent());
    return Files.write(file, bytes);
  }

  /** All files below a folder, as paths from there, sorted. */
  public static List<String> files(Path folder) throws IOException {
    try (Stream<Path> walk = Files.walk(folder)) {
      return walk.filter(Files::isRegularFile)
          .map(file -> folder.relativize(file).toString())
          .sorted()
          .toList();
    }
  }
}
