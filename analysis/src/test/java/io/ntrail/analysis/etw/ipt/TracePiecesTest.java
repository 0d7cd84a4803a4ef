package io.ntrail.analysis.etw.ipt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.etw.ipt.TracePieces.Piece;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.pt.TraceTiming;
import io.ntrail.formats.schema.SchemaTable;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.etl.Damage;
import io.ntrail.testkit.etl.EtlBuffer;
import io.ntrail.testkit.etl.EtlRecord;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.KernelPayloads;
import io.ntrail.testkit.etl.ProcessorTraceEvents;
import io.ntrail.testkit.pt.PtPackets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Pieces in recordings that are written record by record. */
class TracePiecesTest {
  private static final EtlSettings SETTINGS = EtlSettings.windows11();
  private static final long T = SETTINGS.startTicks();
  private static final int PID = 4000;
  private static final int TID = 4008;
  private static final int OTHER = 4012;
  private static final String EXIT = "PerfInfo/SysClExit";

  private final EtlWriter writer = new EtlWriter(SETTINGS);
  private final KernelEvents kernel = new KernelEvents();
  private List<Gap> gaps = List.of();

  private static byte[] timed() {
    return new PtPackets(false).psb().tsc(99).psbEnd().tnt(1, 2).toByteArray();
  }

  private static EtlRecord exit(long time) {
    return EtlRecords.perfInfo(8, 0x0F34).time(time).payload(new LittleEndian().u32(0)).build();
  }

  private static EtlRecord enter(long time) {
    return EtlRecords.perfInfo(8, 0x0F33).time(time).payload(new LittleEndian().u64(0)).build();
  }

  private static EtlRecord switched(long time, int newThread, int oldThread) {
    return EtlRecords.perfInfo(8, 0x0524)
        .version(4)
        .time(time)
        .payload(KernelPayloads.cswitch(newThread, oldThread, 8, 8, 0, 0))
        .build();
  }

  /** An image load, whose header names a thread. */
  private static EtlRecord load(long time, int thread) {
    return EtlRecords.system(8, 0x030A)
        .version(3)
        .time(time)
        .thread(PID, thread)
        .payload(KernelPayloads.image(0x1_0000L, 4096, PID, 0, 0, "a.dll"))
        .build();
  }

  private static EtlRecord piece(long event, int thread, long options, int position, byte[] trace) {
    return ProcessorTraceEvents.classic()
        .time(event + 3)
        .thread(PID, thread)
        .payload(ProcessorTraceEvents.payload(event, PID, thread, options, position, trace))
        .build();
  }

  private static EtlRecord piece(long event, int thread) {
    byte[] trace = timed();
    return piece(event, thread, ProcessorTraceEvents.KERNEL_MTC, trace.length, trace);
  }

  private TracePieces pieces(EtwRecording recording, int cores, int most) {
    PieceTable table = recording.survey(cores, () -> new PieceTable(recording, most));
    return TracePieces.of(recording, cores, table, kernel, SchemaTable.kernel());
  }

  private List<Piece> read(byte[] file, int cores) {
    List<Piece> all = new ArrayList<>();
    try (EtwRecording recording = EtwRecording.of(List.of(InputFile.of(file, "written")))) {
      pieces(recording, cores, PieceTable.MOST).forEach(all::add);
      gaps = recording.gaps();
    }
    return all;
  }

  private List<String> events(EtlWriter recording) {
    return read(recording.toByteArray(), 2).stream()
        .map(piece -> Objects.requireNonNullElse(piece.event(), "none"))
        .toList();
  }

  private void log(int cpu, EtlRecord... records) {
    for (EtlRecord record : records) {
      writer.log(cpu, record);
    }
  }

  @Test
  void aPieceBelongsToTheEventRightBeforeIt() {
    // All of one time stamp: only their order tells them apart.
    log(0, enter(T + 9), piece(T + 9, TID), exit(T + 9), piece(T + 9, TID), enter(T + 9));
    assertEquals(List.of("PerfInfo/SysClEnter", EXIT), events(writer));
  }

  @Test
  void ofSeveralEventsOfOneTimeTheLastOneBeforeAPieceCounts() {
    log(0, enter(T + 9), exit(T + 9), piece(T + 9, TID));
    log(1, exit(T + 9), enter(T + 9), piece(T + 9, TID));
    assertEquals(List.of(EXIT, "PerfInfo/SysClEnter"), events(writer));
  }

  @Test
  void anEventOfAnotherTimeIsNotThatOfAPiece() {
    log(0, exit(T + 8), exit(T + 10), piece(T + 9, TID));
    assertEquals(List.of("none"), events(writer));
  }

  @Test
  void anEventOfAnotherCpuIsNotThatOfAPiece() {
    log(0, exit(T + 9));
    log(1, enter(T + 5), piece(T + 9, TID));
    log(2, exit(T + 9));
    assertEquals(List.of("none"), events(writer));
  }

  @Test
  void anEventOfAnotherThreadIsNotThatOfAPiece() {
    log(0, load(T + 9, OTHER), piece(T + 9, TID));
    log(1, load(T + 9, OTHER), piece(T + 9, OTHER));
    log(2, switched(T + 9, OTHER, TID), piece(T + 9, TID));
    log(3, switched(T + 9, OTHER, 0), piece(T + 9, TID));
    assertEquals(List.of("none", "Image/Load", "Thread/CSwitch", "none"), events(writer));
  }

  @Test
  void anEventBehindAPieceIsNotItsOwn() {
    log(0, piece(T + 9, TID), exit(T + 9));
    assertEquals(List.of("none"), events(writer));
  }

  @Test
  void oneEventHasOnePiece() {
    log(0, exit(T + 9), piece(T + 9, TID), piece(T + 9, TID));
    assertEquals(List.of(EXIT, "none"), events(writer));
  }

  @Test
  void theEventMayBeInTheBufferBeforeWhereverThatLiesInTheFile() {
    writer.buffer(EtlBuffer.of(0, 1, 8).add(piece(T + 9, TID)));
    writer.buffer(EtlBuffer.of(0, 1, 7).add(exit(T + 9)));
    writer.buffer(EtlBuffer.of(0, 1, 9).add(enter(T + 9)));
    assertEquals(List.of(EXIT), events(writer));
  }

  @Test
  void aPieceTellsWhatItsOptionsAndPacketsTell() {
    byte[] trace = timed();
    log(0, exit(T + 9), piece(T + 9, TID, 0x0100_0311L, 5, trace));
    Piece piece = read(writer.toByteArray(), 1).getFirst();
    assertEquals(SETTINGS.nanosOf(12), piece.timeNanos());
    assertEquals(SETTINGS.nanosOf(9), piece.eventNanos());
    assertEquals(0, piece.cpu());
    assertEquals(PID, piece.processId());
    assertEquals(TID, piece.threadId());
    assertEquals(trace.length, piece.bytes());
    assertEquals(0x0100_0311L, piece.options().word());
    assertTrue(piece.isSynchronised());
    assertFalse(piece.isWrapped());
    assertEquals(TraceTiming.MTC, piece.timing());
  }

  @Test
  void timingIsWhatThePacketsHaveAndWithoutPsbWhatTheOptionsAsk() {
    byte[] bare = new PtPackets(false).psb().psbEnd().tnt(1, 2).toByteArray();
    byte[] lost = new PtPackets(false).tnt(1, 2).cyc(4).toByteArray();
    log(0, piece(T + 1, TID, ProcessorTraceEvents.KERNEL_CYC, 0, bare));
    log(0, piece(T + 2, TID, ProcessorTraceEvents.KERNEL_CYC, 0, lost));
    log(0, piece(T + 3, TID, ProcessorTraceEvents.KERNEL, 0, lost));
    log(0, piece(T + 4, TID, ProcessorTraceEvents.KERNEL, 0, timed()));
    List<Piece> all = read(writer.toByteArray(), 1);
    assertEquals(
        List.of(TraceTiming.NONE, TraceTiming.CYC, TraceTiming.NONE, TraceTiming.MTC),
        all.stream().map(Piece::timing).toList());
    assertEquals(
        List.of(true, false, false, true), all.stream().map(Piece::isSynchronised).toList());
  }

  @Test
  void aPsbAcrossTheEndOfAWrappedRingIsFound() {
    PtPackets packets = new PtPackets(false);
    for (int i = 0; i < 5000; i++) {
      packets.tnt(1, 2);
    }
    byte[] stream = packets.psb().psbEnd().tnt(1, 2).toByteArray();
    // The last 19 bytes are the PSB and what follows: 8 of them lie at the end of the ring.
    int start = Math.floorMod(4096 - 8 - (stream.length - 19), 4096);
    byte[] ring = ProcessorTraceEvents.ring(4096, start, stream);
    assertEquals(0x82, ring[4095] & 0xFF);
    assertEquals(0x02, ring[0]);
    int position = (start + stream.length) % 4096;
    log(0, piece(T + 1, TID, ProcessorTraceEvents.KERNEL, position, ring));
    Piece piece = read(writer.toByteArray(), 1).getFirst();
    assertTrue(piece.isWrapped() && piece.isSynchronised());
  }

  @Test
  void aRecordWithAHookIdIsAPieceIfItHasTheFormOfOne() {
    byte[] trace = timed();
    LittleEndian payload =
        ProcessorTraceEvents.payload(T + 9, PID, TID, ProcessorTraceEvents.KERNEL, 0, trace);
    byte[] longer = Arrays.copyOf(payload.toByteArray(), payload.size() + 4);
    LittleEndian odd =
        ProcessorTraceEvents.payload(T + 9, PID, TID, ProcessorTraceEvents.KERNEL + 1, 0, trace);
    log(0, exit(T + 9), ProcessorTraceEvents.hooked().time(T + 9).payload(payload).build());
    log(0, ProcessorTraceEvents.hooked().time(T + 11).payload(longer).build());
    log(0, ProcessorTraceEvents.hooked().time(T + 12).payload(odd).build());
    assertEquals(List.of(EXIT), events(writer));
  }

  @Test
  void countsAreOfAllPiecesAlsoThoseThatAreNotListed() {
    for (int i = 0; i < 20; i++) {
      int cpu = i % 3;
      log(cpu, exit(T + 10L * i), piece(T + 10L * i, TID));
    }
    byte[] full = new byte[8192];
    log(1, piece(T + 999, TID, ProcessorTraceEvents.KERNEL | 1L << 40, 0, full));
    try (EtwRecording recording =
        EtwRecording.of(List.of(InputFile.of(writer.toByteArray(), "written")))) {
      TracePieces pieces = pieces(recording, 2, 4);
      List<Long> times = new ArrayList<>();
      pieces.forEach(piece -> times.add(piece.eventNanos()));
      assertEquals(List.of(0L, 1000L, 2000L, 3000L), times);
      assertEquals(21, pieces.count());
      assertEquals(17, pieces.leftOut());
      assertEquals(20L * timed().length + 8192, pieces.bytes());
      assertEquals(1, pieces.wrapped());
      assertEquals(1, pieces.unsynchronised());
      assertEquals(1, pieces.untimed());
      assertEquals(1, pieces.odd());
      assertEquals(0, pieces.unpaired());
    }
  }

  @Test
  void contradictingSizesAreAGapWithTheReasonAndNoPiece() {
    byte[] payload =
        ProcessorTraceEvents.payload(T + 9, PID, TID, ProcessorTraceEvents.KERNEL, 0, timed())
            .setU32(24, 70_000)
            .toByteArray();
    EtlRecord damaged = ProcessorTraceEvents.classic().time(T + 9).payload(payload).build();
    log(0, exit(T + 9), damaged, exit(T + 20), piece(T + 20, TID));
    assertEquals(List.of(EXIT), events(writer));
    assertEquals(
        "Processor Trace event with TraceSize 70000, of which only "
            + timed().length
            + " bytes are there",
        gaps.getFirst().why());
    assertEquals(1, gaps.size());
  }

  @Test
  void damagedRecordingsGiveThePiecesThatAreLeft() {
    for (int i = 0; i < 40; i++) {
      log(i % 2, exit(T + 10L * i), piece(T + 10L * i, TID));
    }
    byte[] file = writer.toByteArray();
    List<Piece> whole = read(file, 1);
    assertEquals(40, whole.size());
    int data = Damage.bufferOffsets(file).get(1);
    int fewer = 0;
    for (int seed = 0; seed < 300; seed++) {
      List<Piece> left = read(Damage.flipBits(file, seed, 20, data, file.length), 2);
      assertTrue(left.size() <= 40);
      fewer += left.equals(whole) ? 0 : 1;
    }
    assertTrue(fewer > 50, fewer + " of 300 were changed");
    for (int length = data; length < file.length; length += 997) {
      int left = read(Damage.cutAt(file, length), 1).size();
      assertTrue(left <= 40, "cut at " + length);
    }
  }

  @Test
  void aPieceOfAnUnknownThreadBelongsToTheEventWhateverItsThread() {
    log(0, load(T + 9, OTHER), piece(T + 9, -1));
    assertEquals(List.of("Image/Load"), events(writer));
  }
}
