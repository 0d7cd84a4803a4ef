package io.ntrail.formats.schema;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.testkit.Property;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The table of the .NET runtime's events on every record of it that the shared recordings have. */
class ClrRecordsTest {
  private static final SchemaTable CLR = SchemaTable.clr();

  @ParameterizedTest
  @EnabledIf(
      value = "io.ntrail.formats.schema.SharedRecords#present",
      disabledReason = "no shared recordings on this machine")
  @CsvSource({
    "perfview-net45-x86-win7, 122145, 59",
    "perfview-net452-x64, 67368, 69",
    "perfview-gcevents, 69, 20",
    "diaghub.user_paged.1, 21757, 14",
    "etwanalyzer-TraceLoggingTester, 47490, 10",
    "perfview-smallEtlFile-32bit, 1, 1"
  })
  void everyRecordIsConsumedToItsLastByte(String recording, int records, int kinds)
      throws IOException {
    Payload payload = new Payload();
    Map<String, Integer> left = new TreeMap<>();
    Set<String> seen = new HashSet<>();
    int[] consumed = {0};
    SharedRecords.walk(
        recording,
        (file, record) -> {
          if (!SharedRecords.hasDescriptor(record) || CLR.provider(record.provider()) == null) {
            return;
          }
          String kind =
              CLR.provider(record.provider()) + "/" + record.id() + " v" + record.version();
          seen.add(kind);
          Schema schema = CLR.schema(record.provider(), record.id(), record.version());
          if (schema == null) {
            left.merge(kind + " is not known", 1, Integer::sum);
            return;
          }
          payload.read(
              schema,
              record.bytes(),
              record.payloadOffset(),
              record.payloadLength(),
              record.pointerBytes());
          if (payload.isShort() || payload.restLength() > 0) {
            left.merge(kind + " leaves " + payload.restLength(), 1, Integer::sum);
          } else {
            consumed[0]++;
          }
        });

    assertAll(
        () -> assertEquals(Map.of(), left),
        () -> assertEquals(records, consumed[0]),
        () -> assertEquals(kinds, seen.size(), seen::toString));
  }

  @Test
  void everyRowReadsAnyBytes() {
    List<Schema> schemas = CLR.all();
    Payload payload = new Payload();
    Property.check(g -> {
      byte[] bytes = g.bytes(400);
      int pointerBytes = g.flag() ? 8 : 4;
      for (Schema schema : schemas) {
        payload.read(schema, Bytes.copyOf(bytes, "random"), 0, bytes.length, pointerBytes);
        for (int i = 0; i < payload.size(); i++) {
          if (payload.token(i) == Payload.Token.VALUE) {
            assertNotNull(payload.text(i));
          }
        }
        assertTrue(payload.restLength() >= 0);
        assertTrue(payload.restOffset() <= bytes.length);
      }
    });
  }

  @Test
  void everyEventOfEveryVersionHasAName() {
    for (Schema schema : CLR.all()) {
      String event = schema.event();
      assertNotNull(event);
      assertTrue(event.matches("[A-Za-z]\\w*(/[A-Za-z]\\w*)?"), event);
    }
    assertTrue(CLR.all().size() >= 448);
  }

  @Test
  void tierOfAMethodFollowsFromItsFlags() {
    ValueMap flags = CLR.map("MethodFlags");
    assertNotNull(flags);

    assertEquals("Jitted", flags.text(0x8));
    assertEquals("Jitted|QuickJitted", flags.text(0x188));
    assertEquals("Jitted|OptimizedTier1", flags.text(0x208));
    assertEquals("Jitted|OptimizedTier1OSR", flags.text(0x288));
    assertEquals("Dynamic|Jitted|Optimized", flags.text(0x109));
    assertEquals("MinOptJitted|Cold", flags.text(0x1000_0080));
  }
}
