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
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.described.RawRecord;
import io.ntrail.testkit.etl.EtlRecord;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.KernelPayloads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ntrail merge}: what is in the files is in the new one, and nothing else. */
class MergeTest {
  private static final Path SAMPLES = TestData.projectRoot().resolve("samples");

  @TempDir private Path folder;

  private static Path etl(String name) {
    return TestData.file("etl/" + name + ".etl.gz");
  }

  private static List<Path> shared() throws IOException {
    try (Stream<Path> files = Files.list(TestData.file("etl"))) {
      return files.filter(file -> file.toString().endsWith(".etl.gz")).sorted().toList();
    }
  }

  /** Returns the events as JSON lines, but for header records, which say how a file is made. */
  private static String events(Object... files) {
    Object[] words = new Object[files.length + 3];
    words[0] = "events";
    System.arraycopy(files, 0, words, 1, files.length);
    words[files.length + 1] = "--format";
    words[files.length + 2] = "jsonl";
    Result result = Cli.run(words);
    return result
        .out()
        .lines()
        .filter(line -> !line.contains("\"event\":\"EventTrace/Header\""))
        .collect(Collectors.joining("\n"));
  }

  private Path merged(Object... words) {
    Path file = folder.resolve("merged" + words.length + ".etl");
    Object[] all = Arrays.copyOf(words, words.length + 3);
    System.arraycopy(words, 0, all, 1, words.length);
    all[0] = "merge";
    all[words.length + 1] = "-o";
    all[words.length + 2] = file;
    Result result = Cli.run(all);
    assertEquals(0, result.exit(), result.err());
    return file;
  }

  private Path losing(String name, long events) throws IOException {
    EtlSettings settings = EtlSettings.windows11().lost(events, 0);
    return Files.write(folder.resolve(name), new EtlWriter(settings).toByteArray());
  }

  @Test
  void moreLostEventsThanAHeaderCountsAreTold() throws IOException {
    Path most = losing("most.etl", 0xFFFF_FFFFL);
    Path one = losing("one.etl", 1);
    Path to = folder.resolve("sum.etl");
    assertEquals("", Cli.run("merge", most, "-o", to).err());
    String warning = "counts no more than 4,294,967,295 lost events or buffers, of 4,294,967,296\n";
    String told = Cli.run("merge", most, one, "-o", folder.resolve("sums.etl")).err();
    assertTrue(told.endsWith(warning), told);
  }

  @Test
  void eachSharedRecordingHasTheSameEventsAfterwards() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    for (Path file : Slice.of(shared(), 8)) {
      assertEquals(events(file), events(merged(file)), file.toString());
    }
  }

  /** Counts the event and class records of a file, wherever they are in it. */
  private static Map<RawRecord, Integer> counted(byte[] file) {
    Map<RawRecord, Integer> counts = new HashMap<>();
    RawRecord.walk(
        file,
        one -> {
          // Gaps that the new file tells.
          if (!one.provider().equals("e147b84d-c85f-54a5-6295-fa68dbe10dc5")) {
            counts.merge(
                new RawRecord(
                    one.classic(),
                    0,
                    0,
                    one.provider(),
                    one.id(),
                    one.version(),
                    one.opcode(),
                    one.flags(),
                    one.pid(),
                    one.tid(),
                    one.time(),
                    one.pointer(),
                    one.traits(),
                    one.schema(),
                    one.payload()),
                1,
                Integer::sum);
          }
        });
    return counts;
  }

  @Test
  void aSecondReaderFindsTheSameRecordsInTheNewFile() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    for (String name :
        List.of("tx-CrossMachineHTTP", "perfview-gcevents", "etwanalyzer-TraceLoggingTester")) {
      Map<RawRecord, Integer> before = counted(TestData.gunzip("etl/" + name + ".etl.gz"));
      assertFalse(before.isEmpty());
      for (String compression : List.of("none", "xpress")) {
        Path file = merged(etl(name), "--compress", compression);
        assertEquals(before, counted(Files.readAllBytes(file)), name + " " + compression);
      }
    }
  }

  @Test
  void compressionChangesTheBytesAndNothingElse() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    for (String name : List.of("tx-CrossMachineHTTP", "perfview-gcevents")) {
      Path plain = merged(etl(name), "--compress", "none");
      Path packed = merged(etl(name), "--compress", "xpress", "-q");
      assertTrue(Files.size(packed) < Files.size(plain) / 2, name);
      assertEquals(events(etl(name)), events(plain), name);
      assertEquals(events(etl(name)), events(packed), name);
    }
  }

  @Test
  void filesOfOneBootAreOneRecordingInTheSameOrder() {
    assumeTrue(TestData.available(), TestData.MISSING);
    Object[] parts = {
      etl("diaghub.kernel.1"), etl("diaghub.user_paged.1"), etl("diaghub.user_injected.1"),
    };
    Path one = merged(parts);
    // UTC is that of the first file's session, whose start another one notes some us apart.
    assertEquals(withoutUtc(events(parts)), withoutUtc(events(one)));
  }

  @Test
  void mergingAgainChangesNothing() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Path once = merged(etl("diaghub.kernel.1"), etl("diaghub.user_paged.1"));
    Path again = merged(once);
    assertArrayEquals(Files.readAllBytes(once), Files.readAllBytes(again));
  }

  @Test
  void volumesAndBuildThatOneInputKnowsAreKnownOfAll() {
    assumeTrue(TestData.available(), TestData.MISSING);
    Path kernel = etl("diaghub.kernel.1");
    // The merge of Visual Studio put what it added into a file of its own.
    Path one = merged(kernel, etl("diaghub"));
    String driver = "System32\\\\drivers\\\\IndirectKmd.sys";
    Object[] images = {"events", kernel, "-e", "Image/DCStart", "--format", "jsonl", "-n", "0"};
    assertTrue(Cli.run(images).out().contains("\\\\SystemRoot\\\\" + driver));
    images[1] = one;
    assertTrue(Cli.run(images).out().contains("C:\\\\WINDOWS\\\\" + driver));
    assertTrue(
        Cli.run("info", one, "--format", "json")
            .out()
            .contains("\"buildLab\":\"19041.1.amd64fre.vb_release.191206-1406\""));
  }

  @Test
  void headersOfFurtherFilesAreAllThatIsLeft() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Path out = folder.resolve("out.etl");
    Result merge =
        Cli.run(
            "merge",
            etl("diaghub.user_paged.1"),
            etl("diaghub.user_injected.1"),
            "-o",
            out,
            "--format",
            "json");
    assertEquals(List.of(), JsonSchema.named("write").strictFindings(merge.json()), merge.out());
    JsonReader left = merge.json().get("left");
    assertEquals(1, left.get("records").number());
    assertEquals(1, left.get("byReason").get("headersOfFurtherFiles").number());
    // 22,035 and 4 records as a second reader counts them, and one header.
    assertEquals(22_035 + 4 - 2, merge.json().get("output").get("records").number());
  }

  @Test
  void eachSharedRecordingStaysTheSameWhenItIsMergedAgain() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Path manifest = TestData.file("etl/manifests/HTTP_Server.man.gz");
    for (Path file : Slice.of(shared(), 12)) {
      for (String compression : List.of("none", "xpress")) {
        Path once = folder.resolve("once.etl");
        Path again = folder.resolve("again.etl");
        merge(file, once, compression, manifest);
        merge(once, again, compression, manifest);
        assertEquals(-1, Files.mismatch(once, again), file + " " + compression);
        Files.delete(once);
        Files.delete(again);
      }
    }
  }

  private static void merge(Path from, Path to, String compression, Path manifest) {
    Result result =
        Cli.run(
            "merge",
            from,
            "-o",
            to,
            "--compress",
            compression,
            "--manifest",
            manifest,
            "--image-path",
            SAMPLES);
    assertTrue(result.exit() == 0 || result.exit() == 3, result.err());
  }

  @Test
  void filesOfDifferentMachinesAreRefusedWithWhatDiffers() {
    assumeTrue(TestData.available(), TestData.MISSING);
    Path out = folder.resolve("none.etl");
    Result result = Cli.run("merge", etl("tx-HTTP_Server"), etl("perfview-gcevents"), "-o", out);
    assertEquals(2, result.exit(), result.err());
    assertFalse(Files.exists(out));
  }

  @Test
  void damageOfAnInputIsToldByTheNewFile() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] bytes = TestData.gunzip("etl/tx-CrossMachineHTTP.etl.gz");
    Path cut = Files.write(folder.resolve("cut.etl"), Arrays.copyOf(bytes, bytes.length - 5000));
    // A record in the middle gets a size that cannot be.
    byte[] broken = bytes.clone();
    Arrays.fill(broken, 100_000, 100_400, (byte) 0x5A);
    Path bad = Files.write(folder.resolve("bad.etl"), broken);
    for (Path damaged : List.of(cut, bad)) {
      Path out = folder.resolve("out.etl");
      Result merge = Cli.run("merge", damaged, "-o", out, "--format", "json");
      assertEquals(3, merge.exit(), merge.err());
      assertEquals(List.of(), JsonSchema.named("write").strictFindings(merge.json()), merge.out());
      JsonReader before = Cli.run("info", damaged, "--format", "json").json().get("gaps");
      JsonReader after = Cli.run("info", out, "--format", "json").json().get("gaps");
      assertTrue(!before.array().isEmpty());
      assertEquals(before.toString(), after.toString());
      assertEquals(3, Cli.run("info", out).exit());
      assertEquals(events(damaged), withoutGaps(events(out)));
      Path again = folder.resolve("again.etl");
      assertEquals(3, Cli.run("merge", out, "-o", again).exit());
      assertArrayEquals(Files.readAllBytes(out), Files.readAllBytes(again));
    }
  }

  private static String withoutUtc(String events) {
    return events.replaceAll("\"utc\":\"[^\"]*\"", "");
  }

  private static String withoutGaps(String events) {
    return events
        .lines()
        .filter(line -> !line.contains("\"provider\":\"ntrail\""))
        .collect(Collectors.joining("\n"));
  }

  @Test
  void anInputIsNeverTheOutput() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Path file = Files.write(folder.resolve("a.etl"), TestData.gunzip("etl/tx-HTTP_Server.etl.gz"));
    Result result = Cli.run("merge", file, "-o", file);
    assertEquals(2, result.exit(), result.err());
    assertArrayEquals(
        TestData.gunzip("etl/tx-HTTP_Server.etl.gz"), Files.readAllBytes(file), result.err());
  }

  /**
   * A recording in which an image of the samples is loaded twice, and another one that is nowhere.
   */
  private Path withImages() throws IOException {
    byte[] dll = Files.readAllBytes(SAMPLES.resolve("shopcore.dll"));
    int pe = (int) LittleEndian.getU32(dll, 0x3C);
    int stamp = (int) LittleEndian.getU32(dll, pe + 8);
    int size = (int) LittleEndian.getU32(dll, pe + 0x50);
    EtlSettings settings = EtlSettings.windows11();
    EtlWriter writer = new EtlWriter(settings);
    long base = 0x7FF8_0000_0000L;
    for (int pid = 40; pid < 42; pid++) {
      writer.log(0, image(settings, pid, base, size, stamp, "C:\\shop\\shopcore.dll"));
    }
    writer.log(0, image(settings, 40, base + (1 << 24), 4096, 77, "C:\\shop\\gone.dll"));
    Path file = folder.resolve("images.etl");
    writer.flush().writeTo(file);
    return file;
  }

  private static EtlRecord image(
      EtlSettings settings, int pid, long base, long size, int stamp, String path) {
    return EtlRecords.system(8, 0x030A)
        .version(3)
        .time(settings.startTicks() + pid)
        .thread(pid, 8)
        .payload(KernelPayloads.image(base, size, pid, 0, stamp, path))
        .build();
  }

  @Test
  void imagesAtHandGiveTheIdsOfTheirPdbs() throws IOException {
    Path images = withImages();
    Path out = folder.resolve("out.etl");
    Result merge = Cli.run("merge", images, "-o", out, "--image-path", SAMPLES, "--format", "json");
    assertEquals(0, merge.exit(), merge.err());
    assertEquals(List.of(), JsonSchema.named("write").strictFindings(merge.json()), merge.out());
    assertEquals(1, merge.json().get("added").get("images").number());
    assertEquals(
        List.of("gone.dll", "drive letters", "system paths", "build of Windows"),
        merge.json().get("missing").array().stream().map(one -> one.get("name").text()).toList());
    // As the image's own description has it, which other tools read too.
    String id = Cli.run("image", SAMPLES.resolve("shopcore.dll")).out();
    String added = Cli.run("events", out, "-e", "ImageID/DbgID_RSDS", "--format", "jsonl").out();
    List<JsonReader> records = added.lines().map(JsonReader::parse).toList();
    assertEquals(2, records.size(), added);
    assertEquals("shopcore.pdb", records.getFirst().get("fields").get("PDBFileName").text());
    String guid = records.getFirst().get("fields").get("GuidSig").text();
    assertTrue(
        id.toLowerCase(Locale.ROOT).replace("-", "").contains(guid.replace("-", "")), id + guid);
    assertEquals(List.of(40L, 41L), records.stream().map(one -> one.get("pid").number()).toList());
    // What is known is not looked for again.
    Path again = folder.resolve("again.etl");
    Cli.run("merge", out, "-o", again, "--image-path", SAMPLES);
    assertArrayEquals(Files.readAllBytes(out), Files.readAllBytes(again));
  }

  @Test
  void recordMergeIsAnotherNameOfTheCommand() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Path one = folder.resolve("one.etl");
    Path other = folder.resolve("other.etl");
    Result merge = Cli.run("merge", etl("tx-HTTP_Server"), "-o", one);
    Result record = Cli.run("record", "merge", etl("tx-HTTP_Server"), "-o", other);
    assertEquals(0, record.exit(), record.err());
    assertEquals(-1, Files.mismatch(one, other));
    assertEquals(merge.out().replace(one.toString(), other.toString()), record.out());
    assertEquals(Cli.run("merge", "-h").out(), Cli.run("record", "merge", "-h").out());
    assertEquals(Cli.run("help", "merge").out(), Cli.run("help", "record", "merge").out());
    assertTrue(Cli.run("record", "merge", "--wrong").err().contains("for merge"));
  }
}
