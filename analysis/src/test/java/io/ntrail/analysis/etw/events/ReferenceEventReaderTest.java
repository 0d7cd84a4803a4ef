package io.ntrail.analysis.etw.events;

import static java.util.Map.entry;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.schema.Manifest;
import io.ntrail.formats.schema.Schema;
import io.ntrail.formats.schema.SchemaSource;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.described.DescribedEvent;
import io.ntrail.testkit.described.RawRecord;
import io.ntrail.testkit.described.ReferenceEventReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Two readers that were written apart say the same about every described event of the shared
 * recordings: its name, its fields with their names, their order and structure, and every value.
 */
class ReferenceEventReaderTest {
  private record Place(int buffer, int offset) {}

  /** Counts of compared items, so that nothing is skipped silently. */
  private static final class Compared {
    int events;
    int values;

    @Override
    public String toString() {
      return events + " events, " + values + " values";
    }
  }

  private static final Map<String, String> EXPECTED =
      Map.ofEntries(
          entry("airbus-AMSITrace", "19 events, 9957 values"),
          entry("airbus-lxcore_kernel", "2 events, 18 values"),
          entry("demikernel-PktMon", "403 events, 2883 values"),
          entry("diaghub.user_paged.1", "274 events, 1830 values"),
          entry("etwanalyzer-TraceLoggingTester", "70 events, 210 values"),
          entry("hw3d-trace", "1 events, 2 values"),
          entry("perfview-SelfDescribingSingleEvent", "1 events, 2 values"),
          entry("perfview-net45-x86-win7", "138 events, 319 values"),
          entry("perfview-net452-x64", "771 events, 4411 values"),
          entry("perfview-primitive-types", "5 events, 60 values"),
          entry("pyetw-out", "4 events, 4 values"),
          entry("pyetw-user", "4 events, 4 values"),
          entry("s4-WindowsUpdate.20251008.140245.443.8", "80 events, 80 values"),
          entry("s4-waasmedic.20251005_113019_195", "17 events, 17 values"),
          entry("sonde-test", "9 events, 35 values"),
          entry("tx-BondEtwSample", "11 events, 86 values"));

  static List<String> recordings() {
    if (!TestData.available()) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(TestData.folder().orElseThrow().resolve("etl"))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".etl.gz"))
          .map(name -> name.substring(0, name.length() - ".etl.gz".length()))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @MethodSource("recordings")
  void everyDescribedEventReadsTheSame(String name) throws IOException {
    byte[] file = TestData.gunzip("etl/" + name + ".etl.gz");
    Compared compared = compare(file, ReferenceEventReader.of(file), UserSchemas.NONE);
    assertEquals(EXPECTED.getOrDefault(name, "0 events, 0 values"), compared.toString());
  }

  @Test
  void everyEventOfAManifestFromOutsideReadsTheSame() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] manifest = TestData.gunzip("etl/manifests/HTTP_Server.man.gz");
    byte[] file = TestData.gunzip("etl/tx-HTTP_Server.etl.gz");
    UserSchemas user = new UserSchemas(List.of(Manifest.parse(manifest, "HTTP_Server")), List.of());
    ReferenceEventReader second =
        ReferenceEventReader.of(file).with(new String(manifest, StandardCharsets.UTF_8));
    Compared compared = compare(file, second, user);
    assertEquals("2041 events, 8746 values", compared.toString());
  }

  private static Compared compare(byte[] file, ReferenceEventReader second, UserSchemas user) {
    Map<Place, RawRecord> raw = new HashMap<>();
    second
        .records()
        .forEach(record -> raw.put(new Place(record.buffer(), record.offset()), record));
    Compared compared = new Compared();
    try (EtwRecording recording = EtwRecording.of(List.of(InputFile.of(file, "recording")))) {
      Events events = Events.of(recording, new SchemaSources(user), 2);
      assertEquals(List.of(), events.problems());
      try (Events.Walk walk = events.walk(new EventFilter.Builder().build())) {
        while (walk.next()) {
          RawRecord same = raw.remove(place(walk.event().record()));
          if (same != null && isSecond(walk.event())) {
            DescribedEvent described = second.read(same);
            if (described != null) {
              same(described, second.task(same), walk.event(), compared);
            }
          }
        }
      }
    }
    assertEquals(Map.of(), raw, "records that only one of the readers has");
    return compared;
  }

  private static Place place(RecordCursor record) {
    boolean packed = record.file().buffers().compressed(record.buffer());
    return new Place(record.buffer(), record.offset() + (packed ? 72 : 0));
  }

  /**
   * Returns true if both readers used the same schema: the program has tables of its own of the
   * kernel and of the .NET runtime, which come first.
   */
  private static boolean isSecond(EventReader event) {
    Schema schema = event.type().schema();
    return schema == null
        || schema.source() != SchemaSource.KERNEL && schema.source() != SchemaSource.CLR;
  }

  private static void same(
      DescribedEvent described, @Nullable String task, EventReader event, Compared compared) {
    Schema schema = event.type().schema();
    String place = event.type() + " at " + event.record().ticks() + " " + described;
    assertTrue(schema != null, place);
    assertEquals(described.by().name(), source(schema), place);
    // testkit's reader prefers the symbol of the source code, the program task and opcode.
    String name =
        task == null || described.by() != DescribedEvent.By.EVENT_SOURCE ? described.event() : task;
    assertEquals(Conventions.event(described.by(), name), event.type().event(), place);
    if (!described.provider().isEmpty()) {
      assertEquals(described.provider(), event.type().provider(), place);
    }
    String message = schema.message();
    assertEquals(described.message(), message == null ? "" : message, place);
    List<String> expected = Conventions.lines(described.fields());
    assertEquals(String.join("\n", expected), String.join("\n", Conventions.lines(event)), place);
    assertEquals(described.complete(), !event.payload().isShort(), place);
    if (described.complete()) {
      int read = event.record().payloadLength() - event.payload().restLength();
      assertEquals(described.bytesRead(), read, place);
    }
    compared.values += expected.size();
    compared.events++;
  }

  private static String source(Schema schema) {
    return schema.source() == SchemaSource.EVENT_METADATA ? "EVENT_INFO" : schema.source().name();
  }
}
