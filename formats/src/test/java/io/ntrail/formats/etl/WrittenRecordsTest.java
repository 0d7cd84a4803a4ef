package io.ntrail.formats.etl;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.identity.Guid;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.etl.EtlBuffer;
import io.ntrail.testkit.etl.EtlKind;
import io.ntrail.testkit.etl.EtlRecord;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlShapes;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.RandomRecordings;
import io.ntrail.testkit.etl.TruthRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every field of every kind of record, as an independent writer wrote it. */
class WrittenRecordsTest {
  private static final UUID OTHER = UUID.fromString("11223344-5566-7788-99aa-bbccddeeff00");
  private static final long TIME = 3_072_009_300_000L;

  /** Writes one record after an event of 8 bytes less padding, and looks at what is read. */
  private static void read(EtlRecord record, Consumer<RecordCursor> look) {
    EtlSettings settings = EtlSettings.windows11().bufferSize(65536).slack(0xC0);
    EtlRecord before = EtlRecords.event(8, OTHER, 1).time(TIME - 1).payload(new byte[3]).build();
    byte[] file =
        new EtlWriter(settings).buffer(EtlBuffer.of(6, 0x1C, 1).add(before, record)).toByteArray();
    Gaps gaps = new Gaps();
    try (EtlFile etl = EtlFile.open(InputFile.of(file, "written"), gaps);
        RecordCursor cursor = etl.cursor(gaps)) {
      cursor.open(1);
      assertTrue(cursor.next());
      assertTrue(cursor.next());
      assertEquals(6, cursor.cpu());
      common(record, record.timed() ? record.time() : TIME - 1, cursor);
      look.accept(cursor);
      assertFalse(cursor.next());
      listed(record, cursor);
    }
    assertEquals(List.of(), gaps.list());
  }

  /** Compares what the list of a buffer's records says of each with what its header says. */
  private static void listed(EtlRecord record, RecordCursor cursor) {
    RecordTable table = new RecordTable();
    cursor.open(1);
    cursor.index(table);
    assertEquals(2, table.count());
    assertTrue(table.isEvent(0));
    assertEquals(TIME - 1, table.earliest(0, 2));
    assertEquals(record.timed() ? record.time() : TIME - 1, table.latest(0, 2));
    assertEquals(Long.MAX_VALUE, table.earliest(1, 1));
    assertEquals(Long.MIN_VALUE, table.latest(1, 1));
    assertEquals(record.bytes().length, table.size(1));
    cursor.moveTo(table, 1);
    RecordKind kind = cursor.kind();
    assertEquals(record.kind().name(), kind.name());
    assertEquals(kind.ordinal(), table.kindOrdinal(1));
    assertEquals(kind.isHook(), table.isHook(1));
    assertEquals(kind.isEvent(), table.isEvent(1));
    assertEquals(kind.isClassic(), table.isClassic(1));
    if (kind.isHook()) {
      assertEquals(cursor.hookId(), table.hookId(1));
      int firstWord = cursor.bytes().u16(cursor.offset());
      int known = firstWord < RecordTable.MORE ? cursor.version() : RecordTable.MORE;
      assertEquals(known, table.version(1));
      assertEquals(known << 20 | kind.ordinal() << 16 | cursor.hookId(), table.type(1));
    }
    if (table.isPlain(1)) {
      assertEquals(8, cursor.pointerBytes());
      assertEquals(cursor.offset() + RecordTable.PLAIN_HEADER, cursor.payloadOffset());
    }
  }

  /** Compares the fields that every record has. */
  private static void common(EtlRecord record, long time, RecordCursor cursor) {
    assertEquals(record.kind().name(), cursor.kind().name(), "kind");
    assertEquals(record.bytes().length, cursor.size(), "size");
    assertArrayEquals(record.bytes(), cursor.bytes().array(cursor.offset(), cursor.size()));
    assertEquals(time, cursor.ticks(), "time");
    assertEquals(record.timed(), cursor.hasTime(), "has a time");
    assertEquals((int) record.pid(), cursor.processId(), "process");
    assertEquals((int) record.tid(), cursor.threadId(), "thread");
    assertEquals(record.id(), cursor.id(), "id");
    assertEquals(record.opcode(), cursor.opcode(), "opcode");
    assertEquals(record.version(), cursor.version(), "version");
    UUID provider = record.provider();
    if (cursor.kind().isHook()) {
      assertEquals(Guid.ZERO, cursor.provider());
    } else if (provider != null) {
      assertEquals(provider.toString(), cursor.provider().toString(), "provider");
    }
    assertArrayEquals(
        record.payload(),
        cursor.bytes().array(cursor.payloadOffset(), cursor.payloadLength()),
        "payload");
    if (record.kind().pointerSize() != 0) {
      assertEquals(record.kind().pointerSize(), cursor.pointerBytes(), "pointer");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 8})
  void systemRecordHasItsHookThreadAndCpuTimes(int pointer) {
    read(
        EtlRecords.system(pointer, 0x0501)
            .version(4)
            .time(TIME)
            .thread(0xFFFF_FFFEL, 8)
            .cpuTimes(5, 0x8000_0001L)
            .payload(new byte[] {1, 2, 3})
            .build(),
        r -> {
          assertEquals(0x0501, r.hookId());
          assertEquals(0x8000_0001_0000_0005L, r.processorTime());
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 8})
  void compactRecordHasNoCpuTimes(int pointer) {
    read(
        EtlRecords.compact(pointer, 0xFFEE).time(TIME).thread(4, 8).payload(new byte[9]).build(),
        r -> {
          assertEquals(0xFFEE, r.hookId());
          assertEquals(0, r.processorTime());
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
  void perfInfoHasUpToSevenCounters(int count) {
    long[] counters = new long[count];
    Arrays.setAll(counters, i -> -1L - i);
    for (int pointer = 4; pointer <= 8; pointer += 4) {
      for (boolean pebs : new boolean[] {false, true}) {
        EtlRecords made = EtlRecords.perfInfo(pointer, 0x0F2E).version(255).time(TIME);
        made.counters(counters).payload(new byte[] {7});
        read(
            (pebs ? made.pebsIndex(0x8123_4567_89AB_CDEFL) : made).build(),
            r -> {
              assertEquals(count, r.pmcCount());
              assertEquals(pebs, r.hasPebsIndex());
              for (int i = 0; i < count; i++) {
                assertEquals(-1L - i, r.pmc(i));
              }
              if (pebs) {
                assertEquals(0x8123_4567_89AB_CDEFL, r.pebsIndex());
              }
            });
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 8})
  void fullAndInstanceRecordsHaveTheirClass(int pointer) {
    read(
        EtlRecords.full(pointer, OTHER)
            .opcode(255)
            .level(5)
            .version(0xFFFF)
            .time(TIME)
            .thread(1, 2)
            .cpuTimes(3, 4)
            .build(),
        r -> {
          assertEquals(5, r.level());
          assertEquals(4L << 32 | 3, r.processorTime());
          assertTrue(r.kind().isClassic());
        });
    read(
        EtlRecords.instance(pointer, OTHER)
            .opcode(7)
            .time(TIME)
            .instanceOf(-2, 9, EtlShapes.PROVIDER)
            .payload(new byte[5])
            .build(),
        r -> {
          assertEquals(0xFFFF_FFFEL, r.instanceId());
          assertEquals(9, r.parentInstanceId());
          assertEquals(EtlShapes.PROVIDER.toString(), r.parentGuid().toString());
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {4, 8})
  void eventHasItsDescriptor(int pointer) {
    read(
        EtlRecords.event(pointer, OTHER, 0xFFFE)
            .version(255)
            .opcode(254)
            .level(253)
            .descriptor(252, 0xFFFD, 0x8000_0000_0000_0010L)
            .property(0x000C)
            .flags(0x0012)
            .activity(EtlShapes.PROVIDER)
            .time(TIME)
            .thread(10, 20)
            .cpuTimes(1, 2)
            .payload(new byte[1])
            .build(),
        r -> {
          assertEquals(252, r.channel());
          assertEquals(253, r.level());
          assertEquals(0xFFFD, r.task());
          assertEquals(0x8000_0000_0000_0010L, r.keyword());
          assertEquals(0x000C, r.eventProperty());
          assertEquals(0x0012, r.eventFlags());
          assertEquals(EtlShapes.PROVIDER.toString(), r.activityId().toString());
          assertEquals(2L << 32 | 1, r.processorTime());
          assertFalse(r.hasExtendedItems());
          assertEquals(0, r.firstItem());
        });
  }

  @ParameterizedTest
  @EnumSource
  void everyExtendedItemIsFound(ExtendedItem type) {
    for (int length : new int[] {0, 1, 7, 8, 16, 1000}) {
      byte[] data = new byte[length];
      Arrays.fill(data, (byte) type.number());
      read(
          EtlRecords.event(8, OTHER, 1).time(TIME).item(type.number(), data).payload(data).build(),
          r -> {
            int item = r.firstItem();
            assertEquals(type.number(), r.itemType(item));
            assertEquals(length, r.itemLength(item));
            assertArrayEquals(data, r.bytes().array(r.itemData(item), length));
            assertEquals(0, r.nextItem(item));
            boolean stack =
                switch (type) {
                  case STACK_TRACE32, STACK_TRACE64, STACK_KEY32, STACK_KEY64 -> true;
                  default -> false;
                };
            // Less than a match id is no stack.
            assertEquals(stack && length >= 8, r.hasStackItem());
          });
    }
  }

  @Test
  void allExtendedItemsInOneEventComeInTheirOrder() {
    EtlRecords made = EtlRecords.event(4, OTHER, 1).time(TIME).payload(new byte[] {42});
    for (int type = 1; type <= 18; type++) {
      made.item(type, new byte[type]);
    }
    read(
        made.build(),
        r -> {
          List<Integer> types = new ArrayList<>();
          for (int item = r.firstItem(); item != 0; item = r.nextItem(item)) {
            types.add(r.itemType(item));
            assertEquals(r.itemType(item), r.itemLength(item));
          }
          assertEquals(18, types.size());
          for (int i = 0; i < 18; i++) {
            assertEquals(i + 1, types.get(i));
          }
        });
  }

  @Test
  void messagesOfAllFlagsInBothFramings() {
    for (int flags = 0; flags < 256; flags++) {
      int shown = flags;
      for (int framing = 0; framing < 2; framing++) {
        EtlRecords made =
            framing == 0
                ? EtlRecords.message(0xFFF0, flags)
                : EtlRecords.framedMessage(0xFFF0, flags);
        made.sequence(0xFFFF_FFFFL).component(0xFFFF_FFFEL).messageGuid(OTHER).time(TIME);
        read(
            made.thread(100, 200).payload(new byte[] {1, 2, 3, 4, 5}).build(),
            r -> {
              WppMessage m = r.message();
              assertEquals(shown, m.flags());
              assertEquals(0xFFF0, m.number());
              assertEquals((shown & 1) != 0 ? 0xFFFF_FFFFL : WppMessage.NO_SEQUENCE, m.sequence());
              String guid = "00000000-0000-0000-0000-000000000000";
              if ((shown & 2) != 0) {
                guid = OTHER.toString();
              } else if ((shown & 4) != 0) {
                guid = "fffffffe-0000-0000-0000-000000000000";
              }
              assertEquals(guid, m.guid().toString());
              assertEquals((shown & 8) != 0 ? TIME : 0, m.ticks());
              assertEquals((shown & 0x40) != 0 ? 4 : 8, r.pointerBytes());
            });
      }
    }
  }

  @Test
  void timedErrorAndWnodeRecordsAreWalked() {
    read(EtlRecords.timed(0x12345).time(TIME).payload(new byte[3]).build(), r -> {});
    read(EtlRecords.time32(0x12345).flags(0xAB).time(TIME).build(), r -> {});
    read(EtlRecords.error(OTHER).time(TIME).opcode(3).thread(1, 2).build(), r -> {});
    read(EtlRecords.wnode(OTHER).time(TIME).payload(new byte[11]).build(), r -> {});
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "RAW")
  void kindsAgreeWithTheWriters(EtlKind kind) {
    RecordKind ours = RecordKind.valueOf(kind.name());
    assertEquals(kind.type(), ours.headerType());
    assertEquals(kind.headerBytes(), ours.headerBytes());
    assertEquals(RecordKind.values().length, EtlKind.values().length - 1);
  }

  @Test
  void theLargestRecordIsRead() {
    EtlRecord largest =
        EtlRecords.event(8, OTHER, 1).time(TIME).payload(new byte[65_535 - 80 - 200]).build();
    read(largest, r -> assertEquals(65_335, r.size()));
  }

  @Test
  void lastRecordMayFillItsBufferToTheLastByte() {
    EtlSettings settings = EtlSettings.windows11().bufferSize(4096);
    EtlRecord whole =
        EtlRecords.perfInfo(8, 0x0F2E).time(TIME).payload(new byte[4096 - 72 - 16]).build();
    byte[] file = new EtlWriter(settings).buffer(EtlBuffer.of(0, 1, 1).add(whole)).toByteArray();
    Gaps gaps = new Gaps();
    try (EtlFile etl = EtlFile.open(InputFile.of(file, "full"), gaps);
        RecordCursor cursor = etl.cursor(gaps)) {
      cursor.open(1);
      assertTrue(cursor.next());
      assertEquals(4096 - 72, cursor.size());
      assertFalse(cursor.next());
      assertFalse(cursor.next());
    }
    assertEquals(List.of(), gaps.list());
  }

  @Test
  void anyRecordingIsReadBufferAfterBufferAsWritten() {
    Property.check(g -> {
      EtlWriter writer = RandomRecordings.content(g).writer();
      List<TruthRecord> truth = writer.truthInFileOrder();
      Gaps gaps = new Gaps();
      int seen = 0;
      try (EtlFile etl = EtlFile.open(InputFile.of(writer.toByteArray(), "random"), gaps);
          RecordCursor cursor = etl.cursor(gaps)) {
        for (int b = 0; b < etl.buffers().count(); b++) {
          cursor.open(b);
          while (cursor.next()) {
            TruthRecord expected = truth.get(seen++);
            assertEquals(expected.buffer(), b);
            assertEquals(expected.offset(), cursor.offset());
            assertEquals(expected.cpu(), cursor.cpu());
            assertEquals(expected.logger(), etl.buffers().loggerId(b));
            assertEquals(expected.sequence(), etl.buffers().sequence(b));
            common(expected.record(), expected.time(), cursor);
          }
        }
      }
      assertEquals(truth.size(), seen);
      assertEquals(List.of(), gaps.list());
    });
  }
}
