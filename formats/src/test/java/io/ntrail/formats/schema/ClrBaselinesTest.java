package io.ntrail.formats.schema;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.testkit.baseline.Baseline;
import io.ntrail.testkit.baseline.BaselineComparison;
import io.ntrail.testkit.baseline.BaselineEvent;
import io.ntrail.testkit.baseline.ClrBaseline;
import io.ntrail.testkit.baseline.DecodedValue;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The .NET runtime's events as we decode them against what another decoder printed: every line with
 * every field, and how many there are of each kind.
 */
@EnabledIf(
    value = "io.ntrail.formats.schema.SharedRecords#present",
    disabledReason = "no shared recordings on this machine")
class ClrBaselinesTest {
  private static final SchemaTable CLR = SchemaTable.clr();

  private final Payload payload = new Payload();

  private record Line(BaselineEvent event, List<String> differences) {}

  @ParameterizedTest
  @CsvSource({
    "perfview-net45-x86-win7, 253, 1679",
    "perfview-net452-x64, 218, 1213",
    "perfview-gcevents, 51, 275",
    "perfview-primitive-types, 0, 0"
  })
  void everyLineAndEveryCountIsWhatWeDecode(String recording, int lines, int fields)
      throws IOException {
    Baseline baseline = Baseline.of(recording);
    Map<Long, List<Line>> open = new LinkedHashMap<>();
    int[] compared = {0, 0};
    int expectedLines = 0;
    for (BaselineEvent event : baseline.events()) {
      if (event.provider().startsWith(ClrBaseline.PROVIDERS)) {
        open.computeIfAbsent(event.micros(), m -> new ArrayList<>())
            .add(new Line(event, new ArrayList<>()));
        expectedLines++;
      }
    }
    Map<String, Long> counts = new TreeMap<>();
    SharedRecords.walk(
        recording,
        (file, record) -> {
          String name = read(record);
          if (name == null) {
            return;
          }
          if (ClrBaseline.isCounted(name, () -> DecodedFields.of(payload))) {
            counts.merge(name, 1L, Long::sum);
          }
          Line line = matching(open, file, record, name);
          if (line != null) {
            compared[0]++;
            compared[1] += line.event().fields().size();
          }
        });
    Map<String, Long> expectedCounts = new TreeMap<>(baseline.counts());
    expectedCounts.keySet().removeIf(n -> !n.startsWith(ClrBaseline.PROVIDERS));
    List<Line> missed = open.values().stream().flatMap(List::stream).toList();

    int total = expectedLines;
    assertAll(
        () -> assertEquals(List.of(), missed),
        () -> assertEquals(expectedCounts, counts),
        () -> assertEquals(total, compared[0]),
        () -> assertEquals(lines, compared[0]),
        () -> assertEquals(fields, compared[1]));
  }

  /** Reads a record of the runtime into the payload; null if it is none. */
  private @Nullable String read(RecordCursor record) {
    if (!SharedRecords.hasDescriptor(record)) {
      return null;
    }
    Schema schema = CLR.schema(record.provider(), record.id(), record.version());
    if (schema == null) {
      return null;
    }
    payload.read(
        schema,
        record.bytes(),
        record.payloadOffset(),
        record.payloadLength(),
        record.pointerBytes());
    return schema.provider() + "/" + schema.event();
  }

  /** The line of this record, taken out of the open ones; null if there is none. */
  private @Nullable Line matching(
      Map<Long, List<Line>> open, EtlFile file, RecordCursor record, String name) {
    long ticks = record.ticks() - file.clock().headerTicks();
    long frequency = file.clock().ticksPerSecond();
    long micros = Math.round(ticks * 1e6 / frequency);
    for (long at = micros - 1; at <= micros + 1; at++) {
      List<Line> lines = open.getOrDefault(at, List.of());
      for (Line line : lines) {
        BaselineEvent event = line.event();
        if (event.isAt(ticks, frequency) && event.name().equals(name)) {
          List<String> differences = differences(event, record);
          if (differences.isEmpty()) {
            lines.remove(line);
            if (lines.isEmpty()) {
              open.remove(at);
            }
            return line;
          }
          line.differences().addAll(differences);
        }
      }
    }
    return null;
  }

  private List<String> differences(BaselineEvent event, RecordCursor record) {
    List<String> differences = new ArrayList<>();
    compare("DataLen", event.dataLength(), record.payloadLength(), differences);
    compare("PID", event.process(), record.processId(), differences);
    compare("TID", event.thread(), record.threadId(), differences);
    compare("ProceNum", event.cpu(), record.cpu(), differences);
    Map<String, DecodedValue> fields = DecodedFields.of(payload);
    event
        .fields()
        .forEach((name, printed) -> {
          DecodedValue decoded = decoded(event.event(), name, printed, fields, record);
          if (decoded == null) {
            differences.add(name + " is unknown");
          } else if (!BaselineComparison.same(printed, decoded)) {
            differences.add(name + " is " + decoded + ", printed " + printed);
          }
        });
    return differences;
  }

  private static void compare(String what, int printed, int decoded, List<String> differences) {
    if (printed != decoded) {
      differences.add(what + " is " + decoded + ", printed " + printed);
    }
  }

  private static @Nullable DecodedValue decoded(
      String event,
      String name,
      String printed,
      Map<String, DecodedValue> fields,
      RecordCursor record) {
    String key = event + " " + name;
    if (ClrBaseline.isLookedUp(key)) {
      return new DecodedValue.Text(printed);
    }
    DecodedValue found = ClrBaseline.value(key, name, fields);
    if (found == null && ClrBaseline.isOfOtherLayout(key)) {
      return new DecodedValue.Nothing();
    }
    if (found == null && isInNewerVersion(record, name)) {
      // The tool prints fields of newer versions as zeros.
      return new DecodedValue.Whole(0, 8, null);
    }
    return found;
  }

  private static boolean isInNewerVersion(RecordCursor record, String name) {
    Schema newest = CLR.schema(record.provider(), record.id(), Integer.MAX_VALUE);
    return newest != null && newest.fields().stream().anyMatch(f -> f.name().equals(name));
  }
}
