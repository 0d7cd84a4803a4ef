package io.ntrail.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.Recordings;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.described.EncodedValue;
import io.ntrail.testkit.described.TraceLoggingEvent;
import io.ntrail.testkit.etl.BufferCompression;
import io.ntrail.testkit.etl.Damage;
import io.ntrail.testkit.etl.DescribedRecords;
import io.ntrail.testkit.etl.EtlRecord;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlShapes;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.SampleRecording;
import io.ntrail.testkit.etl.TruthRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The JSON that programs outside rely on, and the exit codes, to the letter. */
class ContractTest {
  private static final List<String> TOTALS =
      List.of(
          "records",
          "buffers",
          "compressedBuffers",
          "recordsByHeader",
          "cpus",
          "lost",
          "firstUtc",
          "lastUtc");

  @TempDir private Path folder;

  private static void valid(JsonSchema schema, JsonReader json) {
    assertEquals(List.of(), schema.findings(json));
  }

  private static List<JsonReader> lines(Cli.Result result) {
    return result.lines().stream().map(JsonReader::parse).toList();
  }

  private static Map<String, Long> numbers(JsonReader object) {
    Map<String, Long> numbers = new TreeMap<>();
    object.object().forEach((key, value) -> numbers.put(key, value.number()));
    return numbers;
  }

  /** The order of records with the same time, CPU and buffer is theirs in the buffer. */
  private static void agrees(EtlSettings settings, TruthRecord truth, JsonReader line) {
    EtlRecord record = truth.record();
    long ticks = truth.time();
    assertEquals((ticks - settings.startTicks()) * 100, line.get("timeNanos").number());
    assertEquals(truth.cpu(), line.get("cpu").number());
    long none = 0xFFFF_FFFFL;
    if (!record.kind().name().startsWith("EVENT")) {
      // Kernel events belong to the process and thread that their payload names, if it does.
      assertTrue(line.has("pid") && line.has("tid"));
    } else if (record.pid() == EtlRecord.NONE || record.pid() == none) {
      assertTrue(line.get("pid").isNull(), line::toString);
    } else {
      assertEquals(record.pid(), line.get("pid").number());
      assertEquals(record.tid(), line.get("tid").number());
    }
    assertEquals(record.payload().length, line.get("dataLength").number());
    assertEquals(record.version(), line.get("version").number());
    UUID provider = record.provider();
    if (provider != null) {
      assertEquals(provider.toString(), line.get("providerGuid").text());
    }
  }

  private static String utc(long fileTime) {
    long seconds = Math.floorDiv(fileTime, 10_000_000L) - 11_644_473_600L;
    return java.time.LocalDateTime.ofEpochSecond(seconds, 0, java.time.ZoneOffset.UTC)
            .format(java.time.format.DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss"))
        + "."
        + String.format(java.util.Locale.ROOT, "%07dZ", Math.floorMod(fileTime, 10_000_000L));
  }

  @Test
  void info() throws IOException {
    EtlWriter writer = EtlShapes.merged(1, 700, BufferCompression.XPRESS);
    Path file = Recordings.write(folder.resolve("shop.etl"), writer);
    Cli.Result result = Cli.run("info", file, "--format", "json");
    assertEquals("", result.err());
    assertEquals(0, result.exit());
    assertEquals(1, result.lines().size(), "one object, one line");
    JsonReader json = result.json();
    valid(JsonSchema.named("info"), json);
    List<String> keys = new ArrayList<>(List.of("schema", "files"));
    keys.addAll(TOTALS);
    keys.addAll(List.of("machine", "sampling", "contents", "sources", "gaps"));
    assertEquals(keys, List.copyOf(json.object().keySet()));
    assertEquals("ntrail.info/1", json.get("schema").text());
    JsonReader first = json.get("files").array().getFirst();
    assertEquals(file.toString(), first.get("file").text());
    assertEquals("etl", first.get("kind").text());
    for (String key : TOTALS) {
      assertEquals(json.get(key), first.get(key), "the totals of one file are the file's");
    }
    assertEquals(writer.truth().size(), json.get("records").number());
    assertEquals(writer.recordsByHeader(), numbers(json.get("recordsByHeader")));
    assertEquals(writer.buffers().size() + 1, json.get("buffers").number());
    assertEquals(writer.buffers().size(), json.get("compressedBuffers").number());
    assertEquals(List.of(), json.get("gaps").array());
  }

  @Test
  void infoHasTheRecorderCounters() throws IOException {
    Path file = Recordings.write(folder.resolve("secure.etl"), EtlShapes.secure(2, 300));
    JsonReader json = Cli.run("info", file, "--format", "json").json();
    assertEquals(41, json.get("lost").get("events").number());
    assertEquals(2, json.get("lost").get("buffers").number());
    assertEquals(4, json.get("cpus").get("seen").number());
    assertEquals(4, json.get("cpus").get("configured").number());
  }

  @Test
  void firstAndLastLeaveTheHeaderOut() throws IOException {
    EtlSettings settings = EtlSettings.windows11();
    EtlWriter writer = new EtlWriter(settings);
    for (int i = 0; i < 5; i++) {
      writer.log(
          0,
          EtlRecords.event(8, EtlShapes.PROVIDER, 1)
              .time(settings.startTicks() + 1234567 + i)
              .build());
    }
    Path file = Recordings.write(folder.resolve("five.etl"), writer);
    JsonReader json = Cli.run("info", file, "--format", "json").json();
    assertEquals(
        utc(settings.fileTimeOf(settings.startTicks() + 1234567)), json.get("firstUtc").text());
    assertEquals(
        utc(settings.fileTimeOf(settings.startTicks() + 1234571)), json.get("lastUtc").text());
    EtlWriter none = new EtlWriter(EtlSettings.windows11());
    Path empty = Recordings.write(folder.resolve("none.etl"), none);
    JsonReader unknown = Cli.run("info", empty, "--format", "json").json();
    valid(JsonSchema.named("info"), unknown);
    assertTrue(unknown.get("firstUtc").isNull() && unknown.get("lastUtc").isNull());
    assertEquals(1, unknown.get("records").number());
    assertTrue(Cli.run("info", empty).out().contains("no records except the header"));
  }

  @Test
  void counts() throws IOException {
    EtlWriter writer = SampleRecording.make();
    Path file = Recordings.write(folder.resolve("sample.etl"), writer);
    Cli.Result result = Cli.run("events", file, "--count", "--format", "json");
    assertEquals(0, result.exit(), result.err());
    JsonReader json = result.json();
    valid(JsonSchema.named("event-counts"), json);
    long sum = 0;
    Set<List<JsonReader>> identities = new LinkedHashSet<>();
    for (JsonReader row : json.get("events").array()) {
      sum += row.get("count").number();
      assertTrue(row.get("withStack").number() <= row.get("count").number());
      assertTrue(
          identities.add(
              Stream.of("providerGuid", "id", "opcode", "version").map(row::get).toList()),
          "two rows of one identity: " + row);
      if (row.has("names")) {
        long named =
            row.get("names").array().stream().mapToLong(n -> n.get("count").number()).sum();
        assertEquals(row.get("count").number(), named);
      }
    }
    assertEquals(writer.truth().size(), sum);
    assertEquals(sum, json.get("records").number());
    JsonReader sample =
        json.get("events").array().stream()
            .filter(row -> new JsonReader("PerfInfo/SampleProf").equals(row.get("event")))
            .findFirst()
            .orElseThrow();
    assertEquals("ce1dbfb4-137e-4da6-87b0-3f59aa102cbc", sample.get("providerGuid").text());
    assertEquals("Windows Kernel", sample.get("provider").text());
    assertEquals(0xF2E, sample.get("id").number());
    // The other forms have the same rows.
    List<JsonReader> lines = lines(Cli.run("events", file, "--count", "--format", "jsonl"));
    assertEquals(json.get("events").array(), lines);
    List<String> csv = Cli.run("events", file, "--count", "--format", "csv").lines();
    assertEquals(lines.size() + 1, csv.size());
    assertEquals(
        "providerGuid,provider,event,id,opcode,version,count,withStack,bytes", csv.getFirst());
    // With fewer rows the total stays, and what is missing is said.
    JsonReader two = Cli.run("events", file, "--count", "-n", "2", "--format", "json").json();
    assertEquals(2, two.get("events").array().size());
    assertEquals(lines.size() - 2, two.get("rowsLeftOut").number());
    assertEquals(sum, two.get("records").number());
  }

  @Test
  void eventsInTimeOrder() throws IOException {
    EtlSettings settings = EtlSettings.windows11().bufferSize(4096).processors(4);
    EtlWriter writer = EtlShapes.outOfOrder(3, 500);
    Path file = Recordings.write(folder.resolve("shop.etl"), writer);
    Cli.Result result = Cli.run("events", file, "--format", "jsonl");
    assertEquals(0, result.exit(), result.err());
    List<JsonReader> lines = lines(result);
    List<TruthRecord> truth = writer.truth();
    assertEquals(truth.size(), lines.size());
    JsonSchema event = JsonSchema.named("events").definition("event");
    for (int i = 0; i < lines.size(); i++) {
      valid(event, lines.get(i));
      agrees(settings, truth.get(i), lines.get(i));
      String expected = utc(settings.fileTimeOf(truth.get(i).time()));
      assertEquals(expected, lines.get(i).get("utc").text());
    }
    JsonReader whole = Cli.run("events", file, "--format", "json").json();
    valid(JsonSchema.named("events"), whole);
    assertEquals(lines, whole.get("events").array());
    assertEquals(lines.subList(0, 3), lines(Cli.run("events", file, "--format=jsonl", "-n", "3")));
    List<String> csv = Cli.run("events", file, "--format", "csv").lines();
    assertEquals(lines.size() + 1, csv.size());
    assertEquals(result, Cli.run("events", file, "--format", "jsonl", "--cores", "1"));
  }

  @Test
  void timesBeforeTheHeaderAreNegative() throws IOException {
    EtlWriter writer = EtlShapes.merged(4, 300, BufferCompression.NONE);
    Path file = Recordings.write(folder.resolve("merged.etl"), writer);
    List<JsonReader> lines = lines(Cli.run("events", file, "--format", "jsonl"));
    assertTrue(lines.getFirst().get("timeNanos").number() < 0);
    assertTrue(
        Cli.run("events", file, "-n", "1").lines().get(2).startsWith("-0.0000"),
        "seconds of the screen, too");
    long early = lines.stream().filter(l -> l.get("timeNanos").number() < -10_000).count();
    assertEquals(
        early, lines(Cli.run("events", file, "--format", "jsonl", "--time", "..-10us")).size());
    assertEquals(
        lines.size() - early,
        lines(Cli.run("events", file, "--format", "jsonl", "--time", "-0.00001..")).size());
  }

  @Test
  void unknownIsNull() throws IOException {
    EtlSettings settings = EtlSettings.windows11();
    long time = settings.startTicks() + 10;
    EtlWriter writer =
        new EtlWriter(settings)
            .log(0, EtlRecords.perfInfo(8, 0x0F2E).time(time).build())
            .log(0, EtlRecords.event(8, EtlShapes.PROVIDER, 7).time(time + 1).build())
            .log(
                0,
                EtlRecords.event(8, EtlShapes.PROVIDER, 7)
                    .time(time + 2)
                    .activity(UUID.fromString("AABBCCDD-0000-0000-0000-00000000000F"))
                    .descriptor(16, 2, 0x8000_0000_0000_000AL)
                    .thread(4_000_000_000L, 12)
                    .build());
    Path file = Recordings.write(folder.resolve("few.etl"), writer);
    List<JsonReader> lines = lines(Cli.run("events", file, "--format", "jsonl"));
    JsonReader hook = lines.get(1);
    assertTrue(hook.get("pid").isNull() && hook.get("tid").isNull());
    assertFalse(hook.has("keywords") || hook.has("level"), "the header has none");
    JsonReader event = lines.get(2);
    assertTrue(event.get("provider").isNull() && event.get("event").isNull());
    assertTrue(event.get("activityId").isNull());
    assertEquals("0x0", event.get("keywords").text());
    JsonReader full = lines.get(3);
    assertEquals("aabbccdd-0000-0000-0000-00000000000f", full.get("activityId").text());
    assertEquals("0x800000000000000a", full.get("keywords").text());
    assertEquals(4_000_000_000L, full.get("pid").number());
  }

  @Test
  void textBesideAValueGivesWayToAFieldOfItsName() throws IOException {
    UUID provider = UUID.fromString("5AFE0000-0000-4000-8000-000000000001");
    TraceLoggingEvent crowded =
        new TraceLoggingEvent("Crowded")
            .field("Status", 8, 14, EncodedValue.hex(4, 0xC000_0034L))
            .field("StatusText", 1, 0, EncodedValue.wide("mine"))
            .field("Other", 8, 14, EncodedValue.hex(4, 0xC000_0034L));
    EtlSettings settings = EtlSettings.windows11();
    EtlWriter writer =
        new EtlWriter(settings)
            .log(
                0,
                DescribedRecords.traceLogging(8, provider, "Shop-Test", crowded)
                    .time(settings.startTicks() + 10)
                    .build());
    Path file = Recordings.write(folder.resolve("crowded.etl"), writer);
    Cli.Result result = Cli.run("events", file, "--format", "jsonl");
    String line = result.lines().getLast();
    assertEquals(line.indexOf("\"StatusText\""), line.lastIndexOf("\"StatusText\""), line);
    JsonReader fields = lines(result).getLast().get("fields");
    assertEquals("mine", fields.get("StatusText").text());
    assertEquals("STATUS_OBJECT_NAME_NOT_FOUND", fields.get("OtherText").text());
  }

  @Test
  void severalFilesInOneCall() throws IOException {
    List<EtlWriter> series = EtlShapes.newFileSeries(5, 200, 3);
    List<Object> words = new ArrayList<>(List.of("info"));
    long records = 0;
    for (EtlWriter writer : series) {
      words.add(Recordings.write(folder.resolve("part" + words.size() + ".etl"), writer));
      records += writer.truth().size();
    }
    words.add("--format=json");
    JsonReader json = Cli.run(words.toArray()).json();
    valid(JsonSchema.named("info"), json);
    List<JsonReader> files = json.get("files").array();
    assertEquals(
        words.subList(1, 4).stream().map(Object::toString).toList(),
        files.stream().map(f -> f.get("file").text()).toList());
    assertEquals(records, json.get("records").number());
    assertEquals(records, files.stream().mapToLong(f -> f.get("records").number()).sum());
    assertEquals(files.getFirst().get("firstUtc"), json.get("firstUtc"));
    assertEquals(files.getLast().get("lastUtc"), json.get("lastUtc"));
    words.set(4, "--format=jsonl");
    List<JsonReader> lines = lines(Cli.run(words.toArray()));
    assertEquals(files, lines);
    JsonSchema file = JsonSchema.named("info").definition("file");
    lines.forEach(line -> valid(file, line));
    words.set(4, "--format=csv");
    assertEquals(4, Cli.run(words.toArray()).lines().size());
    words.set(0, "events");
    words.set(4, "--format=jsonl");
    List<JsonReader> events = lines(Cli.run(words.toArray()));
    assertEquals(records, events.size());
    long before = Long.MIN_VALUE;
    for (JsonReader event : events) {
      assertTrue(before <= event.get("timeNanos").number());
      before = event.get("timeNanos").number();
    }
  }

  @Test
  void packedFiles() throws IOException {
    EtlWriter kernel = EtlShapes.outOfOrder(6, 300);
    EtlWriter user = EtlShapes.privateLogger(7, 40);
    long records = (long) kernel.truth().size() + user.truth().size();
    Path plain = Recordings.write(folder.resolve("plain.etl"), kernel);
    JsonReader expected = Cli.run("events", plain, "--count", "--format", "json").json();
    Path gz = Recordings.gzip(folder.resolve("shop.etl.gz"), kernel.toByteArray());
    assertEquals(expected, Cli.run("events", gz, "--count", "--format", "json").json());
    // A name without a suffix: its bytes show its kind.
    Path nameless = Files.copy(gz, folder.resolve("upload"));
    assertEquals(expected, Cli.run("events", nameless, "--count", "--format", "json").json());
    Map<String, byte[]> members = new LinkedHashMap<>();
    members.put("metadata.xml", new byte[] {'<', 'a', '/', '>'});
    members.put("sc/kernel.etl", kernel.toByteArray());
    members.put("sc/user.ETL", user.toByteArray());
    for (String name : List.of("shop.zip", "shop.diagsession")) {
      Path zip = Recordings.zip(folder.resolve(name), members);
      JsonReader json = Cli.run("info", zip, "--format", "json").json();
      valid(JsonSchema.named("info"), json);
      assertEquals(
          List.of(zip + "!/sc/kernel.etl", zip + "!/sc/user.ETL"),
          json.get("files").array().stream().map(f -> f.get("file").text()).toList());
      assertEquals(records, json.get("records").number());
    }
  }

  @Test
  void cutFilesGiveWhatIsLeft() throws IOException {
    EtlWriter writer = EtlShapes.outOfOrder(8, 400);
    byte[] whole = writer.toByteArray();
    Path file = folder.resolve("cut.etl");
    Files.write(file, Damage.cutAt(whole, whole.length - 4096 - 1000));
    Cli.Result result = Cli.run("info", file, "--format", "json");
    assertEquals(3, result.exit());
    JsonReader json = result.json();
    valid(JsonSchema.named("info"), json);
    assertFalse(json.get("gaps").array().isEmpty());
    for (JsonReader gap : json.get("gaps").array()) {
      assertEquals(file.toString(), gap.get("file").text());
    }
    assertTrue(json.get("records").number() > 100);
    assertTrue(result.messages().getFirst().startsWith("warning: " + file + ": "), result.err());
    for (Object[] words :
        List.of(
            new Object[] {"info", file},
            new Object[] {"events", file},
            new Object[] {"events", file, "--count"},
            new Object[] {"events", file, "--format", "jsonl"},
            new Object[] {"info", file, "-q"})) {
      Cli.Result other = Cli.run(words);
      assertEquals(3, other.exit());
      assertFalse(other.out().isEmpty());
      assertTrue(other.err().contains("warning: "), "-q does not silence warnings");
    }
    String first = Cli.run("events", file, "--count").lines().getFirst();
    assertTrue(first.contains("could not be read"), first);
    Path gz = Recordings.gzip(folder.resolve("cut.etl.gz"), whole);
    byte[] packed = Files.readAllBytes(gz);
    Files.write(gz, Damage.cutAt(packed, packed.length * 2 / 3));
    Cli.Result half = Cli.run("info", gz, "--format", "json");
    assertEquals(3, half.exit());
    valid(JsonSchema.named("info"), half.json());
  }

  @Test
  void neverFinalisedIsComplete() throws IOException {
    Path file = Recordings.write(folder.resolve("open.etl"), EtlShapes.preallocated(9, 300, 6));
    Cli.Result result = Cli.run("info", file, "--format", "json", "--strict");
    assertEquals(0, result.exit(), result.err());
    assertEquals(List.of(), result.json().get("gaps").array());
    String first = Cli.run("info", file).lines().getFirst();
    assertTrue(first.contains("never finalised"), first);
  }

  @Test
  void lossesAreAFailureOnlyIfStrict() throws IOException {
    Path file = Recordings.write(folder.resolve("lossy.etl"), EtlShapes.secure(10, 300));
    for (Object[] words :
        List.of(
            new Object[] {"info", file},
            new Object[] {"info", file, "--format", "json"},
            new Object[] {"events", file},
            new Object[] {"events", file, "--count", "--format", "csv"})) {
      assertEquals(0, Cli.run(words).exit());
      List<Object> strict = new ArrayList<>(List.of(words));
      strict.add("--strict");
      Cli.Result result = Cli.run(strict.toArray());
      assertEquals(3, result.exit());
      assertEquals(Cli.run(words).out(), result.out(), "the answer is the same");
    }
    String first = Cli.run("info", file).lines().getFirst();
    assertTrue(first.endsWith("41 events and 2 buffers lost"), first);
    Path clean = Recordings.write(folder.resolve("clean.etl"), EtlShapes.outOfOrder(11, 50));
    assertEquals(0, Cli.run("info", clean, "--strict").exit());
  }

  @Test
  void answersGoToFiles() throws IOException {
    Path file = Recordings.write(folder.resolve("shop.etl"), EtlShapes.outOfOrder(12, 50));
    Cli.Result shown = Cli.run("info", file, "--format", "json");
    Path answer = folder.resolve("answer.json");
    Cli.Result written = Cli.run("info", file, "--format", "json", "-o", answer);
    assertEquals(new Cli.Result(0, "", ""), written);
    assertEquals(shown.out(), Files.readString(answer));
    assertEquals(shown, Cli.run("info", file, "--format", "json", "-o", "-"));
  }

  @Test
  void realRecordings() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    JsonSchema info = JsonSchema.named("info");
    JsonSchema counts = JsonSchema.named("event-counts");
    JsonSchema event = JsonSchema.named("events").definition("event");
    List<Path> files;
    try (Stream<Path> all = Files.list(TestData.file("etl"))) {
      files = all.filter(f -> f.toString().endsWith(".etl.gz")).sorted().toList();
    }
    assertTrue(files.size() > 30, "recordings in the folder: " + files.size());
    for (Path file : files) {
      JsonReader summary = Cli.run("info", file, "--format", "json").json();
      valid(info, summary);
      long records = summary.get("records").number();
      Map<String, Long> kinds = numbers(summary.get("recordsByHeader"));
      assertEquals(records, kinds.values().stream().mapToLong(n -> n).sum(), file.toString());
      JsonReader types = Cli.run("events", file, "--count", "--format", "json").json();
      valid(counts, types);
      assertEquals(records, types.get("records").number(), file.toString());
      assertEquals(
          records,
          types.get("events").array().stream().mapToLong(row -> row.get("count").number()).sum(),
          file.toString());
      List<JsonReader> lines = lines(Cli.run("events", file, "--format", "jsonl", "-n", "2000"));
      assertEquals(Math.min(2000, records), lines.size(), file.toString());
      for (JsonReader line : lines) {
        valid(event, line);
      }
    }
  }
}
