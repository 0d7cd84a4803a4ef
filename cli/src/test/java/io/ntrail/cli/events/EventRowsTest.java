package io.ntrail.cli.events;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.Recordings;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.described.EncodedValue;
import io.ntrail.testkit.described.TraceLoggingEvent;
import io.ntrail.testkit.etl.DescribedRecords;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.KernelPayloads;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows of CSV, which tell what objects of JSON Lines do. */
class EventRowsTest {
  private static final UUID PROVIDER = UUID.fromString("5b0a3b7e-1c1b-4c0e-9a51-6f4f0e6a7b10");
  private static final UUID ACTIVITY = UUID.fromString("00000100-0000-0003-193d-42fb30bbcb01");

  /** Members that only some records have. */
  private static final List<String> FURTHER =
      List.of("level", "keywords", "activityId", "sequence", "message", "payload", "rest");

  @TempDir private Path folder;

  /** Reads CSV: cells in quotes may hold ends of lines. */
  private static List<Map<String, String>> rows(String csv) {
    List<List<String>> lines = new ArrayList<>(List.of(new ArrayList<>()));
    StringBuilder cell = new StringBuilder();
    boolean isQuoted = false;
    for (int i = 0; i < csv.length(); i++) {
      char c = csv.charAt(i);
      if (c == '"') {
        if (isQuoted && i + 1 < csv.length() && csv.charAt(i + 1) == '"') {
          cell.append(c);
          i++;
        } else {
          isQuoted = !isQuoted;
        }
      } else if (!isQuoted && (c == ',' || c == '\n')) {
        lines.getLast().add(cell.toString());
        cell.setLength(0);
        if (c == '\n') {
          lines.add(new ArrayList<>());
        }
      } else {
        cell.append(c);
      }
    }
    List<Map<String, String>> rows = new ArrayList<>();
    for (List<String> line : lines.subList(1, lines.size() - 1)) {
      Map<String, String> row = new HashMap<>();
      for (int i = 0; i < line.size(); i++) {
        row.put(lines.getFirst().get(i), line.get(i));
      }
      rows.add(row);
    }
    return rows;
  }

  private static String print(Path file, String format, String... filter) {
    List<Object> words = new ArrayList<>(List.of("events", file, "--format", format));
    words.addAll(List.of(filter));
    return Cli.run(words.toArray()).out();
  }

  private static String told(JsonReader event, String key) {
    if (!event.has(key) || event.get(key).isNull()) {
      return "";
    }
    boolean isNumber = Set.of("level", "sequence").contains(key);
    return isNumber ? Long.toString(event.get(key).number()) : event.get(key).text();
  }

  /** Compares both forms; returns which of the further members some event has. */
  private static Set<String> compare(Path file, String... filter) {
    List<JsonReader> events = print(file, "jsonl", filter).lines().map(JsonReader::parse).toList();
    List<Map<String, String>> rows = rows(print(file, "csv", filter));
    assertEquals(events.size(), rows.size());
    Set<String> found = new TreeSet<>();
    for (int i = 0; i < rows.size(); i++) {
      for (String key : FURTHER) {
        String told = told(events.get(i), key);
        assertEquals(told, rows.get(i).get(key), key + " of " + events.get(i));
        if (!told.isEmpty()) {
          found.add(key);
        }
      }
    }
    return found;
  }

  @Test
  void cellsTellWhatOnlySomeRecordsHave() throws IOException {
    // These have messages.
    Set<String> found = compare(TestData.projectRoot().resolve("samples/shop.etl"), "-e", "Shop*");
    EtlSettings settings = EtlSettings.windows11();
    long time = settings.startTicks() + 10;
    EtlWriter writer = new EtlWriter(settings);
    writer.log(
        0,
        EtlRecords.event(8, PROVIDER, 7)
            .level(4)
            .descriptor(0, 0, 0x8000_0000_0000_0010L)
            .activity(ACTIVITY)
            .time(time)
            .payload(new byte[] {1, 0, (byte) 0xFF})
            .build());
    writer.log(0, EtlRecords.full(8, PROVIDER).opcode(3).level(5).time(time + 1).build());
    writer.log(
        0,
        EtlRecords.message(11, EtlRecords.MESSAGE_SEQUENCE | EtlRecords.MESSAGE_TIME)
            .sequence(12)
            .time(time + 2)
            .payload(new byte[] {9})
            .build());
    LittleEndian longer = KernelPayloads.sample(0x1000, 8, 0).u32(0x0403_0201);
    writer.log(0, EtlRecords.perfInfo(8, 0x0F2E).time(time + 3).payload(longer).build());
    found.addAll(compare(Recordings.write(folder.resolve("b.etl"), writer)));
    assertEquals(new TreeSet<>(FURTHER), found);
  }

  @Test
  void onlyMessagesThatHaveASequenceNumberTellOne() throws IOException {
    EtlSettings settings = EtlSettings.windows11();
    EtlWriter writer = new EtlWriter(settings);
    int[] flags = {EtlRecords.MESSAGE_TIME, EtlRecords.MESSAGE_SEQUENCE | EtlRecords.MESSAGE_TIME};
    for (int i = 0; i < flags.length; i++) {
      long time = settings.startTicks() + i;
      writer.log(0, EtlRecords.message(11, flags[i]).sequence(0).time(time).build());
    }
    Path file = Recordings.write(folder.resolve("messages.etl"), writer);
    compare(file);
    List<JsonReader> rows = print(file, "jsonl").lines().map(JsonReader::parse).toList();
    assertFalse(rows.get(rows.size() - 2).has("sequence"), "it has none");
    assertEquals(0, rows.getLast().get("sequence").number());
  }

  @Test
  void textsHaveAllTheirUnitsInEveryForm() throws IOException {
    byte[] lone = new BytesBuilder(16).u16(8).utf16z("a\ud800b").toArray();
    TraceLoggingEvent event =
        new TraceLoggingEvent("Texts")
            .field("wide", 22, 0, EncodedValue.countedWide("a\0b,"))
            .field("narrow", 23, 0, EncodedValue.countedNarrow("q\0\"\n,"))
            .field("lone", 22, 0, EncodedValue.binary(lone));
    EtlSettings settings = EtlSettings.windows11();
    EtlWriter writer = new EtlWriter(settings);
    writer.log(
        0,
        DescribedRecords.traceLogging(8, PROVIDER, "Shop", event)
            .time(settings.startTicks())
            .build());
    Path file = Recordings.write(folder.resolve("texts.etl"), writer);
    String fields =
        """
        {"wide":"a\\u0000b,","narrow":"q\\u0000\\"\\n,","lone":"a\\uD800b"}\
        """;
    String line = print(file, "jsonl", "-e", "Texts");
    assertTrue(line.contains("\"fields\":" + fields), line);
    assertEquals(fields, rows(print(file, "csv", "-e", "Texts")).getFirst().get("fields"));
    String shown = print(file, "text", "-e", "Texts");
    assertTrue(shown.contains("a\ufffdb,"), shown);
    assertTrue(shown.contains("q\ufffd\"\\n,"), shown);
    for (String condition : List.of("wide =~ 'a?b,'", "narrow =~ 'q*,'", "lone =~ 'a?b'")) {
      assertEquals(1, print(file, "jsonl", "--where", condition).lines().count(), condition);
    }
  }

  @Test
  void oneObjectSaysHowManyEventsItLeavesOut() throws IOException {
    Path shop = TestData.projectRoot().resolve("samples/shop.etl");
    JsonReader all = Cli.run("events", shop, "--format", "json").json();
    assertFalse(all.has("rowsLeftOut"), "nothing is left out");
    JsonReader first = Cli.run("events", shop, "--format", "json", "-n", "3").json();
    assertEquals(all.get("events").array().size() - 3L, first.get("rowsLeftOut").number());
    assertEquals(List.of(), JsonSchema.named("events").strictFindings(first));
  }
}
