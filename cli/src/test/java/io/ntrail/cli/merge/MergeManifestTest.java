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
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.described.DescribedEvent;
import io.ntrail.testkit.described.RawRecord;
import io.ntrail.testkit.described.ReferenceEventReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ntrail merge --manifest}: the merged file is decoded without the manifest. */
class MergeManifestTest {
  private static final String HTTP = "dd5ef90a-6398-47a4-ad34-4dcecdef795f";
  private static final String EVENT_METADATA = "bbccf6c1-6cd1-48c4-80ff-839482e37671";

  @TempDir private Path folder;

  private static Path etl(String name) {
    return TestData.file("etl/" + name + ".etl.gz");
  }

  private static Path manifest() {
    return TestData.file("etl/manifests/HTTP_Server.man.gz");
  }

  private Path merged(Path from) {
    Path to = folder.resolve("merged" + from.getFileName() + ".etl");
    Result merge = Cli.run("merge", from, "--manifest", manifest(), "-o", to);
    assertEquals(0, merge.exit(), merge.err());
    return to;
  }

  /** Returns the events as JSON lines, but for the records that only a file has. */
  private static String events(Object... words) {
    return Cli.run(words)
        .out()
        .lines()
        .filter(line ->
            !line.contains("\"event\":\"EventTrace/Header\"") && !line.contains(EVENT_METADATA))
        .collect(Collectors.joining("\n"));
  }

  @Test
  void eventsAreTheSameWithoutTheManifestAsWithItBefore() {
    assumeTrue(TestData.available(), TestData.MISSING);
    for (String name : List.of("tx-HTTP_Server", "tx-CrossMachineHTTP")) {
      String with =
          events("events", etl(name), "--manifest", manifest(), "--format", "jsonl", "-n", "0");
      assertTrue(with.contains("\"message\":\"New connection created"), name);
      Path merged = merged(etl(name));
      assertEquals(with, events("events", merged, "--format", "jsonl", "-n", "0"), name);
    }
  }

  @Test
  void anotherReaderFindsTheDescriptionOfEachEvent() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    ReferenceEventReader reader =
        ReferenceEventReader.of(Files.readAllBytes(merged(etl("tx-HTTP_Server"))));
    List<DescribedEvent> events = reader.readAll(HTTP);
    assertEquals(2_041, events.size());
    // As the origin of the recording counts them.
    assertEquals(12, events.stream().map(DescribedEvent::event).distinct().count());
    assertTrue(events.stream().allMatch(DescribedEvent::complete));
    assertEquals("Microsoft-Windows-HttpService", events.getFirst().provider());
  }

  @Test
  void eachDescriptionHasTimeAndThreadOfTheFirstEventThatItIsFor() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Map<Integer, RawRecord> first = new HashMap<>();
    Map<Integer, RawRecord> described = new HashMap<>();
    RawRecord.walk(
        Files.readAllBytes(merged(etl("tx-HTTP_Server"))),
        record -> {
          if (record.provider().equals(HTTP)) {
            first.merge(record.id(), record, (a, b) -> a.time() <= b.time() ? a : b);
          } else if (record.provider().equals(EVENT_METADATA) && record.opcode() == 32) {
            described.put(LittleEndian.getU16(record.payload().bytes(), 32), record);
          }
        });
    assertEquals(first.keySet(), described.keySet());
    described.forEach((id, record) -> {
      RawRecord event = Objects.requireNonNull(first.get(id));
      assertEquals(
          List.of(event.time(), event.pid(), event.tid()),
          List.of(record.time(), record.pid(), record.tid()));
    });
  }

  @Test
  void theReportCountsTheDescriptions() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Path out = folder.resolve("out.etl");
    Result merge =
        Cli.run(
            "merge",
            etl("tx-HTTP_Server"),
            "--manifest",
            manifest(),
            "-o",
            out,
            "--format",
            "json");
    assertEquals(List.of(), JsonSchema.named("write").strictFindings(merge.json()), merge.out());
    assertEquals(12, merge.json().get("added").get("descriptions").number());
    Path text = folder.resolve("text.etl");
    Result lines = Cli.run("merge", etl("tx-HTTP_Server"), "--manifest", manifest(), "-o", text);
    assertTrue(lines.out().contains("added 12 event schemas"), lines.out());
  }

  @Test
  void whatTheRecordingDescribesItselfStaysAsItIs() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Path once = merged(etl("tx-HTTP_Server"));
    Path again = folder.resolve("again.etl");
    Result merge =
        Cli.run("merge", once, "--manifest", manifest(), "-o", again, "--format", "json");
    assertEquals(0, merge.json().get("added").get("descriptions").number());
    assertArrayEquals(Files.readAllBytes(once), Files.readAllBytes(again));
  }

  @Test
  void aDescriptionThatFitsInNoRecordIsListed() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    String xml = new String(TestData.unpacked(manifest()), StandardCharsets.UTF_8);
    String text = "New connection created (local IP address ";
    assertTrue(xml.contains(text));
    Path large = folder.resolve("large.man");
    Files.writeString(large, xml.replace(text, text.repeat(900)));
    Path out = folder.resolve("out.etl");
    Result merge =
        Cli.run("merge", etl("tx-HTTP_Server"), "--manifest", large, "-o", out, "--format", "json");
    assertEquals(0, merge.exit(), merge.err());
    assertEquals(11, merge.json().get("added").get("descriptions").number());
    JsonReader missing = merge.json().get("missing").array().getFirst();
    assertEquals("event schema", missing.get("what").text());
    assertTrue(missing.get("name").text().endsWith("ConnConnect"), missing.toString());
    assertFalse(missing.get("why").text().isEmpty());
  }
}
