package io.ntrail.formats.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.identity.Guid;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Descriptions that merges put into real recordings. */
class RealEventInfoTest {
  private static final Guid MERGE = Guid.parse("bbccf6c1-6cd1-48c4-80ff-839482e37671");

  private record Key(Guid provider, int id, int version) {}

  private final Map<Key, EventInfo> infos = new HashMap<>();
  private final Map<String, ValueMap> maps = new HashMap<>();

  private void collect(RecordCursor record) {
    if (record.kind().isHook() || !record.provider().equals(MERGE)) {
      return;
    }
    if (record.opcode() == 32) {
      EventInfo info =
          Objects.requireNonNull(
              EventInfo.parse(record.bytes(), record.payloadOffset(), record.payloadLength()));
      infos.put(new Key(info.provider(), info.id(), info.version()), info);
    } else if (record.opcode() == 33) {
      EventMapInfo map =
          Objects.requireNonNull(
              EventMapInfo.parse(record.bytes(), record.payloadOffset(), record.payloadLength()));
      maps.put(map.provider() + map.map().name(), map.map());
    }
  }

  private Map<Key, Schema> schemas(String name) {
    infos.clear();
    maps.clear();
    SchemaRecordings.walk(name, this::collect);
    Map<Key, Schema> schemas = new HashMap<>();
    infos.forEach((key, info) -> {
      Schema schema =
          info.schema((provider, map) ->
              Objects.requireNonNull(maps.get(provider + map), () -> "no map " + map));
      assertEquals(info.properties().size(), schema.fieldCount(), schema::toString);
      schemas.put(key, schema);
    });
    return schemas;
  }

  /**
   * Consumed: no byte is left and no field is missing. What is not: the runtime's own manifest says
   * that CLRStackWalk has two frames, however many there are.
   */
  @Test
  void everyDescribedEventIsConsumedToItsLastByte() {
    Map<String, String> found = new TreeMap<>();
    for (String name : SchemaRecordings.all()) {
      Map<Key, Schema> schemas = schemas(name);
      if (schemas.isEmpty()) {
        continue;
      }
      int[] events = new int[2];
      SchemaRecordings.walk(
          name,
          record -> {
            Schema schema =
                record.kind().isEvent()
                    ? schemas.get(new Key(record.provider(), record.id(), record.version()))
                    : null;
            if (schema == null) {
              return;
            }
            events[0]++;
            Payload payload = SchemaRecordings.read(schema, record);
            if (payload.isShort() || payload.restLength() > 0) {
              assertEquals("CLRStack/CLRStackWalk", schema.event());
              events[1]++;
            }
          });
      found.put(
          name,
          infos.size()
              + " infos, "
              + maps.size()
              + " maps, "
              + events[0]
              + " events, "
              + events[1]
              + " not consumed");
    }

    assertEquals(
        new TreeMap<>(
            Map.of(
                "demikernel-PktMon",
                "12 infos, 9 maps, 403 events, 0 not consumed",
                "diaghub",
                "17 infos, 7 maps, 0 events, 0 not consumed",
                "etwanalyzer-TraceLoggingTester",
                "10 infos, 8 maps, 47490 events, 0 not consumed",
                "perfview-net45-x86-win7",
                "6 infos, 1 maps, 95 events, 0 not consumed",
                "perfview-net452-x64",
                "61 infos, 24 maps, 66394 events, 14983 not consumed")),
        found);
  }

  @Test
  void networkPacketsAreReadWithTheNamesOfTheirValues() {
    Map<Key, Schema> schemas = schemas("demikernel-PktMon");
    Schema packet =
        Objects.requireNonNull(
            schemas.get(new Key(Guid.parse("4d4f80d9-c8bd-4d73-bb5b-19c90402c5ac"), 160, 0)));

    assertEquals("Microsoft-Windows-PktMon", packet.provider());
    Field direction = packet.fields().get(3);
    assertEquals("DirTag", direction.name());
    assertEquals("Rx", Objects.requireNonNull(direction.map()).text(3));
  }
}
