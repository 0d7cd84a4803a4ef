package io.ntrail.cli.calls;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.SampleCalls;
import io.ntrail.cli.harness.SampleImage;
import io.ntrail.formats.identity.FileTime;
import io.ntrail.formats.ntr.ClockCalibration;
import io.ntrail.formats.ntr.NtrHeader;
import io.ntrail.formats.ntr.NtrWriter;
import io.ntrail.formats.ntr.ThreadEventWriter;
import io.ntrail.formats.ntr.TracedProcess;
import io.ntrail.formats.ntr.TracedThread;
import io.ntrail.testkit.TestData;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls in every format. */
class CallsTest {
  @TempDir private Path folder;
  private Path file;

  @BeforeEach
  void write() throws IOException {
    file = folder.resolve("shop.jtrc");
    Files.write(file, SampleCalls.make());
  }

  private static Path real(String name) {
    assumeTrue(TestData.available(), TestData.MISSING);
    return TestData.file("ntrace/" + name);
  }

  private static void valid(JsonSchema schema, JsonReader json) {
    assertEquals(List.of(), schema.findings(json));
  }

  private String screen(Object... more) {
    Cli.Result result = Cli.run(Stream.concat(Stream.of("calls", file), Stream.of(more)).toArray());
    assertEquals(0, result.exit(), result.err());
    assertEquals("", result.err());
    return result.out().replace(folder + "/", "");
  }

  @Test
  void aTimeInWhichNoCallWasEnteredIsWarnedOf() {
    Path ntr = TestData.projectRoot().resolve("samples/shop.ntr");
    String where = " in this time range: the first record is at 0.003911 s";
    for (String words : List.of("", "--flat", "--slowest=3", "--format=csv", "--format=json")) {
      Stream<Object> more = Stream.of(words).filter(word -> !word.isEmpty()).map(word -> word);
      Object[] all = Stream.concat(Stream.of("calls", ntr, "--time", "99..100"), more).toArray();
      List<String> messages = Cli.run(all).messages();
      assertTrue(
          messages.contains("warning: no call was entered" + where), words + ": " + messages);
    }
    String none = "warning: no time of a recorded call" + where;
    assertTrue(Cli.run("profile", ntr, "--time", "99..100").messages().contains(none));
    assertTrue(
        Cli.run("export", ntr, "--to", "collapsed", "--time", "99..100").messages().contains(none));
    assertEquals("", Cli.run("calls", ntr, "--time", "0..1").err());
    assertEquals("", Cli.run("profile", ntr, "--time", "0..1").err());
  }

  @Test
  void aTimeOfTicksInWhichNoCallWasEnteredSaysWhereTheyBegin() {
    Path ticks = TestData.projectRoot().resolve("samples/shop.jtrc");
    List<String> messages = Cli.run("calls", ticks, "--time", "1..2").messages();
    assertEquals(1, messages.size(), messages::toString);
    assertTrue(
        messages
            .getFirst()
            .matches(
                "warning: no call was entered in this time range: the first record is at [\\d,]+"
                    + " ticks"),
        messages::toString);
  }

  @Test
  void theSampleIsTheFileThatComesWithTheProject() throws IOException {
    assertArrayEquals(
        Files.readAllBytes(TestData.projectRoot().resolve("samples/shop.jtrc")),
        SampleCalls.make());
  }

  @Test
  void callsAreTreesOfEachThread() {
    assertEquals(
        """
        shop.jtrc: all threads: 20 calls in 2 threads, complete, 2 repaired
        process 4312, thread 4316
          entry (ticks)  duration ticks  child calls    returned  routine
              1,000,000               -            0  entry lost  shopcore.dll!0x10b0
              1,005,000               -           16        open  shopcore.dll!0x1010
              1,006,000           4,200            2           0  ├─ shopcore.dll!0x1070
              1,006,100              50            0          10  │  ├─ shopcore.dll!0x1020
              1,006,170           4,000            0           1  │  └─ shopcore.dll!0x1040
              1,011,200             180            1           1  ├─ shopcore.dll!0x1070
              1,011,300              50            0          10  │  └─ shopcore.dll!0x1020
        13 calls not shown (-n 0 shows all)
        """,
        screen("-n", "7"));
    assertEquals(
        """
        shop.jtrc: thread 5020: 2 calls in 1 thread, complete, 0 repaired
        process 4312, thread 5020
          entry (ticks)  duration ticks  child calls  returned  routine
              1,020,000           1,205            1    UNWIND  shopcore.dll!0x1070\
          (c0000005 STATUS_ACCESS_VIOLATION)
              1,020,300             900            0    UNWIND  \\- shopcore.dll!0x1040\
          (c0000005 STATUS_ACCESS_VIOLATION)
        """,
        screen("-t", "5020", "--ascii"));
  }

  @Test
  void deeperCallsAreCountedOnly() {
    String text = screen("-p", "4312", "-t", "0x10dc", "--depth", "2");
    List<String> lines = text.lines().toList();
    assertEquals(3 + 9, lines.size() - 1, text);
    assertTrue(text.endsWith("9 calls not shown (deeper than 2; --depth 0 shows all)\n"), text);
    assertTrue(lines.get(lines.size() - 2).contains("└─ shopcore.dll!0x10b0"), text);
  }

  @Test
  void routinesAreAddedUp() {
    String text = screen("--flat", "-y", image());
    assertTrue(
        text.startsWith("shop.jtrc: all threads: 20 calls of 5 routines, 2 open at the end, "),
        text);
    assertTrue(
        text.contains(
            """
              19 entries = 14 exits + 2 unwinds + 1 abandoned + 2 open + 0 entry only;\
             1 end whose entry is lost
            """),
        text);
    assertTrue(
        text.contains(
            "\n      7       20,215       1,025       2,887      1,215      8,200      8,200      8,200        1"
                + "          0     0           0  shopcore.dll!StockMatch\n"),
        text);
    assertTrue(
        text.contains("  2          1     2           1  total\n~ calls may be missing"), text);
  }

  private String image() {
    try {
      Path image = folder.resolve("shopcore.dll");
      Files.write(image, SampleImage.make());
      return image.toString();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void theSlowestSayWhereTheirTimeWent() {
    assertEquals(
        """
        shop.jtrc: all threads: the slowest 2 calls, complete, 2 repaired
          8,200 ticks  at 1,020,760  thread 4316  shopcore.dll!0x1070
              2 child calls; 97.6 % of its time in shopcore.dll!0x1040 (1 call)
          8,000 ticks  at 1,020,930  thread 4316  shopcore.dll!0x1040
              0 child calls
          2 calls open at the end, not shown: how long they took is not known
        """,
        screen("--slowest", "2"));
  }

  @Test
  void routinesAreFoundByNameOfImagesThatAreTheOnesRecorded() throws IOException {
    String text = screen("--find", "shopcore!StockLo*", "-y", image());
    assertTrue(text.startsWith("shop.jtrc: all threads, shopcore!StockLo*: 4 calls in "), text);
    assertEquals(4, text.lines().filter(line -> line.contains("  shopcore.dll!StockLoad")).count());

    byte[] other = SampleImage.make();
    // Another build: its PDB has another age.
    int rsds = new String(other, java.nio.charset.StandardCharsets.ISO_8859_1).indexOf("RSDS");
    other[rsds + 20]++;
    Files.write(folder.resolve("shopcore.dll"), other);
    Cli.Result result = Cli.run("calls", file, "-y", folder.resolve("shopcore.dll"));
    assertEquals(0, result.exit());
    assertTrue(
        result.err().contains("does not match the recorded shopcore.dll: its PDB is "),
        result.err());
    assertTrue(result.out().contains("shopcore.dll!0x1040"), result.out());
  }

  @Test
  void onlyCallsEnteredInTime() {
    String text = screen("--time", "1006100..1011200");
    assertEquals(2, text.lines().filter(line -> line.contains("shopcore.dll!")).count(), text);
    assertTrue(text.contains(": all threads, ticks 1006100..1011200: 2 calls in "), text);
  }

  @Test
  void jsonIsAsItsSchemasSay() throws IOException {
    for (Path path : List.of(file, real("ntfs.jtrc"), real("simple.jtrc"))) {
      valid(JsonSchema.named("calls"), Cli.run("calls", path, "--format", "json").json());
      valid(
          JsonSchema.named("calls"),
          Cli.run("calls", path, "--slowest", "3", "--format", "json").json());
      valid(
          JsonSchema.named("calls-flat"),
          Cli.run("calls", path, "--flat", "--format", "json").json());
      valid(
          JsonSchema.named("info").definition("calls"),
          Cli.run("info", path, "--format", "json").json());
      valid(
          JsonSchema.named("info").definition("callsFile"),
          Cli.run("info", path, "--format", "jsonl").json());
      valid(
          JsonSchema.named("profile").definition("calls"),
          Cli.run("profile", path, "--format", "json").json());
      valid(
          JsonSchema.named("profile").definition("callsTree"),
          Cli.run("profile", path, "--tree", "--format", "json").json());
      JsonSchema call = JsonSchema.named("calls").definition("call");
      Cli.run("calls", path, "--format", "jsonl", "-n", "500")
          .lines()
          .forEach(line -> valid(call, JsonReader.parse(line)));
    }
  }

  @Test
  void theRecordingOfNtfsIsAnsweredAsExpected() throws IOException {
    Path path = real("ntfs.jtrc");
    List<String> lines = Cli.run("calls", path, "--format", "jsonl").lines();
    assertEquals(31_559, lines.size());
    assertEquals(1, lines.stream().filter(line -> line.contains("\"end\":\"inferred\"")).count());
    JsonReader lost = JsonReader.parse(lines.getFirst());
    assertEquals("entry", lost.get("inferred").text());
    assertTrue(lost.get("entry").isNull(), lines.getFirst());
    assertTrue(lost.get("duration").isNull(), lines.getFirst());

    JsonReader flat = Cli.run("calls", path, "--flat", "--format", "json").json();
    assertEquals("ticks", flat.get("unit").text());
    assertEquals(31_558, flat.get("entries").number());
    assertEquals(31_558, flat.get("exits").number());
    assertEquals(1, flat.get("lostEntries").number());
    assertEquals(0, flat.get("unwinds").number());
    assertEquals(0, flat.get("open").number());
    assertEquals(1, flat.get("repaired").number());
    assertTrue(flat.get("lost").isNull(), "the file does not say");
    assertEquals(188, flat.get("functions").array().size());
    Map<String, JsonReader> functions = new HashMap<>();
    flat.get("functions").array().forEach(row -> functions.put(row.get("function").text(), row));
    List<String> rows =
        Files.readAllLines(TestData.file("ntrace/ntfs.expected.tsv")).stream()
            .dropWhile(line -> !line.contains("top20"))
            .skip(2)
            .limit(20)
            .toList();
    for (String row : rows) {
      String[] cells = row.split("\t", -1);
      JsonReader function = Objects.requireNonNull(functions.get("Ntfs.sys!" + cells[1]));
      assertEquals(Long.parseLong(cells[2]), function.get("calls").number());
      assertEquals(Long.parseLong(cells[3]), function.get("total").number());
    }
  }

  @Test
  void timeByPathIsTheTimeOfAllCalls() {
    Cli.Result folded = Cli.run("profile", file, "--format", "collapsed");
    assertEquals(0, folded.exit(), folded.err());
    assertTrue(
        folded
            .lines()
            .contains(
                "process 4312;shopcore.dll!0x1010 (open);shopcore.dll!0x1070;shopcore.dll!0x1040"
                    + " 18000"),
        folded.out());
    long sum =
        folded.lines().stream()
            .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
            .sum();
    JsonReader profile = Cli.run("profile", file, "--format", "json").json();
    assertEquals(sum, profile.get("total").number());
    assertEquals("calls", profile.get("metric").text());
    assertTrue(Cli.run("profile", file).out().contains("  total\n"));
  }

  @Test
  void infoSaysWhatItIs() {
    Cli.Result result = Cli.run("info", file);
    assertEquals(0, result.exit());
    assertTrue(result.out().contains(": call recording of NTrace, "), result.out());
    assertTrue(result.out().contains("36 records of entries and exits, 2 threads"), result.out());
    assertTrue(result.out().contains("5E1C7A9044B24C0FA1D2B3C4D5E6F7082"), result.out());
  }

  @Test
  void damageIsReportedAndTheRestIsRead() throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(bytes, bytes.length - 8));
    Cli.Result result = Cli.run("calls", file);
    assertEquals(3, result.exit());
    assertTrue(
        result.err().contains("EOF (the file ends too early): the file ends after "), result.err());
    assertTrue(result.out().contains("18 calls in 1 thread, 1 place could not be read"));
    Cli.Result refused = Cli.run("calls", real("truncated.jtrc"));
    assertEquals(1, refused.exit());
    assertTrue(refused.err().contains("INVALID_VERSION"), refused.err());
    assertEquals(1, Cli.run("info", real("truncated.jtrc")).exit());
  }

  @Test
  void strictCountsRepairs() {
    assertEquals(0, Cli.run("calls", file).exit());
    assertEquals(3, Cli.run("calls", file, "--strict").exit());
  }

  @Test
  void wrongWordsAreNamed() {
    assertEquals(2, Cli.run("calls").exit());
    assertEquals(2, Cli.run("calls", file, "--flat", "--slowest", "3").exit());
    assertEquals(2, Cli.run("calls", file, "--time", "1.5s..2s").exit());
    assertEquals(2, Cli.run("calls", file, "-s", "name").exit());
    assertEquals(2, Cli.run("profile", file, "--bottom-up").exit());
    Cli.Result none = Cli.run("calls", file, "-t", "77");
    assertEquals(1, none.exit());
    assertTrue(none.err().contains("no thread of "), none.err());
    Path picture = folder.resolve("a.jpg");
    assertEquals(1, Cli.run("calls", picture).exit());
  }

  @Test
  void recordsHaveATimeOfDayWhereTheRecordingTellsIt() throws IOException {
    JsonReader shop =
        Cli.run("info", TestData.projectRoot().resolve("samples/shop.ntr"), "--format", "json")
            .json();
    // It began at 134,000,000,000,000,000; the first call was entered 3,911 us later.
    assertEquals(FileTime.text(134_000_000_000_000_000L + 39_110), shop.get("firstUtc").text());
    JsonReader only = shop.get("files").array().getFirst();
    assertEquals(shop.get("firstUtc"), only.get("firstUtc"));
    assertEquals(shop.get("lastUtc"), only.get("lastUtc"));
    JsonReader ticks = Cli.run("info", file, "--format", "json").json();
    assertTrue(ticks.get("firstUtc").isNull());
    assertTrue(ticks.get("lastUtc").isNull());
  }

  @Test
  void theTimeOfDayIsThatOfProbesRoundedDown() throws IOException {
    long utc = 134_000_000_000_000_000L;
    NtrHeader header =
        new NtrHeader(
            0, 1_000_000_000, 0, 0, 0x8664, 8, NtrHeader.TIME_STAMP_COUNTER, "without a date");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (NtrWriter writer = new NtrWriter(out, header, 1)) {
      writer.process(TracedProcess.running(1, 8, 0, "a.exe", ""));
      writer.thread(TracedThread.running(1, 1, 12, 0, ""));
      // One tick is a nanosecond: a second before this one and 199 ns after it.
      writer.calibration(new ClockCalibration(2_000_000_000L, 2_000_000_000L, utc));
      ThreadEventWriter events = writer.events(1);
      events.entry(1_000_000_050L, 1, 0, 0, 0x9000, 0);
      events.exit(2_000_000_199L, 1, 0, 0, 0x9000, 0);
    }
    Path dated = Files.write(folder.resolve("a.ntr"), out.toByteArray());
    JsonReader info = Cli.run("info", dated, "--format", "json").json();
    assertEquals(FileTime.text(utc - FileTime.SECOND), info.get("firstUtc").text());
    assertEquals(FileTime.text(utc + 1), info.get("lastUtc").text());
    assertEquals(
        FileTime.unixNanos(utc) - 999_999_950L,
        Long.parseLong(
            Cli.run(
                    "probe",
                    "#pragma D option quiet\n*!*:entry { printf(\"%d\", walltimestamp); }",
                    dated)
                .out()
                .strip()));
  }
}
