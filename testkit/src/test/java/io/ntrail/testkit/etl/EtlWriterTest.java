package io.ntrail.testkit.etl;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.compress.ReferenceDecoders;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class EtlWriterTest {
  private static final UUID PROVIDER = UUID.fromString("9ec60f46-9a9d-6243-4fba-137b19896253");

  private static String hex(EtlRecord record, int bytes) {
    return HexFormat.of().formatHex(Arrays.copyOf(record.bytes(), bytes));
  }

  @Test
  void headersAreThoseOfRealRecords() {
    assertEquals(
        "020002c06c01000078470000444c000085cc0542cb0200000000000000000000",
        hex(
            EtlRecords.system(8, 0)
                .thread(19524, 18296)
                .time(3_072_009_292_933L)
                .payload(new byte[364 - 32])
                .build(),
            32));
    assertEquals(
        "020011c020002e0f6d110642cb020000",
        hex(
            EtlRecords.perfInfo(8, 0x0F2E).time(0x2CB_4206_116DL).payload(new byte[16]).build(),
            16));
    assertEquals(
        "040211c038002405ff2efccd61010000380f000000000000b824000000000000",
        hex(
            EtlRecords.perfInfo(8, 0x0524)
                .version(4)
                .time(0x161_CDFC_2EFFL)
                .counters(3896, 9400)
                .payload(new byte[24])
                .build(),
            32));
    assertEquals(
        "840114c04000000020670000000000001c180642cb020000d775e6b35425184f830b2762732560de"
            + "0000000000000000",
        hex(
            EtlRecords.full(8, ClassGuids.IMAGE_ID)
                .opcode(64)
                .thread(0, 26400)
                .time(3_072_009_312_284L)
                .payload(new byte[388 - 48])
                .build(),
            48));
    assertEquals(
        "640013c0000000000000000000000000b176f143cb02000046905f9ec643624fba137b19896253ff06000000"
            + "000000000000000000000000000000000000000000000000000000000000000000000000",
        hex(
            EtlRecords.event(8, UUID.fromString("9e5f9046-43c6-4f62-ba13-7b19896253ff"), 6)
                .time(3_072_041_514_673L)
                .payload(new byte[20])
                .build(),
            80));
  }

  /** The payload of a real header record, from snail's test vectors. */
  @Test
  void theHeaderRecordIsThatOfARealRecording() {
    EtlSettings settings =
        EtlSettings.windows11()
            .version(10, 0, 22621, 1, 5)
            .endTime(133_171_255_616_974_395L)
            .mode(EtlSettings.MODE_SEQUENTIAL | EtlSettings.MODE_RELOG)
            .buffersWritten(490)
            .cpuMhz(2808)
            .bootTime(133_168_183_955_000_000L)
            .startTime(133_171_255_391_510_931L)
            .names("Relogger", "[multiple files]");
    assertEquals(
        "000001000a0001055d580000080000003bae57298d1ed9015a6202000000000001000100ea010000"
            + "010000000800000000000000f80a000000000000000000000000000000000000c4ffffff40007400"
            + "7a007200650073002e0064006c006c002c002d003300320032000000000000000000000000000000"
            + "000000000000000000000000000000000000000000000a0000000500030000000000000000000000"
            + "400074007a007200650073002e0064006c006c002c002d0033003200310000000000000000000000"
            + "00000000000000000000000000000000000000000000000000000300000005000200000000000000"
            + "c4ffffff00000000c08a05fcc11bd90180969800000000009361e71b8d1ed9010100000000000000"
            + "520065006c006f00670067006500720000005b006d0075006c007400690070006c00650020006600"
            + "69006c00650073005d000000",
        HexFormat.of().formatHex(settings.headerRecord(0, 1).payload()));
  }

  private static EtlRecord random(SplittableRandom random, long time) {
    byte[] payload = new byte[random.nextInt(200)];
    random.nextBytes(payload);
    int pointer = random.nextBoolean() ? 4 : 8;
    EtlRecords made =
        switch (random.nextInt(12)) {
          case 0 -> EtlRecords.system(pointer, 0x0303);
          case 1 -> EtlRecords.compact(pointer, 0x0501);
          case 2 -> EtlRecords.perfInfo(pointer, 0x0F2E).counters(1, 2, 3).pebsIndex(9);
          case 3 -> EtlRecords.full(pointer, PROVIDER).opcode(3);
          case 4 -> EtlRecords.instance(pointer, PROVIDER).instanceOf(1, 2, PROVIDER);
          case 5 -> EtlRecords.timed(77);
          case 6 -> EtlRecords.time32(78);
          case 7 -> EtlRecords.error(PROVIDER);
          case 8 -> EtlRecords.wnode(PROVIDER);
          case 9 -> EtlRecords.message(43, random.nextInt(256));
          case 10 -> EtlRecords.framedMessage(44, random.nextInt(256)).messageGuid(PROVIDER);
          default ->
              EtlRecords.event(pointer, PROVIDER, 5).item(1, new byte[16]).item(11, new byte[13]);
        };
    return made.time(time).thread(42, 43).payload(payload).build();
  }

  private static EtlWriter some(EtlSettings settings) {
    EtlWriter writer = new EtlWriter(settings.bufferSize(4096));
    SplittableRandom random = new SplittableRandom(5);
    for (int i = 0; i < 500; i++) {
      writer.log(random.nextInt(4), random(random, settings.startTicks() + i * 10L));
    }
    return writer;
  }

  /** Walks buffers and records by sizes alone and hands back the records' bytes. */
  private static List<String> walk(byte[] file) {
    List<String> found = new ArrayList<>();
    long format = LittleEndian.getU32(file, 0x2C) & 0xFFFF;
    for (int at = 0; at + 72 <= file.length; ) {
      int size = (int) LittleEndian.getU32(file, at);
      if (size == 0) {
        break;
      }
      int end = (int) LittleEndian.getU32(file, at + 0x30);
      byte[] area = Arrays.copyOfRange(file, at + 72, at + size);
      if ((LittleEndian.getU16(file, at + 0x34) & 0x40) != 0) {
        int unpacked = (int) LittleEndian.getU32(file, at + 4) - 72;
        area =
            switch ((int) format) {
              case 2 -> ReferenceDecoders.lznt1(area);
              case 3 -> ReferenceDecoders.xpress(area, unpacked);
              default -> ReferenceDecoders.xpressHuffman(area, unpacked);
            };
        assertEquals(unpacked, area.length);
      }
      for (int o = 0; o < end - 72; ) {
        int type = area[o + 2] & 0xFF;
        boolean framed = (area[o + 3] & 0xFF) == 0xC0;
        boolean hooked = framed && (type <= 4 || type == 16 || type == 17);
        int length = LittleEndian.getU16(area, o + (hooked ? 4 : 0));
        found.add(HexFormat.of().formatHex(area, o, o + length));
        o += (length + 7) & ~7;
      }
      at += size;
    }
    return found;
  }

  @Test
  void writtenRecordsAreWhereTheyBelong() {
    for (EtlSettings settings :
        List.of(
            EtlSettings.windows11(),
            EtlSettings.windows7(8),
            EtlSettings.vista(4),
            EtlSettings.compressed(BufferCompression.LZNT1),
            EtlSettings.compressed(BufferCompression.XPRESS),
            EtlSettings.compressed(BufferCompression.XPRESS_HUFF))) {
      EtlWriter writer = some(settings);
      List<String> expected = new ArrayList<>();
      for (TruthRecord truth : writer.truthInFileOrder()) {
        expected.add(HexFormat.of().formatHex(truth.record().bytes()));
      }
      byte[] file = writer.toByteArray();
      assertEquals(expected, walk(file));
      assertEquals(501, expected.size());
      List<Long> offsets = writer.bufferOffsets();
      assertEquals(writer.buffers().size() + 1, offsets.size());
      assertTrue(offsets.getLast() < file.length);
      for (int i = 1; i < offsets.size(); i++) {
        int at = Math.toIntExact(offsets.get(i));
        assertEquals(writer.buffers().get(i - 1).sequence, LittleEndian.getU64(file, at + 0x18));
      }
      assertArrayEquals(file, writer.toByteArray());
    }
  }

  @Test
  void truthIsInOrderOfTime() {
    List<TruthRecord> truth = some(EtlSettings.windows11()).truth();
    for (int i = 1; i < truth.size(); i++) {
      assertTrue(truth.get(i - 1).time() <= truth.get(i).time());
    }
    assertEquals(EtlKind.SYSTEM64, truth.getFirst().record().kind());
  }

  @Test
  void fileTimesFollowTheClock() {
    EtlSettings settings = EtlSettings.windows11().perfFreq(2_533_281);
    long start = settings.startTime();
    long ticks = settings.startTicks();
    assertEquals(start + 10_000_000, settings.fileTimeOf(ticks + 2_533_281));
    assertEquals(start - 4, settings.fileTimeOf(ticks - 1));
    assertEquals(start + 1, settings.clock(3).cpuMhz(1000).fileTimeOf(ticks + 100));
    assertEquals(77, settings.clock(2).fileTimeOf(77));
  }
}
