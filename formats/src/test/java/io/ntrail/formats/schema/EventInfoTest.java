package io.ntrail.formats.schema;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.ProcessorTime;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Blobs written by hand. */
class EventInfoTest {
  private static final UUID NONE = new UUID(0, 0);
  private static final EventInfo.Maps NO_MAPS = (provider, name) -> null;

  private static @Nullable EventInfo parse(byte[] blob) {
    return EventInfo.parse(Bytes.copyOf(blob, "test"), 0, blob.length);
  }

  private static EventInfo parsed(byte[] blob) {
    return Objects.requireNonNull(parse(blob));
  }

  private static String told(Schema schema, byte[] payload) {
    Payload read = new Payload();
    read.read(schema, Bytes.copyOf(payload, "test"), 0, payload.length, 8);
    return (read.isShort() ? "short " : "") + PayloadText.of(read);
  }

  @Test
  void namesAreStrippedAndTheEventIsCalledByTaskAndOpcode() {
    EventInfo info =
        parsed(
            new InfoBlob(0, NONE, 1)
                .text(52, "Provider ")
                .text(56, "win:Error ")
                .text(60, "Provider/Operational ")
                .text(68, "Task ")
                .text(72, "win:Start ")
                .text(76, "Said %1.\r\n")
                .text(64, "Key1 \0Key2 \0")
                .build());

    assertEquals("11111111-2222-3333-4455-66778899aabb", info.provider().toString());
    assertEquals(
        List.of(7, 2, 16, 4, 1, 3),
        List.of(
            info.id(), info.version(), info.channel(), info.level(), info.opcode(), info.task()));
    assertEquals(0x8000_0000_0000_0001L, info.keyword());
    assertEquals(
        new EventInfo.Names(
            "Provider",
            "Error",
            "Provider/Operational",
            List.of("Key1", "Key2"),
            "Task",
            "Start",
            null),
        info.names());
    assertEquals("Said %1.", info.message());
    Schema schema = info.schema(NO_MAPS);
    assertEquals("Provider", schema.provider());
    assertEquals("Task/Start", schema.event());
    assertEquals(SchemaSource.EVENT_METADATA, schema.source());
  }

  @Test
  void ownNameOfAnEventComesFirstButOfAClassItIsTheActivityInstead() {
    UUID klass = UUID.fromString("3d6fa8d0-fe05-11d0-9dda-00c04fd7ba7c");
    assertEquals(
        "Own",
        parsed(new InfoBlob(0, NONE, 1).text(68, "Task").text(92, "Own ").build()).eventName());
    EventInfo classic =
        parsed(
            new InfoBlob(1, klass, 1).text(68, "Process").text(72, "Start").text(92, "x").build());
    assertEquals("Process/Start", classic.eventName());
    assertTrue(classic.isClassic());
    assertEquals(klass.toString(), classic.event().toString());
    assertNull(parsed(new InfoBlob(0, NONE, 1).text(72, "Start").build()).eventName());
  }

  @Test
  void lengthsAndCountsComeFromProperties() {
    Schema schema =
        parsed(
                new InfoBlob(0, NONE, 0)
                    .property(0, "Size", 6, 6, 1, 2)
                    .property(2, "Data", 14, 15, 1, 0)
                    .property(0, "Count", 4, 4, 1, 1)
                    .property(4, "Values", 6, 6, 2, 2)
                    .property(2, "Text", 1, 1, 1, 2)
                    .property(0x10, "Fixed", 2, 1, 1, 3)
                    .property(0x20, "One", 4, 4, 1, 1)
                    .property(0, "Two", 4, 4, 2, 1)
                    .property(0, "End", 1, 1, 1, 0)
                    .build())
            .schema(NO_MAPS);

    assertEquals(
        "Size=2 Data=aabb Count=2 Values=[5 6] Text=AB Fixed=xyz One=[7] Two=[8 9] End=Z",
        told(
            schema,
            new LittleEndian()
                .u16(2)
                .u8(0xAA)
                .u8(0xBB)
                .u8(2)
                .u16(5)
                .u16(6)
                .u16('A')
                .u16('B')
                .u8('x')
                .u8('y')
                .u8('z')
                .u8(7)
                .u8(8)
                .u8(9)
                .utf16z("Z")
                .toByteArray()));
  }

  @Test
  void membersOfStructuresComeAfterTheTopLevel() {
    Schema schema =
        parsed(
                new InfoBlob(0, NONE, 0)
                    .property(0, "Count", 4, 4, 1, 1)
                    .property(1 | 4, "List", 3, 2, 0, 0)
                    .property(0, "End", 4, 4, 1, 1)
                    .member(0, "A", 4, 4, 1, 1)
                    .member(2, "B", 14, 15, 1, 3)
                    .build())
            .schema(NO_MAPS);

    assertEquals(
        "Count=2 List=[{A=1 B=aa} {A=2 B=bbcc}] End=9",
        told(schema, new byte[] {2, 1, (byte) 0xAA, 2, (byte) 0xBB, (byte) 0xCC, 9}));
  }

  @Test
  void propertiesOfEveryTdhTypeAreRead() {
    for (int in :
        new int[] {
          0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 25,
          300, 301, 302, 303, 304, 305, 306, 307, 308, 309, 310
        }) {
      assertEquals(
          2,
          parsed(
                  new InfoBlob(0, NONE, 0)
                      .property(0, "a", in, 0, 1, 0)
                      .property(0, "b", 4, 0, 1, 0)
                      .build())
              .schema(NO_MAPS)
              .fieldCount(),
          "in type " + in);
    }
    assertEquals(
        1,
        parsed(
                new InfoBlob(0, NONE, 0)
                    .property(0, "a", 4, 0, 1, 0)
                    .property(0, "b", 24, 0, 1, 0)
                    .property(0, "c", 4, 0, 1, 0)
                    .build())
            .schema(NO_MAPS)
            .fieldCount());
  }

  @Test
  void mapsAreLookedUpWhenTheSchemaIsMade() {
    EventInfo info =
        parsed(
            new InfoBlob(0, NONE, 0)
                .mapped(0, "State", 8, 8, "StateMap ", 1, 4)
                .mapped(0x80, "Custom", 25, 0, "NoMap", 1, 0)
                .build());
    Schema schema =
        info.schema((provider, name) -> new ValueMap(provider + name, false, Map.of(1L, "on")));

    ValueMap map = Objects.requireNonNull(schema.fields().getFirst().map());
    assertEquals("11111111-2222-3333-4455-66778899aabbStateMap", map.name());
    assertNull(schema.fields().get(1).map());
    assertNull(info.schema(NO_MAPS).fields().getFirst().map());
  }

  @Test
  void structureThatContainsItselfEnds() {
    Schema schema =
        parsed(new InfoBlob(0, NONE, 0).property(1, "Self", 0, 1, 1, 0).build()).schema(NO_MAPS);

    assertTrue(schema.fieldCount() <= Schema.MAX_DEPTH + 1);
    told(schema, new byte[10]);
  }

  @Test
  void structuresThatNameEachOtherManyTimesDoNotMultiply() {
    InfoBlob blob = new InfoBlob(0, NONE, 0);
    for (int i = 0; i < 30; i++) {
      blob.property(1, "s" + i, i + 1, 29 - i, 1, 0);
    }
    ProcessorTime.within(
        Duration.ofSeconds(2),
        () -> assertTrue(parsed(blob.build()).schema(NO_MAPS).fieldCount() < 200));
  }

  @Test
  void absurdNumbersOfPropertiesAreBoundedByTheBlob() {
    byte[] blob = new InfoBlob(0, NONE, 0).property(0, "a", 4, 0, 1, 0).build();
    LittleEndian.putU32(blob, 100, 0xFFFF_FFFFL);
    LittleEndian.putU32(blob, 104, 0xFFFF_FFFFL);

    assertTrue(parsed(blob).properties().size() <= blob.length / 24);
  }

  @Test
  void blobCutAnywhereIsRefusedOrGivesWhatIsThere() {
    byte[] blob =
        new InfoBlob(0, NONE, 0)
            .text(52, "Provider ")
            .text(64, "Key1 \0Key2 \0")
            .property(0, "a", 4, 0, 1, 0)
            .mapped(0, "b", 8, 0, "Map", 1, 0)
            .build();
    for (int length = 0; length < blob.length; length++) {
      EventInfo info = parse(Arrays.copyOf(blob, length));
      assertEquals(length >= 112, info != null);
      if (info != null) {
        told(info.schema(NO_MAPS), new byte[9]);
      }
    }
  }

  @Test
  void flippedBitsNeitherThrowNorHang() {
    byte[] blob =
        new InfoBlob(0, NONE, 0)
            .text(52, "Provider ")
            .text(64, "Key1 \0Key2 \0")
            .property(0, "Count", 4, 4, 1, 1)
            .property(1 | 4, "List", 3, 2, 0, 0)
            .property(0, "End", 4, 4, 1, 1)
            .member(0, "A", 4, 4, 1, 1)
            .member(2, "B", 14, 15, 1, 3)
            .build();
    SplittableRandom random = new SplittableRandom(3);
    ProcessorTime.within(
        Duration.ofSeconds(20),
        () -> {
          for (int run = 0; run < 20_000; run++) {
            byte[] broken = blob.clone();
            for (int flips = 1 + random.nextInt(4); flips > 0; flips--) {
              broken[random.nextInt(broken.length)] ^= (byte) (1 << random.nextInt(8));
            }
            TraceLoggingTest.read(parsed(broken).schema(NO_MAPS), blob);
          }
        });
  }

  /** GUID, then an {@code EVENT_MAP_INFO} with one text and one entry for each pair. */
  private static byte[] map(int flags, int valueType, Object... entries) {
    LittleEndian to = new LittleEndian().guid(new UUID(1, 2)).zeros(4).u32(flags);
    to.u32(entries.length / 2).u32(valueType).zeros(4 * entries.length);
    to.setU32(16, to.size() - 16);
    to.utf16z("Map ");
    for (int i = 0; i < entries.length; i += 2) {
      to.setU32(32 + 4 * i, to.size() - 16);
      to.utf16z((String) entries[i]);
      if (entries[i + 1] instanceof String text) {
        to.setU32(36 + 4 * i, to.size() - 16);
        to.utf16z(text);
      } else {
        to.setU32(36 + 4 * i, (Integer) entries[i + 1]);
      }
    }
    return to.toByteArray();
  }

  private static ValueMap values(byte[] blob) {
    EventMapInfo info = EventMapInfo.parse(Bytes.copyOf(blob, "test"), 0, blob.length);
    return assertNotNullMap(info);
  }

  private static ValueMap assertNotNullMap(@Nullable EventMapInfo info) {
    assertNotNull(info);
    return Objects.requireNonNull(info).map();
  }

  @Test
  void mapsNameValuesOrBits() {
    ValueMap values = values(map(1, 0, "zero ", 0, "one ", 1, "last ", -1));
    assertEquals("Map", values.name());
    assertEquals("one", values.text(1));
    assertEquals("last", values.text(0xFFFF_FFFFL));
    assertEquals("last", values.text(-1));

    assertEquals("a|c", values(map(2, 0, "a", 1, "b", 2, "c", 4)).text(5));
    assertEquals(Map.of(), values(map(4, 1, "a", "%1", "b", "%2")).texts());
  }

  @Test
  void mapsOfClassesNameTextsOrPositions() {
    assertEquals(
        Map.of(1L, "a", 16L, "b"), values(map(8, 1, "a", "1", "b", "0x10", "c", "x")).texts());
    assertEquals(Map.of(0L, "a", 1L, "b"), values(map(8 | 0x40, 0, "a", 7, "b", 7)).texts());
    assertEquals(Map.of(1L, "a", 2L, "b"), values(map(0x10 | 0x40, 0, "a", 7, "b", 7)).texts());
    assertTrue(values(map(8 | 0x20, 0, "a", 1)).bits());
  }

  @Test
  void mapCutAnywhereIsRefusedOrGivesWhatIsThere() {
    byte[] blob = map(1, 0, "zero ", 0, "one ", 1);
    for (int length = 0; length < blob.length; length++) {
      EventMapInfo.parse(Bytes.copyOf(Arrays.copyOf(blob, length), "test"), 0, length);
    }
    LittleEndian.putU32(blob, 24, 0xFFFF_FFFFL);
    assertTrue(values(blob).texts().size() < blob.length);
  }
}
