package io.ntrail.cli.merge;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.Cli.Result;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.ClassGuids;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.KernelPayloads;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ntrail merge --pack}: a zip of a recording and its PDBs. */
class MergePackTest {
  private static final String NAME = "perfview-net45-x86-win7";
  private static final String CORE =
      "mscorlib.ni.pdb/51E2934144BA15628BA5A31BE2DAE7DC1/mscorlib.ni.pdb";
  private static final String SYSTEM =
      "System.ni.pdb/E40DA7A49F8C3F0108E7C835B342F3821/System.ni.pdb";
  private static final Path SAMPLES = TestData.projectRoot().resolve("samples");

  @TempDir private Path folder;

  private static byte[] pdb(String name) throws IOException {
    return TestData.gunzip("etl/" + NAME + "." + name + ".pdb.gz");
  }

  /** A recording with one PDB in the folder beside it, and one in a folder of the caller. */
  private Path recording() throws IOException {
    Path etl = folder.resolve("in/a.etl");
    Files.createDirectories(etl.getParent());
    Files.write(etl, TestData.gunzip("etl/" + NAME + ".etl.gz"));
    Path beside = folder.resolve("in/a.etl.NGENPDB").resolve(CORE);
    Files.createDirectories(beside.getParent());
    Files.write(beside, pdb("mscorlib.ni"));
    Files.createDirectories(folder.resolve("pdbs"));
    Files.write(folder.resolve("pdbs/System.ni.pdb"), pdb("System.ni"));
    return etl;
  }

  private static List<String> entries(Path zip) throws IOException {
    try (ZipFile file = new ZipFile(zip.toFile())) {
      return file.stream().map(ZipEntry::getName).toList();
    }
  }

  private static byte[] bytes(Path zip, String entry) throws IOException {
    try (ZipFile file = new ZipFile(zip.toFile());
        InputStream in = file.getInputStream(file.getEntry(entry))) {
      return in.readAllBytes();
    }
  }

  private Path packed(Path etl) throws IOException {
    Path zip = folder.resolve("out/all.etl.zip");
    Files.createDirectories(zip.getParent());
    Result merge = Cli.run("merge", etl, "--pack", "-y", folder.resolve("pdbs"), "-o", zip);
    assertEquals(0, merge.exit(), merge.err());
    return zip;
  }

  @Test
  void theZipHasTheRecordingAndThePdbsAtHand() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Path etl = recording();
    Path zip = packed(etl);
    String store = "all.etl.NGENPDB/";
    assertEquals(List.of("all.etl", store + CORE, store + SYSTEM), entries(zip));
    assertArrayEquals(pdb("mscorlib.ni"), bytes(zip, store + CORE));
    assertArrayEquals(pdb("System.ni"), bytes(zip, store + SYSTEM));
    Path plain = folder.resolve("plain.etl");
    Cli.run("merge", etl, "-o", plain);
    assertArrayEquals(Files.readAllBytes(plain), bytes(zip, "all.etl"));
    try (Stream<Path> files = Files.list(zip.getParent())) {
      assertEquals(List.of(zip), files.toList());
    }
  }

  @Test
  void commandsFindThePdbsInTheZip() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Path zip = packed(recording());
    List<JsonReader> found =
        Cli.run("symbols", zip, "--format", "json").json().get("modules").array().stream()
            .filter(image -> image.get("state").text().equals("found"))
            .toList();
    assertEquals(
        List.of(zip + "!/all.etl.NGENPDB/" + CORE, zip + "!/all.etl.NGENPDB/" + SYSTEM),
        found.stream().map(image -> image.get("path").text()).toList());
  }

  @Test
  void theReportCountsThePdbsAndListsWhatIsMissing() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Path etl = recording();
    // The build of another one.
    Files.write(folder.resolve("pdbs/System.ni.pdb"), pdb("System.Xml.ni"));
    Path zip = folder.resolve("all.etl.zip");
    Result merge =
        Cli.run(
            "merge", etl, "--pack", "-y", folder.resolve("pdbs"), "-o", zip, "--format", "json");
    assertEquals(List.of(), JsonSchema.named("write").strictFindings(merge.json()), merge.out());
    assertEquals(1, merge.json().get("added").get("pdbs").number());
    assertEquals(Files.size(zip), merge.json().get("output").get("bytes").number());
    List<String> missing =
        merge.json().get("missing").array().stream()
            .map(one ->
                one.get("what").text()
                    + " "
                    + one.get("name").text()
                    + ", "
                    + one.get("why").text())
            .toList();
    assertTrue(missing.contains("PDB System.ni.pdb, only another build found"), merge.out());
    assertTrue(missing.contains("PDB System.Xml.ni.pdb, not found"), merge.out());
    assertTrue(missing.contains("image dump_atapi.sys, no PDB id recorded"), merge.out());
    assertTrue(missing.stream().noneMatch(one -> one.contains("mscorlib.ni.pdb")), merge.out());
  }

  @Test
  void packingTheZipAgainGivesTheSameZip() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Path zip = packed(recording());
    Path again = folder.resolve("all.etl.zip");
    Result merge = Cli.run("merge", zip, "--pack", "-o", again);
    assertEquals(0, merge.exit(), merge.err());
    assertEquals(-1, Files.mismatch(zip, again));
  }

  @Test
  void pdbsOfAZipOfPerfViewArePackedByTheirKeys() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    // As it writes them: those out of a symbol store with their keys, others by their names.
    Path theirs = folder.resolve("theirs.etl.zip");
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(theirs))) {
      put(zip, "theirs.etl", TestData.gunzip("etl/" + NAME + ".etl.gz"));
      put(zip, "symbols/" + CORE.replace('/', '\\'), pdb("mscorlib.ni"));
      put(zip, "symbols/System.ni.pdb", pdb("System.ni"));
    }
    Path zip = folder.resolve("all.etl.zip");
    Result merge = Cli.run("merge", theirs, "--pack", "-o", zip);
    assertEquals(0, merge.exit(), merge.err());
    String store = "all.etl.NGENPDB/";
    assertEquals(List.of("all.etl", store + CORE, store + SYSTEM), entries(zip));
    assertArrayEquals(pdb("mscorlib.ni"), bytes(zip, store + CORE));
    assertArrayEquals(pdb("System.ni"), bytes(zip, store + SYSTEM));
  }

  private static void put(ZipOutputStream zip, String name, byte[] content) throws IOException {
    zip.putNextEntry(new ZipEntry(name));
    zip.write(content);
    zip.closeEntry();
  }

  /**
   * A native image of .NET is on a machine as often as it has architectures. These have other sizes
   * than the images of the PDBs, which name nothing here then; they are theirs by GUID and age.
   */
  @Test
  void twoBuildsOfOneNameArePackedBesideEachOther() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    List<String> ids =
        List.of("51e29341-44ba-1562-8ba5-a31be2dae7dc", "e40da7a4-9f8c-3f01-08e7-c835b342f382");
    List<String> builds = List.of("mscorlib.ni", "System.ni");
    List<String> places = List.of(CORE, SYSTEM.replace("System.ni.pdb", "mscorlib.ni.pdb"));
    List<Path> inputs = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Path etl = folder.resolve("part" + i + ".etl");
      EtlSettings settings = EtlSettings.windows11();
      EtlWriter writer = new EtlWriter(settings);
      log(writer, settings, (0x7FF8L + i) << 32, UUID.fromString(ids.get(i)), "mscorlib.ni.pdb");
      writer.flush().writeTo(etl);
      inputs.add(etl);
      // Each file brings its own, as Windows Performance Recorder leaves them.
      Path pdb = folder.resolve("part" + i + ".etl.NGENPDB").resolve(places.get(i));
      Files.createDirectories(pdb.getParent());
      Files.write(pdb, pdb(builds.get(i)));
    }
    Path zip = folder.resolve("all.etl.zip");
    Result merge = Cli.run("merge", inputs.get(0), inputs.get(1), "--pack", "-o", zip);
    assertEquals(0, merge.exit(), merge.err());
    assertEquals(
        Set.of("all.etl", "all.etl.NGENPDB/" + places.get(0), "all.etl.NGENPDB/" + places.get(1)),
        Set.copyOf(entries(zip)),
        merge.out());
    for (int i = 0; i < 2; i++) {
      assertArrayEquals(pdb(builds.get(i)), bytes(zip, "all.etl.NGENPDB/" + places.get(i)));
    }
  }

  /** Writes the load of an image, and its PDB. */
  private static void log(EtlWriter writer, EtlSettings settings, long base, UUID id, String pdb) {
    writer.log(
        0,
        EtlRecords.system(8, 0x030A)
            .version(3)
            .time(settings.startTicks() + 1)
            .thread(40, 8)
            .payload(
                KernelPayloads.image(base, 4096, 40, 0, (int) (base >> 16), "C:\\" + base + ".dll"))
            .build());
    writer.log(
        0,
        EtlRecords.full(8, ClassGuids.IMAGE_ID)
            .opcode(36)
            .version(2)
            .time(settings.startTicks() + 1)
            .thread(40, 8)
            .payload(KernelPayloads.rsds(base, 40, id, 1, pdb))
            .build());
  }

  @Test
  void namesOfPdbsLeadToNoOtherFolder() throws IOException {
    UUID id =
        UUID.fromString(
            Cli.run("symbols", SAMPLES.resolve("shopd.pdb"), "--format", "json")
                .json()
                .get("pdb")
                .get("guid")
                .text());
    EtlSettings settings = EtlSettings.windows11();
    EtlWriter writer = new EtlWriter(settings);
    long base = 0x7FF8_0000_0000L;
    for (String name : List.of("..\\..\\shopd.pdb", "..", "/etc/passwd/", "C:\\x\\con.pdb")) {
      base += 1 << 24;
      log(writer, settings, base, id, name);
    }
    Path etl = folder.resolve("a.etl");
    writer.flush().writeTo(etl);
    Path zip = folder.resolve("b.etl.zip");
    Result merge = Cli.run("merge", etl, "--pack", "-y", SAMPLES, "-o", zip);
    assertEquals(0, merge.exit(), merge.err());
    List<String> entries = entries(zip);
    assertEquals(2, entries.size(), entries.toString());
    assertTrue(
        entries.getLast().matches("b\\.etl\\.NGENPDB/shopd\\.pdb/[0-9A-F]+/shopd\\.pdb"),
        entries.toString());
  }

  @Test
  void whatCannotBeAZipIsRefusedBeforeAnythingIsRead() {
    Path none = folder.resolve("none.etl");
    for (String name : List.of("all.etl", "all.zip", ".etl.zip")) {
      Result merge = Cli.run("merge", none, "--pack", "-o", folder.resolve(name));
      assertEquals(2, merge.exit());
      assertTrue(merge.err().contains("NAME.etl.zip"), merge.err());
      assertFalse(Files.exists(folder.resolve(name)));
    }
    Result path = Cli.run("merge", none, "-y", folder, "-o", folder.resolve("all.etl"));
    assertEquals(2, path.exit());
    assertTrue(path.err().contains("-y applies to --pack"), path.err());
  }
}
