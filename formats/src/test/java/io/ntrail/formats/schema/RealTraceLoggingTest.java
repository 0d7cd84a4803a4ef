package io.ntrail.formats.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.etl.ExtendedItem;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/** Events of real recordings that describe themselves. */
class RealTraceLoggingTest {
  private final TraceLoggingSchemas schemas = new TraceLoggingSchemas();

  private void walk(String name, BiConsumer<RecordCursor, Schema> visitor) {
    SchemaRecordings.walk(
        name,
        record -> {
          int item = record.kind().isEvent() ? itemOf(record) : 0;
          if (item != 0) {
            visitor.accept(
                record,
                schemas.schema(record.bytes(), record.itemData(item), record.itemLength(item)));
          }
        });
  }

  private static int itemOf(RecordCursor record) {
    return SchemaRecordings.item(record, ExtendedItem.EVENT_SCHEMA_TL);
  }

  private String provider(RecordCursor record) {
    int item = SchemaRecordings.item(record, ExtendedItem.PROV_TRAITS);
    return schemas
        .traits(record.bytes(), record.itemData(item), record.itemLength(item))
        .provider();
  }

  @Test
  void everyEventIsNamedAndConsumedToItsLastByte() {
    Map<String, Integer> events = new LinkedHashMap<>();
    for (String name : SchemaRecordings.all()) {
      walk(
          name,
          (record, schema) -> {
            Payload payload = SchemaRecordings.read(schema, record);
            assertEquals(0, payload.restLength(), () -> name + " " + schema);
            assertTrue(!payload.isShort() && schema.event() != null, () -> name + " " + schema);
            events.merge(provider(record), 1, Integer::sum);
          });
    }

    assertEquals(
        Map.of(
            "AmsiTrace", 19,
            "Microsoft.Windows.Subsystem.LxCore", 2,
            "Microsoft-Diagnostics-DiagnosticSource", 256,
            "CSharpTraceLoggingEventSource", 70,
            "Atum-Hw3d", 1,
            "MySource", 1,
            "solar_system", 5,
            "WUTraceLogging", 80,
            "Microsoft.Windows.WaaSMedic.Local", 17,
            "sonde-gateway", 9),
        events);
  }

  @Test
  void providerGroupIsReadFromTheTraits() {
    List<String> groups = new ArrayList<>();
    walk(
        "airbus-lxcore_kernel",
        (record, schema) -> {
          int item = SchemaRecordings.item(record, ExtendedItem.PROV_TRAITS);
          groups.add(
              String.valueOf(
                  TraceLogging.traits(
                          record.bytes(), record.itemData(item), record.itemLength(item))
                      .group()));
        });

    assertEquals(
        List.of("4f50731a-89cf-4782-b3e0-dce8c90476ba", "4f50731a-89cf-4782-b3e0-dce8c90476ba"),
        groups);
  }

  /**
   * The other decoder shows 64-bit numbers as signed, characters as numbers and cuts long values.
   */
  @Test
  void primitiveTypesAreThoseOfTheBaseline() throws IOException {
    List<String> lines = new ArrayList<>();
    walk(
        "perfview-primitive-types",
        (record, schema) -> {
          Payload payload = SchemaRecordings.read(schema, record);
          StringBuilder line =
              new StringBuilder(provider(record))
                  .append('/')
                  .append(schema.event())
                  .append(" DataLen=")
                  .append(record.payloadLength())
                  .append("; ");
          for (int i = 0; i < payload.size(); i++) {
            Field field = payload.field(i);
            String value =
                switch (field.in()) {
                  case UINT64 -> Long.toString(payload.integer(i));
                  case UINT8 ->
                      field.out() == OutType.STRING
                          ? Long.toString(payload.integer(i))
                          : payload.bool(i) ? "True" : "False";
                  case GUID -> payload.text(i).substring(0, 20);
                  case FILETIME, SYSTEMTIME -> null;
                  default -> payload.text(i);
                };
            if (value != null) {
              line.append(field.name()).append('=').append(value).append("; ");
            }
          }
          lines.add(line.toString());
        });

    List<String> expected = new ArrayList<>();
    for (String line :
        new String(
                TestData.gunzip("etl/perfview-primitive-types.baseline.txt.gz"),
                StandardCharsets.UTF_8)
            .lines()
            .toList()) {
      if (line.contains("PrimitiveTypesTest PID")) {
        int name = line.indexOf("solar_system");
        expected.add(
            line.substring(name, line.indexOf(" PID"))
                + line.substring(line.indexOf(" DataLen"), line.indexOf("file_time_type"))
                    .replace("...", ""));
      }
    }
    assertEquals(5, expected.size());
    assertEquals(expected, lines);
  }

  /** The list is 0, 2, 3, 4 in the bytes, whatever the program that wrote it was meant to write. */
  @Test
  void firstSevenEventsOfTheDotNetTesterAreTheOnesItWrites() {
    List<String> told = new ArrayList<>();
    walk(
        "etwanalyzer-TraceLoggingTester",
        (record, schema) -> {
          if (told.size() < 7) {
            told.add(schema.event() + ": " + PayloadText.of(SchemaRecordings.read(schema, record)));
          }
        });

    assertEquals(
        List.of(
            "MarkString: input=Hello, ETW!",
            "MarkStringInteger: input=Hello, ETW with number number1=42",
            "MarkBoolByteCharDoubleInt16Int32Int64SByteUInt16UInt32UInt64: boolean=true b=0 c=A"
                + " d=3.14 i16=-32768 i32=2147483647 i64=9223372036854775807 sb=-128 u16=65535"
                + " u32=4294967295 u64=18446744073709551615",
            "WriteIntList: numbers=[0 2 3 4]",
            "WriteDateTime: dateTime=2000-01-01T00:00:00.0000000Z",
            "WriteTimeSpan: timeSpan=420000000",
            "WriteGuid: guid=00000000-0000-0000-0000-000000000001"),
        told);
  }
}
