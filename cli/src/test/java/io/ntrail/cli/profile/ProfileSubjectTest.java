package io.ntrail.cli.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.Recordings;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.ProfilePayloads;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code profile --by file} and {@code --by type}: the sums are those of {@code events --sum}. */
class ProfileSubjectTest {
  private static final Path SAMPLE = TestData.projectRoot().resolve("samples/shop.etl");

  private static JsonReader json(String schema, Object... words) throws IOException {
    List<Object> all = new ArrayList<>(Arrays.asList(words));
    all.addAll(List.of("--format", "json", "-n", "0"));
    JsonReader json = Cli.run(all.toArray()).json();
    assertEquals(List.of(), JsonSchema.named(schema).findings(json));
    return json;
  }

  private static Map<String, Long> profile(Path file, String metric, String by, String unit)
      throws IOException {
    JsonReader json =
        json("profile", "profile", file, "--metric", metric, "--by", by, "--unit", unit);
    Map<String, Long> weights = new TreeMap<>();
    long sum = 0;
    for (JsonReader row : json.get("rows").array()) {
      JsonReader name = row.get(by.equals("file") ? "path" : "type");
      weights.put(name.isNull() ? "" : name.text(), row.get("self").number());
      sum += row.get("self").number();
    }
    assertEquals(json.get("total").number(), sum);
    return weights;
  }

  private static Map<String, Long> events(Path file, String event, String by, String field)
      throws IOException {
    JsonReader json =
        json("event-groups", "events", file, "--count", "-e", event, "--by", by, "--sum", field);
    Map<String, Long> sums = new TreeMap<>();
    for (JsonReader row : json.get("groups").array()) {
      JsonReader sum = row.get("sums").array().getFirst();
      if (sum.get("events").number() > 0) {
        sums.put(row.get("key").isNull() ? "" : row.get("key").text(), sum.get("sum").number());
      }
    }
    return sums;
  }

  @Test
  void bytesOfFilesAreThoseOfTheirEvents() throws IOException {
    assertEquals(
        Map.of("C:\\shop\\stock.db", 8_585_216L, "C:\\shop\\log\\2026-03-14.log", 417_792L),
        profile(SAMPLE, "disk", "file", "bytes"));
    assertEquals(
        events(SAMPLE, "DiskIo/*", "file", "TransferSize"),
        profile(SAMPLE, "disk", "file", "bytes"));
    assertEquals(
        events(SAMPLE, "FileIo/*", "file", "IoSize"), profile(SAMPLE, "file", "file", "bytes"));
  }

  @Test
  void allocatedTypesAreThoseOfTheRuntime() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Path file = TestData.file("etl/perfview-net452-x64.etl.gz");
    Map<String, Long> types = profile(file, "alloc", "type", "bytes");
    assertEquals(1_105_577_280L, types.get("System.Object"));
    assertEquals(events(file, "AllocationTick", "TypeName", "AllocationAmount64"), types);
  }

  @Test
  void eventsOfANameAreToldApartByFile() throws IOException {
    JsonReader json = json("profile", "profile", SAMPLE, "-e", "FileIo/Create", "--by", "file");
    JsonReader row = json.get("rows").array().getFirst();
    assertEquals("C:\\shop\\log\\2026-03-14.log", row.get("path").text());
    assertEquals(102, row.get("self").number());
  }

  @Test
  void weightsThatAreAboutNoFileAreARow() {
    Cli.Result result =
        Cli.run("profile", SAMPLE, "-e", "Thread/CSwitch", "--by", "file", "--wide");
    assertTrue(
        result.lines().stream().anyMatch(line -> line.matches(" *1,582  100\\.0  \\(none\\)")));
  }

  @Test
  void metricsThatAreAboutNoFileSayWhichAre() {
    Cli.Result result = Cli.run("profile", SAMPLE, "--by", "file");
    assertEquals(2, result.exit());
    assertEquals(
        List.of(
            "ntrail: --by file applies to disk, file, fault and -e EVENT, not to cpu",
            "try: --metric disk --by file"),
        result.messages());
  }

  /** Of damaged events: one size with its highest bit set, and some whose sum has no room. */
  @Test
  void sizesThatCannotBeAreInNoSum(@TempDir Path folder) throws IOException {
    EtlSettings settings = EtlSettings.windows11();
    EtlWriter writer = new EtlWriter(settings);
    long time = settings.startTicks();
    for (long amount : new long[] {100, Long.MIN_VALUE + 5, Long.MAX_VALUE - 150, 60, 50, 1}) {
      writer.log(
          0,
          EtlRecords.event(8, ProfilePayloads.CLR, 10)
              .version(3)
              .time(++time)
              .payload(ProfilePayloads.allocationTick(8, 3, amount))
              .build());
    }
    Path file = Recordings.write(folder.resolve("alloc.etl"), writer);
    JsonReader json = json("profile", "profile", file, "--metric", "alloc", "--by", "type");
    assertEquals(Long.MAX_VALUE, json.get("total").number());
    assertEquals(3, json.get("remarks").get("tooLarge").number());
    assertEquals(Long.MAX_VALUE, json.get("rows").array().getFirst().get("self").number());
    assertEquals(
        List.of(
            "warning: not included, as they are negative or too large to be added up: 3 of the"
                + " allocations"),
        Cli.run("profile", file, "--metric", "alloc", "--by", "type").messages());
  }
}
