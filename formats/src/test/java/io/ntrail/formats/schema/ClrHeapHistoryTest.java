package io.ntrail.formats.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.testkit.baseline.DecodedValue;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * GC/PerHeapHistory, whose layout is in no manifest for the .NET Framework, against the
 * GC/HeapStats that follow it: the sizes of the generations after a collection are in both.
 */
@EnabledIf(
    value = "io.ntrail.formats.schema.SharedRecords#present",
    disabledReason = "no shared recordings on this machine")
class ClrHeapHistoryTest {
  private static final SchemaTable CLR = SchemaTable.clr();

  private record Sizes(long ticks, int process, boolean history, List<Long> sizes) {}

  @ParameterizedTest
  @CsvSource({"perfview-net45-x86-win7, 1050", "perfview-net452-x64, 264", "perfview-gcevents, 2"})
  void generationsAreAsLargeAsHeapStatsSay(String recording, int collections) throws IOException {
    Payload payload = new Payload();
    List<Sizes> found = new ArrayList<>();
    SharedRecords.walk(
        recording,
        (file, record) -> {
          Schema schema =
              SharedRecords.hasDescriptor(record)
                  ? CLR.schema(record.provider(), record.id(), record.version())
                  : null;
          String event = schema == null ? null : schema.event();
          boolean history = "GC/PerHeapHistory".equals(event);
          if (schema != null && (history || "GC/HeapStats".equals(event))) {
            payload.read(
                schema,
                record.bytes(),
                record.payloadOffset(),
                record.payloadLength(),
                record.pointerBytes());
            found.add(
                new Sizes(
                    record.ticks(),
                    record.processId(),
                    history,
                    sizes(DecodedFields.of(payload), history)));
          }
        });
    found.sort(Comparator.comparingLong(Sizes::ticks));

    assertEquals(collections, pairs(found));
  }

  private static List<Long> sizes(Map<String, DecodedValue> fields, boolean history) {
    List<Long> sizes = new ArrayList<>();
    for (int generation = 0; generation < 4; generation++) {
      String name =
          history ? "Values[" + generation + "].SizeAfter" : "GenerationSize" + generation;
      if (fields.get(name) instanceof DecodedValue.Whole size) {
        sizes.add(size.value());
      }
    }
    return sizes;
  }

  private static int pairs(List<Sizes> found) {
    int pairs = 0;
    @Nullable Sizes history = null;
    for (Sizes sizes : found) {
      if (sizes.history()) {
        history = sizes;
      } else if (history != null && history.process() == sizes.process()) {
        assertEquals(4, sizes.sizes().size());
        assertEquals(sizes.sizes(), history.sizes(), "collection " + pairs);
        pairs++;
        history = null;
      }
    }
    return pairs;
  }
}
