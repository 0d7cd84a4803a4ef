package io.ntrail.analysis.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.analysis.flow.FlowSettings.Resync;
import io.ntrail.analysis.flow.WholeFlow.PacketSink;
import io.ntrail.analysis.flow.WholeFlow.Wanted;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pt.ClockSettings;
import io.ntrail.formats.pt.PacketClock;
import io.ntrail.formats.pt.PacketClock.Rounding;
import io.ntrail.formats.pt.PacketError;
import io.ntrail.formats.pt.PacketType;
import io.ntrail.programs.memory.RawSpace;
import io.ntrail.programs.x86.CodeSize;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Times of flows that were worked out by hand: a nanosecond is a tick of the counter. */
class TimedFlowTest {
  /** Conditional branches to what is behind them, two bytes each. */
  private static final String CODE = "7400".repeat(40);

  /** TSC 1000, a core clock as fast as the counter, tracing at 100000. */
  private static final String START =
      Flows.PSB + "9901" + "7d000010000000" + "19e8030000000000" + "02030a00" + "0223";

  private static final String TWO_BRANCHES = "0e";

  /** Flow that comes out, with its times. */
  private static final class Told implements FlowSink, PacketSink {
    private final List<String> lines = new ArrayList<>();
    private final TimedFlow timed;

    Told(int most) {
      PacketClock clock = new PacketClock(new ClockSettings(0, 0, 0, 10), Rounding.EXACT, Set.of());
      timed = new TimedFlow(clock, this, most);
    }

    private void line(String what, int index) {
      String time =
          timed.knowsNanos() ? " " + timed.nanos(index) + " " + timed.trust(index) : " unknown";
      lines.add(what + time);
    }

    @Override
    public void instructions(CodeBlocks blocks, int block, int count, boolean isSpeculative) {
      long address = blocks.start(block);
      for (int i = 0; i < count; i++) {
        line(Long.toHexString(address), i);
        address += blocks.length(block, i);
      }
    }

    @Override
    public void event(FlowEvent event, long address, long value) {
      if (event != FlowEvent.INTERRUPTED) {
        line(event.toString(), 0);
      }
    }

    @Override
    public void error(FlowError error, long offset, long address) {
      line(error.toString(), 0);
    }

    @Override
    public void time(PacketType type, long value, boolean inHeader) {
      timed.time(type, value, inHeader);
    }

    @Override
    public void timed() {
      timed.timed();
    }

    @Override
    public void damage(PacketError error, long offset, long length) {
      // None here.
    }
  }

  private static List<String> flow(String packets, int most) {
    Told told = new Told(most);
    try (InputFile code = InputFile.of(Flows.bytes(CODE), "code");
        InputFile stream = InputFile.of(Flows.bytes(packets), "stream")) {
      FlowSettings settings = new FlowSettings(Set.of(), Resync.PSB, CodeSize.BITS64);
      new WholeFlow(stream, new RawSpace(code, 0x100000), settings)
          .run(new Wanted(true, true, 1), told.timed, told);
    }
    told.timed.finish();
    return told.lines;
  }

  private static List<String> flow(String packets) {
    return flow(packets, 1000);
  }

  private static String tsc(int value) {
    return "19%02x%02x0000000000".formatted(value & 0xFF, value >> 8);
  }

  @Test
  void instructionsBetweenTwoTimeStampsAreSpreadEvenly() {
    assertEquals(
        List.of(
            "100000 10 ESTIMATE",
            "100002 20 ESTIMATE",
            "100004 30 ESTIMATE",
            "100006 40 ESTIMATE",
            "100008 40 LOWER_BOUND",
            "10000a 40 LOWER_BOUND"),
        flow(START + TWO_BRANCHES + TWO_BRANCHES + tsc(1040) + TWO_BRANCHES));
  }

  @Test
  void cyclesTellTheTimeOfTheLastBranchBehindThem() {
    // CYC of 30 and, with other packets before the branches, of 10.
    assertEquals(
        List.of(
            "100000 15 ESTIMATE",
            "100002 30 PACKET",
            "100004 35 ESTIMATE",
            "100006 40 PACKET",
            "100008 40 LOWER_BOUND",
            "10000a 40 LOWER_BOUND"),
        flow(START + "f3" + TWO_BRANCHES + "53" + "0000" + TWO_BRANCHES + TWO_BRANCHES));
  }

  @Test
  void cyclesBeforeATimeStampAreOfThePlaceWhereItStands() {
    assertEquals(
        List.of("100000 15 ESTIMATE", "100002 30 ESTIMATE", "100004 45 ESTIMATE"),
        flow(START + TWO_BRANCHES + "f3" + tsc(1030) + TWO_BRANCHES + tsc(1060)).subList(0, 3));
  }

  @Test
  void anEventIsAsLateAsTheInstructionsBeforeIt() {
    // FUP at 100004, and the end of tracing, which a CYC is of.
    assertEquals(
        List.of("100000 15 ESTIMATE", "100002 30 ESTIMATE", "DISABLED 30 PACKET"),
        flow(START + TWO_BRANCHES + "f3" + "3d0400" + "01"));
    assertEquals(
        List.of("100000 20 ESTIMATE", "100002 40 ESTIMATE", "DISABLED 40 ESTIMATE"),
        flow(START + TWO_BRANCHES + "3d0400" + "01" + tsc(1040)));
    assertEquals(List.of("DISABLED 0 ESTIMATE"), flow(START + "3d0000" + "01" + tsc(1040)));
  }

  @Test
  void theTimeOfWhatCannotBeHeldBackIsALowerBound() {
    String many = TWO_BRANCHES + TWO_BRANCHES;
    assertEquals(
        List.of(
            "100000 0 LOWER_BOUND",
            "100002 0 LOWER_BOUND",
            "100004 0 LOWER_BOUND",
            "100006 0 LOWER_BOUND",
            "100008 50 ESTIMATE",
            "10000a 60 ESTIMATE"),
        flow(START + many + tsc(1040) + TWO_BRANCHES + tsc(1060), 3));
  }

  @Test
  void whatIsBeforeTheFirstTimeStampHasNoTime() {
    String header = Flows.PSB + "9901" + "7d000010000000" + "0223";
    assertEquals(
        List.of("100000 unknown", "100002 unknown", "100004 10 ESTIMATE", "100006 20 ESTIMATE"),
        flow(header + TWO_BRANCHES + tsc(1000) + TWO_BRANCHES + tsc(1020)));
  }

  /** No ratio of the crystal clock: an MTC tells nothing. */
  @Test
  void aPacketThatTheClockCannotUseIsNoTime() {
    assertEquals(
        List.of("100000 20 ESTIMATE", "100002 40 ESTIMATE"),
        flow(START + "0273000000000000" + "04" + "5901" + "04" + tsc(1040)));
  }
}
