package io.ntrail.formats.pt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.bytes.ReusedInput;
import io.ntrail.testkit.etl.ProcessorTraceEvents;
import io.ntrail.testkit.pt.PtPackets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Payloads of the event, by hand and by the writer. */
class IptRecordTest {
  private static IptRecord read(byte[] payload) {
    return IptRecord.of(Bytes.copyOf(payload, "payload"), 0, payload.length);
  }

  private static byte[] inOrder(IptRecord record) {
    InputFile input = record.inOrder(new ReusedInput());
    return input.window(0, (int) input.size()).array(0, (int) input.size());
  }

  private static String refusal(byte[] payload) {
    return assertThrows(DamagedInput.class, () -> read(payload)).what();
  }

  @Test
  void fieldsLieWhereTheClassHasThem() {
    byte[] payload =
        HexFormat.of()
            .parseHex(
                "8877665544332211" // EventTimeStamp
                    + "04030201" // Process
                    + "14131211" // Thread
                    + "1103000100000000" // IptOption
                    + "03000000" // TraceSize
                    + "02000000" // TracePosition
                    + "a1b2c3");
    IptRecord record = read(payload);
    assertEquals(0x1122_3344_5566_7788L, record.eventTicks());
    assertEquals(0x0102_0304, record.processId());
    assertEquals(0x1112_1314, record.threadId());
    assertEquals(0x0100_0311L, record.options().word());
    assertEquals(2, record.position());
    assertFalse(record.isWrapped());
    assertEquals("a1b2c3", HexFormat.of().formatHex(inOrder(record)));
  }

  @Test
  void aFullRingBeginsAtThePlaceOfTheNextPacket() {
    byte[] stream = new byte[10_000];
    new SplittableRandom(1).nextBytes(stream);
    byte[] ring = ProcessorTraceEvents.ring(4096, 100, stream);
    byte[] payload =
        ProcessorTraceEvents.payload(1, 4, 8, ProcessorTraceEvents.KERNEL, 10_100 % 4096, ring)
            .toByteArray();
    IptRecord record = read(payload);
    assertTrue(record.isWrapped());
    assertEquals(
        HexFormat.of().formatHex(Arrays.copyOfRange(stream, 10_000 - 4096, 10_000)),
        HexFormat.of().formatHex(inOrder(record)));
  }

  @Test
  void aRingThatIsNotFullIsInOrderWhateverThePosition() {
    byte[] trace = new PtPackets(false).psb().psbEnd().toByteArray();
    IptRecord record =
        read(
            ProcessorTraceEvents.payload(1, 4, 8, ProcessorTraceEvents.KERNEL, 5, trace)
                .toByteArray());
    assertEquals(HexFormat.of().formatHex(trace), HexFormat.of().formatHex(inOrder(record)));
  }

  @Test
  void sizesThatContradictEachOtherAreRefusedWithTheReason() {
    byte[] trace = new byte[4096];
    byte[] payload =
        ProcessorTraceEvents.payload(1, 4, 8, ProcessorTraceEvents.KERNEL, 0, trace).toByteArray();
    assertEquals(
        "Processor Trace event of 31 bytes, where its fields alone take 32",
        refusal(Arrays.copyOf(payload, 31)));
    assertEquals(
        "Processor Trace event with TraceSize 4096, of which only 4095 bytes are there",
        refusal(Arrays.copyOf(payload, payload.length - 1)));
    assertEquals(
        "Processor Trace event with TraceSize 4096, behind which 8 bytes follow",
        refusal(Arrays.copyOf(payload, payload.length + 8)));
    byte[] outside =
        ProcessorTraceEvents.payload(1, 4, 8, ProcessorTraceEvents.KERNEL, 4097, trace)
            .toByteArray();
    assertEquals(
        "Processor Trace event with TracePosition 4097, outside of its ring of 4096 bytes",
        refusal(outside));
    byte[] huge = payload.clone();
    Arrays.fill(huge, 24, 28, (byte) 0xFF);
    assertEquals(
        "Processor Trace event with TraceSize 4294967295, of which only 4096 bytes are there",
        refusal(huge));
  }

  @Test
  void everyCutAndEveryFlippedBitIsReadOrRefused() {
    byte[] trace = new PtPackets(false).psb().tsc(5).psbEnd().tnt(1, 3).toByteArray();
    byte[] payload =
        ProcessorTraceEvents.payload(1, 4, 8, ProcessorTraceEvents.KERNEL, 0, trace).toByteArray();
    int refused = 0;
    for (int length = 0; length < payload.length; length++) {
      refused += isRefused(Arrays.copyOf(payload, length)) ? 1 : 0;
    }
    assertEquals(payload.length, refused, "no cut is taken for a whole one");
    for (int bit = 0; bit < 8 * payload.length; bit++) {
      byte[] flipped = payload.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      boolean isOfSize = bit >= 8 * 24 && bit < 8 * 28;
      assertTrue(isOfSize || !isRefused(flipped), "bit " + bit);
    }
  }

  private static boolean isRefused(byte[] payload) {
    try {
      PieceContent.of(read(payload).inOrder(new ReusedInput()));
      return false;
    } catch (DamagedInput e) {
      return true;
    }
  }

  @Test
  void contentIsWhatThePacketsBehindTheFirstPsbTell() {
    PtPackets none = new PtPackets(false).tsc(7).psb().cbr(30).psbEnd().tnt(1, 3);
    PtPackets mtc = new PtPackets(false).psb().psbEnd().mtc(4).tnt(1, 3);
    PtPackets cyc = new PtPackets(false).psb().tsc(5).psbEnd().cyc(9).tnt(1, 3);
    PtPackets noPsb = new PtPackets(false).tsc(7).cyc(9).tnt(1, 3);
    assertEquals(new PieceContent(true, TraceTiming.NONE), content(none));
    assertEquals(new PieceContent(true, TraceTiming.MTC), content(mtc));
    assertEquals(new PieceContent(true, TraceTiming.CYC), content(cyc));
    assertEquals(new PieceContent(false, TraceTiming.NONE), content(noPsb));
  }

  private static PieceContent content(PtPackets packets) {
    byte[] trace = packets.toByteArray();
    try (InputFile input = InputFile.of(trace, "piece")) {
      return PieceContent.of(input);
    }
  }
}
