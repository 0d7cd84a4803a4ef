package io.ntrail.formats.schema;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.testkit.baseline.Baseline;
import io.ntrail.testkit.baseline.BaselineEvent;
import io.ntrail.testkit.baseline.Decoded;
import io.ntrail.testkit.baseline.Printed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

  /** Names of the tool that differ from the runtime's: event, its field, our field. */
  private static final Map<String, String> OTHER_NAMES =
      Map.of(
          "GC/MarkWithType Promoted", "Bytes",
          "Type/BulkType TypeID_0", "Values[0].TypeID",
          "Type/BulkType TypeName_0", "Values[0].Name");

  /** Fields that the tool looks up in other events. */
  private static final Set<String> LOOKED_UP = Set.of("GC/FinalizeObject TypeName");

  /** Fields of one event's other layouts, which the tool prints as empty for all of them. */
  private static final Set<String> OTHER_LAYOUTS =
      Set.of(
          "GC/PerHeapHistory FreeListAllocated",
          "GC/PerHeapHistory FreeListRejected",
          "GC/PerHeapHistory EndOfSegAllocated",
          "GC/PerHeapHistory CondemnedAllocated",
          "GC/PerHeapHistory PinnedAllocated",
          "GC/PerHeapHistory PinnedAllocatedAdvance",
          "GC/PerHeapHistory RunningFreeListEfficiency",
          "GC/PerHeapHistory ConcurrentCompactMechanisms",
          "GC/PerHeapHistory Count",
          "GC/PerHeapHistory MemoryPressure",
          "GC/GlobalHeapHistory PauseMode",
          "GC/GlobalHeapHistory MemoryPressure",
          "GC/GlobalHeapHistory CondemnReasons0",
          "GC/GlobalHeapHistory CondemnReasons1",
          "GC/GlobalHeapHistory Count");

  /** Kinds that the tool uses for itself and does not count. */
  private static final Set<String> CONSUMED =
      Set.of(
          "Microsoft-Windows-DotNETRuntime/ClrStack/Walk",
          "Microsoft-Windows-DotNETRuntime/Method/ILToNativeMap",
          "Microsoft-Windows-DotNETRuntimeRundown/Method/DCStopVerbose",
          "Microsoft-Windows-DotNETRuntimeRundown/Method/ILToNativeMapDCStop");

  private static final int JIT_HELPER = 0x10;

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
      if (event.provider().startsWith("Microsoft-Windows-DotNETRuntime")) {
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
          if (isCounted(name)) {
            counts.merge(name, 1L, Long::sum);
          }
          Line line = matching(open, file, record, name);
          if (line != null) {
            compared[0]++;
            compared[1] += line.event().fields().size();
          }
        });
    Map<String, Long> expectedCounts = new TreeMap<>(baseline.counts());
    expectedCounts.keySet().removeIf(n -> !n.startsWith("Microsoft-Windows-DotNETRuntime"));
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

  private boolean isCounted(String name) {
    if (name.endsWith("DotNETRuntime/Method/LoadVerbose")) {
      // The tool keeps the runtime's own helpers for itself.
      return (payload.integer(payload.find("MethodFlags")) & JIT_HELPER) == 0;
    }
    return !CONSUMED.contains(name);
  }

  /** The line that tells of this record, taken out of the open ones; null if there is none. */
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
    Map<String, Decoded> fields = DecodedFields.of(payload);
    event
        .fields()
        .forEach((name, printed) -> {
          Decoded decoded = decoded(event.event(), name, printed, fields, record);
          if (decoded == null) {
            differences.add(name + " is unknown");
          } else if (!Printed.same(printed, decoded)) {
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

  private static @Nullable Decoded decoded(
      String event, String name, String printed, Map<String, Decoded> fields, RecordCursor record) {
    String key = event + " " + name;
    if (LOOKED_UP.contains(key)) {
      return new Decoded.Text(printed);
    }
    Decoded found = fields.get(OTHER_NAMES.getOrDefault(key, name));
    if (found == null) {
      found = derived(key, fields);
    }
    if (found == null && OTHER_LAYOUTS.contains(key)) {
      return new Decoded.Nothing();
    }
    if (found == null && isInNewerVersion(record, name)) {
      // The tool prints fields of newer versions as zeros.
      return new Decoded.Whole(0, 8, null);
    }
    return found;
  }

  /** What the tool computes from other fields of the same event. */
  private static @Nullable Decoded derived(String key, Map<String, Decoded> fields) {
    return switch (key) {
      case "GC/HeapStats TotalHeapSize" -> sum("GenerationSize", fields);
      case "GC/HeapStats TotalPromoted" -> sum("TotalPromotedSize", fields);
      // The oldest generation that something was promoted from.
      case "GC/HeapStats Depth" ->
          new Decoded.Whole(isZero(fields.get("TotalPromotedSize1")) ? 0 : 1, 4, null);
      case "Method/LoadVerbose OptimizationTier", "Method/UnloadVerbose OptimizationTier" ->
          fields.get("MethodFlags") instanceof Decoded.Whole flags && (flags.value() & 0x380) == 0
              ? new Decoded.Text("Unknown")
              : null;
      case "Loader/ModuleLoad ModuleILFileName",
          "Loader/ModuleUnload ModuleILFileName",
          "Loader/ModuleDCStop ModuleILFileName" ->
          fields.get("ModuleILPath") instanceof Decoded.Text path
              ? new Decoded.Text(path.value().substring(path.value().lastIndexOf('\\') + 1))
              : null;
      default -> null;
    };
  }

  private static boolean isZero(@Nullable Decoded decoded) {
    return decoded instanceof Decoded.Whole number && number.value() == 0;
  }

  private static Decoded sum(String prefix, Map<String, Decoded> fields) {
    long sum = 0;
    for (int generation = 0; generation < 5; generation++) {
      if (fields.get(prefix + generation) instanceof Decoded.Whole size) {
        sum += size.value();
      }
    }
    return new Decoded.Whole(sum, 8, null);
  }

  private static boolean isInNewerVersion(RecordCursor record, String name) {
    Schema newest = CLR.schema(record.provider(), record.id(), Integer.MAX_VALUE);
    return newest != null && newest.fields().stream().anyMatch(f -> f.name().equals(name));
  }
}
