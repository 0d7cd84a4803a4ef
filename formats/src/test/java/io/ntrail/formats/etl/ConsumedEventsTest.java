package io.ntrail.formats.etl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.etl.EtlRecord;
import io.ntrail.testkit.etl.EtlRecords;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Records that EVENT_RECORDs become, beside those that the testkit writes for the same events, as
 * sessions write them into files.
 */
class ConsumedEventsTest {
  private static final UUID OWN = UUID.fromString("9c2a37f3-e5fd-5cae-bcd1-43dafeee1ff0");
  private static final UUID PROCESS = UUID.fromString("3d6fa8d0-fe05-11d0-9dda-00c04fd7ba7c");
  private static final UUID PERF = UUID.fromString("ce1dbfb4-137e-4da6-87b0-3f59aa102cbc");
  private static final UUID LOST = UUID.fromString("6a399ae0-4bc6-4de9-870b-3657f8947e7e");
  private static final UUID HEADER = UUID.fromString("68fdd900-4a3e-11d1-84f4-0000f80464e3");

  // EVENT_HEADER_FLAG_* of evntcons.h.
  private static final int EXTENDED = 1;
  private static final int STRING = 4;
  private static final int MESSAGE = 8;
  private static final int BITS_32 = 0x20;
  private static final int BITS_64 = 0x40;
  private static final int CLASSIC = 0x100;
  private static final int INDEX = 0x200;

  private static final byte[] DATA = {1, 2, 3, 4, 5};
  private static final long TIME = 1_000_007;

  /** Extended item of an event. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Item(int type, byte[] data) {}

  /** Returns an EVENT_RECORD with what it points to behind it. */
  private static Bytes event(
      UUID provider, int flags, int processor, int tid, int pid, byte[] data, Item... items) {
    LittleEndian out = new LittleEndian(256);
    out.u16(80 + data.length).u16(0xEEEE).u16(flags).u16(8).u32(tid).u32(pid).u64(TIME);
    out.guid(provider).u16(77).u8(3).u8(11).u8(4).u8(46).u16(9).u64(0x8000_0000_0000_0010L);
    out.u32(6).u32(7).guid(PERF).u16(processor).u16(5).u16(items.length).u16(data.length);
    for (Item item : items) {
      out.u16(0xEEEE).u16(item.type).u16(0xEEEE).u16(item.data.length).bytes(item.data);
      while (out.size() % 8 != 0) {
        out.u8(0xDD);
      }
    }
    return Bytes.copyOf(out.bytes(data).toByteArray(), "event");
  }

  private static Bytes event(UUID provider, int flags, Item... items) {
    return event(provider, flags | INDEX, 2, 43, 42, DATA, items);
  }

  /** Returns what OpenTrace fills in: TRACE_LOGFILE_HEADER with pointers that mean nothing. */
  private static ConsumedSession session(int pointer) {
    LittleEndian out = new LittleEndian(512);
    out.u32(65536).u8(10).u8(0).u8(1).u8(5).u32(22621).u32(4).u64(99).u32(156250).u32(0);
    out.u32(0x100).u32(33).u32(0).u32(4).u32(3).u32(2400);
    out.pointer(pointer, 0x12345678).pointer(pointer, 0x12345678);
    out.u32(-60).utf16("W. Europe Standard Time", 32).zeros(16).u32(0);
    out.utf16("W. Europe Daylight Time", 32).zeros(16).u32(-60).u32(0);
    out.u64(133_500_000_000_000_000L).u64(0).u64(0).u32(1).u32(2);
    return new ConsumedSession(
        Bytes.copyOf(out.toByteArray(), "header"),
        pointer,
        1,
        10_000_000,
        1_000_000,
        133_600_000_000_000_000L,
        "live");
  }

  private static ConsumedEvents of(int pointer, Bytes... events) {
    ConsumedEvents consumed = new ConsumedEvents(session(pointer));
    for (Bytes event : events) {
      consumed.add(event);
    }
    return consumed;
  }

  /** Checks that an event becomes a record, alone in the second buffer of the recording. */
  private static void becomes(EtlRecord record, int pointer, Bytes event) {
    byte[] part = of(pointer, event).take();
    int buffer = (int) LittleEndian.getU32(part, 0);
    HexFormat hex = HexFormat.of();
    assertEquals(
        hex.formatHex(record.bytes()),
        hex.formatHex(part, buffer + 72, buffer + 72 + record.bytes().length));
    assertEquals(part.length, buffer + 72 + record.paddedLength());
    assertEquals(2, LittleEndian.getU16(part, buffer + 0x28));
  }

  private static EtlRecords described(int pointer) {
    return EtlRecords.event(pointer, OWN, 77)
        .version(3)
        .level(4)
        .opcode(46)
        .descriptor(11, 9, 0x8000_0000_0000_0010L)
        .property(8)
        .activity(PERF)
        .cpuTimes(6, 7)
        .time(TIME)
        .thread(42, 43);
  }

  @Test
  void eventsWithDescriptorsAreThoseOfAFile() {
    becomes(described(8).payload(DATA).build(), 8, event(OWN, BITS_64));
    becomes(described(4).payload(DATA).build(), 8, event(OWN, BITS_32));
    becomes(described(4).payload(DATA).build(), 4, event(OWN, BITS_32));
    becomes(described(8).flags(4).payload(DATA).build(), 8, event(OWN, BITS_64 | STRING));
  }

  @Test
  void itemsStayWithTheirTypesAndData() {
    byte[] stack = new LittleEndian(32).u64(0).u64(0x7FF8_1234_5678L).u64(0x7FF7L).toByteArray();
    byte[] schema = {9, 0, 0, 'a', 0, 'b', 0, 8, 0};
    byte[] related = new byte[16];
    becomes(
        described(8).item(1, related).item(6, stack).item(11, schema).payload(DATA).build(),
        8,
        event(
            OWN,
            BITS_64 | EXTENDED,
            new Item(1, related),
            new Item(6, stack),
            new Item(11, schema)));
  }

  @Test
  void eventsOfTheKernelHaveTheirHookIds() {
    EtlRecords start = EtlRecords.system(8, 0x032E).version(3).time(TIME).thread(42, 43);
    becomes(start.cpuTimes(6, 7).payload(DATA).build(), 8, event(PROCESS, BITS_64 | CLASSIC));
    // One that names no thread has the short header, with counters if there are any.
    Bytes sample = event(PERF, BITS_64 | CLASSIC | INDEX, 2, -1, -1, DATA);
    EtlRecords short64 = EtlRecords.perfInfo(8, 0x0F2E).version(3).time(TIME).payload(DATA);
    becomes(short64.build(), 8, sample);
    byte[] counters = new LittleEndian(16).u64(3896).u64(9400).toByteArray();
    byte[] index = new LittleEndian(8).u64(0x1234).toByteArray();
    becomes(
        short64.counters(3896, 9400).pebsIndex(0x1234).build(),
        8,
        event(PERF, BITS_64 | CLASSIC, new Item(8, counters), new Item(7, index)));
  }

  @Test
  void classEventsOfOthersKeepTheirGuid() {
    EtlRecords full = EtlRecords.full(4, OWN).opcode(46).level(4).version(3);
    becomes(
        full.time(TIME).thread(42, 43).cpuTimes(6, 7).payload(DATA).build(),
        8,
        event(OWN, BITS_32 | CLASSIC));
    byte[] parent = new LittleEndian(24).u32(5).u32(6).guid(PROCESS).toByteArray();
    EtlRecords instance = EtlRecords.instance(8, OWN).opcode(46).level(4).version(3);
    becomes(
        instance
            .time(TIME)
            .thread(42, 43)
            .cpuTimes(6, 7)
            .instanceOf(5, 6, PROCESS)
            .payload(DATA)
            .build(),
        8,
        event(OWN, BITS_64 | CLASSIC, new Item(4, parent)));
  }

  @Test
  void itemsThatTheRecordOfAClassEventHasNoRoomForAreCounted() {
    Item user = new Item(2, new byte[12]);
    Item counters = new Item(8, new byte[8]);
    Item parent = new Item(4, new byte[24]);
    ConsumedEvents consumed =
        of(
            8,
            event(OWN, BITS_64 | CLASSIC, parent),
            event(OWN, BITS_64, user),
            event(PERF, BITS_64 | CLASSIC, counters));
    assertEquals(0, consumed.stripped());
    consumed.add(event(OWN, BITS_64 | CLASSIC, parent, user));
    consumed.add(event(PERF, BITS_64 | CLASSIC, user));
    consumed.add(event(PERF, BITS_64 | CLASSIC, counters, user));
    assertEquals(3, consumed.stripped());
  }

  @Test
  void messagesAreThoseOfWpp() {
    int flags =
        EtlRecords.MESSAGE_GUID
            | EtlRecords.MESSAGE_TIME
            | EtlRecords.MESSAGE_SYSTEM_INFO
            | EtlRecords.MESSAGE_64_BIT;
    becomes(
        EtlRecords.message(77, flags)
            .messageGuid(OWN)
            .time(TIME)
            .thread(42, 43)
            .payload(DATA)
            .build(),
        8,
        event(OWN, BITS_64 | MESSAGE));
  }

  @Test
  void theHeaderTellsOfTheMachineAndOfTheClockAsItWasRead() {
    for (int pointer : new int[] {8, 4}) {
      byte[] part = of(pointer, event(OWN, BITS_64)).take();
      Gaps gaps = new Gaps();
      try (InputFile input = InputFile.of(part, "live")) {
        EtlFile file = EtlFile.open(input, gaps);
        LogFileHeader header = file.header().orElseThrow();
        assertEquals("live", header.sessionName());
        assertEquals(pointer, header.pointerSize());
        assertEquals(22621, header.providerVersion());
        assertEquals(4, header.processors());
        assertEquals(133_500_000_000_000_000L, header.bootTime());
        assertEquals("W. Europe Standard Time", header.timeZone().standardName());
        assertFalse(header.finalised());
        assertEquals(0, header.eventsLost());
        assertEquals(700, file.clock().nanos(TIME));
        assertEquals(133_600_000_000_000_007L, file.clock().fileTime(TIME));
        assertTrue(gaps.list().isEmpty(), gaps.list().toString());
      }
    }
  }

  @Test
  void eachProcessorHasItsBuffersAndWhatWasTakenDoesNotComeAgain() {
    ConsumedEvents consumed = new ConsumedEvents(session(8));
    // The high byte is the alignment unless a flag says that all is the number.
    consumed.add(event(OWN, BITS_64, 0x0803, 43, 42, DATA));
    consumed.add(event(OWN, BITS_64 | INDEX, 0x0403, 43, 42, DATA));
    for (int i = 0; i < 40; i++) {
      consumed.add(event(OWN, BITS_64, 3, 43, 42, new byte[60_000]));
    }
    assertEquals(List.of(3, 0x403, 3, 3), processors(consumed.take()));
    assertEquals(0, consumed.bytes());
    consumed.add(event(OWN, BITS_64, 1, 43, 42, DATA));
    assertEquals(List.of(1), processors(consumed.take()));
    assertEquals(List.of(), processors(consumed.take()));
  }

  private static List<Integer> processors(byte[] part) {
    List<Integer> found = new ArrayList<>();
    int at = (int) LittleEndian.getU32(part, 0);
    while (at < part.length) {
      found.add(LittleEndian.getU16(part, at + 0x28));
      at += (int) LittleEndian.getU32(part, at);
    }
    return found;
  }

  @Test
  void lossesAndTheHeaderAreNoEvents() {
    ConsumedEvents consumed = new ConsumedEvents(session(8));
    for (int type : new int[] {32, 32, 33, 34}) {
      byte[] lost = event(LOST, CLASSIC).array(0, 88);
      lost[45] = (byte) type;
      consumed.add(Bytes.copyOf(lost, "lost"));
    }
    byte[] header = event(HEADER, CLASSIC).array(0, 93);
    header[45] = 0;
    consumed.add(Bytes.copyOf(header, "header"));
    assertEquals(new ConsumedEvents.Notices(2, 1, 1), consumed.notices());
    assertEquals(0, consumed.bytes());
  }

  @Test
  void anEventThatNoRecordHasRoomForIsCounted() {
    ConsumedEvents consumed = new ConsumedEvents(session(8));
    consumed.add(event(OWN, BITS_64, 0, 1, 2, new byte[65_400], new Item(6, new byte[100])));
    assertEquals(1, consumed.tooLarge());
    assertEquals(0, consumed.bytes());
  }
}
