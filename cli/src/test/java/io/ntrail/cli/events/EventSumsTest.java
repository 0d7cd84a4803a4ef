package io.ntrail.cli.events;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Sums of fields in {@code ntrail events --count}, and counts by file. */
class EventSumsTest {
  private static final Path SAMPLE = TestData.projectRoot().resolve("samples/shop.etl");

  private static List<JsonReader> listed(String event) {
    return Cli.run("events", SAMPLE, "-e", event, "--format", "jsonl").lines().stream()
        .map(JsonReader::parse)
        .toList();
  }

  /** Adds up a field of listed events by another one. */
  private static Map<String, Long> addedUp(String event, String by, String field) {
    Map<String, Long> sums = new TreeMap<>();
    for (JsonReader line : listed(event)) {
      JsonReader fields = line.get("fields");
      if (fields.has(field)) {
        String key = by.equals("event") ? line.get("event").text() : fields.get(by).text();
        sums.merge(key, fields.get(field).number(), Long::sum);
      }
    }
    return sums;
  }

  private static JsonReader json(String schema, Object... words) throws IOException {
    Cli.Result result = Cli.run(words);
    assertEquals("", result.err());
    assertEquals(List.of(), JsonSchema.named(schema).findings(result.json()));
    return result.json();
  }

  private static Map<String, Long> sums(JsonReader answer, String rows, String key) {
    Map<String, Long> sums = new TreeMap<>();
    for (JsonReader row : answer.get(rows).array()) {
      JsonReader sum = row.get("sums").array().getFirst();
      if (sum.get("events").number() > 0) {
        sums.put(row.get(key).text(), sum.get("sum").number());
      } else {
        assertTrue(sum.get("sum").isNull(), row::toString);
      }
    }
    return sums;
  }

  @Test
  void theSumOfATypeIsThatOfItsListedEvents() throws IOException {
    Map<String, Long> expected = addedUp("FileIo/*", "event", "IoSize");
    assertEquals(2, expected.size());
    JsonReader counts =
        json(
            "event-counts",
            "events",
            SAMPLE,
            "--count",
            "-e",
            "FileIo/*",
            "--sum",
            "IoSize",
            "--format",
            "json");
    assertEquals(expected, sums(counts, "events", "event"));
  }

  @Test
  void filesAreCountedWithTheBytesOfTheirOperations() throws IOException {
    Map<String, Long> expected = addedUp("DiskIo/*", "FileName", "TransferSize");
    assertEquals(2, expected.size());
    JsonReader groups =
        json(
            "event-groups",
            "events",
            SAMPLE,
            "--count",
            "-e",
            "DiskIo/*",
            "--by",
            "file",
            "--format",
            "json");
    assertEquals(expected, sums(groups, "groups", "key"));
  }

  @Test
  void createdFilesAreThoseOfTheirPaths() {
    assertEquals(
        List.of("key,count,bytes", "C:\\shop\\log\\2026-03-14.log,102,14688"),
        Cli.run(
                "events",
                SAMPLE,
                "--count",
                "-e",
                "FileIo/Create",
                "--by",
                "file",
                "--format",
                "csv")
            .lines());
  }

  @Test
  void rowsAreSortedByTheFirstSumAndAddUp() {
    List<String> lines =
        Cli.run(
                "events",
                SAMPLE,
                "--count",
                "--by",
                "file",
                "--sum",
                "TransferSize,IoSize",
                "-e",
                "FileIo/*",
                "-e",
                "DiskIo/*",
                "-n",
                "1")
            .lines();
    assertEquals(
        List.of(
            "events      %  TransferSize      IoSize  bytes each  file",
            "   531   28.3     8,585,216  26,148,864          65  C:\\shop\\stock.db",
            " 1,347   71.7       417,792       9,792          48  2 more (-n 0 shows all)",
            " 1,878  100.0     9,003,008  26,158,656          53  total"),
        lines.subList(1, lines.size()));
    assertTrue(lines.getFirst().contains(", TransferSize in 233 and IoSize in 501, "));
  }

  @Test
  void timesInTicksAreAddedUpAsTimes() throws IOException {
    long expected =
        listed("DiskIo/*").stream()
            .map(line -> line.get("fields"))
            .filter(fields -> fields.has("HighResResponseTimeNanos"))
            .mapToLong(fields -> fields.get("HighResResponseTimeNanos").number())
            .sum();
    JsonReader row =
        json(
                "event-groups",
                "events",
                SAMPLE,
                "--count",
                "--by",
                "process",
                "--sum",
                "HighResResponseTime",
                "-p",
                "shopd",
                "--format",
                "json")
            .get("groups")
            .array()
            .getFirst();
    JsonReader sum = row.get("sums").array().getFirst();
    assertEquals(expected, sum.get("sum").number());
    assertEquals("ns", sum.get("unit").text());
  }

  @Test
  void nanosecondsBesideTicksAreFoundByTheirName() throws IOException {
    List<Long> nanos =
        listed("DiskIo/*").stream()
            .map(line -> line.get("fields"))
            .filter(fields -> fields.has("HighResResponseTimeNanos"))
            .map(fields -> fields.get("HighResResponseTimeNanos").number())
            .toList();
    Cli.Result sum = Cli.run("events", SAMPLE, "--count", "--sum", "HighResResponseTimeNanos");
    assertEquals(List.of(), sum.messages());
    String total = "%,d".formatted(nanos.stream().mapToLong(Long::longValue).sum());
    assertTrue(sum.lines().getLast().contains(" " + total + " "), sum.lines().getLast());
    String condition = "HighResResponseTimeNanos > 100000";
    Cli.Result some = Cli.run("events", SAMPLE, "--count", "--where", condition);
    long expected = nanos.stream().filter(value -> value > 100_000).count();
    assertTrue(some.lines().getFirst().contains(" " + expected + " events "));
  }

  @Test
  void aFieldThatNoEventHasIsNotASumOfZero() {
    Cli.Result result = Cli.run("events", SAMPLE, "--count", "--sum", "IoSiz", "-n", "1");
    assertEquals(List.of("warning: no event has a field IoSiz", "try: IoSize"), result.messages());
    assertTrue(result.lines().getLast().matches(" *22,503  100\\.0 +- .* total"));
  }

  @Test
  void aSumAbove64BitsIsSaidToBeTooLarge() {
    List<String> rows =
        Cli.run(
                "events",
                SAMPLE,
                "--count",
                "-e",
                "Image/*",
                "--sum",
                "ImageBase",
                "--format",
                "csv")
            .lines();
    assertTrue(rows.get(1).startsWith("2cb15d1d"), rows::toString);
    assertTrue(rows.get(1).endsWith(",Image/DCStart,5123,3,3,20,0,3386,too large"), rows.get(1));
  }

  @Test
  void textsHaveNoSum() {
    Cli.Result result = Cli.run("events", SAMPLE, "--count", "--sum", "FileName");
    assertEquals(2, result.exit());
    assertEquals(
        List.of(
            "ntrail: --sum: FileName is UNICODE_STRING, which has no sum",
            "try: --count --by FileName"),
        result.messages());
  }

  @Test
  void sumsNeedCounts() {
    Cli.Result result = Cli.run("events", SAMPLE, "--sum", "IoSize");
    assertEquals(2, result.exit());
    assertTrue(result.messages().getFirst().equals("ntrail: --sum needs --count"));
  }
}
