package io.ntrail.analysis.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.analysis.flow.FlowSettings.Resync;
import io.ntrail.analysis.flow.WholeFlow.PacketSink;
import io.ntrail.analysis.flow.WholeFlow.Wanted;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pt.Erratum;
import io.ntrail.formats.pt.PacketError;
import io.ntrail.formats.pt.PacketType;
import io.ntrail.formats.pt.PsbSearch;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.RawSpace;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.FlowClass;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The flow of a whole stream is the same with any number of cores, sound or damaged. */
class WholeFlowTest {
  /** Everything that is told, in order. */
  private static final class Told implements FlowSink, PacketSink {
    private final FlowDigest digest = new FlowDigest();
    private final List<String> packets = new ArrayList<>();

    @Override
    public void instructions(CodeBlocks blocks, int block, int count, boolean isSpeculative) {
      digest.instructions(blocks, block, count, isSpeculative);
    }

    @Override
    public void event(FlowEvent event, long address, long value) {
      digest.event(event, address, value);
    }

    @Override
    public void error(FlowError error, long offset, long address) {
      digest.error(error, offset, address);
    }

    @Override
    public void time(PacketType type, long value, boolean inHeader) {
      // Between the instructions that it stands between.
      digest.event(FlowEvent.STOPPED, type.ordinal() + (inHeader ? 100 : 0), value);
    }

    @Override
    public void timed() {
      digest.event(FlowEvent.STOPPED, -1, 0);
    }

    @Override
    public void damage(PacketError error, long offset, long length) {
      packets.add(error + " " + offset + " " + length);
    }

    String text(FlowTotals totals) {
      StringBuilder text = new StringBuilder(digest.text()).append('\n').append(packets);
      text.append('\n').append(totals.instructions()).append(' ').append(totals.runs());
      for (FlowClass flowClass : FlowClass.values()) {
        text.append(' ').append(totals.count(flowClass));
      }
      for (PacketType type : PacketType.values()) {
        text.append(' ').append(totals.count(type));
      }
      return text.toString();
    }
  }

  private static FlowSettings settings(Resync resync, boolean asLibipt) {
    Set<Erratum> errata = RecordedStreams.errata("6/94/3");
    return new FlowSettings(errata, resync, CodeSize.BITS64, List.of(), asLibipt);
  }

  private static WholeFlow told(
      InputFile packets,
      AddressSpace code,
      FlowSettings settings,
      int cores,
      int bytes,
      StringBuilder to) {
    WholeFlow flow = new WholeFlow(packets, code, settings);
    Told told = new Told();
    flow.run(new Wanted(true, true, cores), bytes, told, told);
    to.append(told.text(flow.totals()));
    return flow;
  }

  /** Compares one core with several; returns how many parts fitted. */
  private static long compare(
      InputFile packets, AddressSpace code, FlowSettings settings, int cores, int bytes) {
    StringBuilder one = new StringBuilder();
    StringBuilder several = new StringBuilder();
    told(packets, code, settings, 1, bytes, one);
    WholeFlow flow = told(packets, code, settings, cores, bytes, several);
    assertEquals(one.toString(), several.toString());
    WholeFlow counted = new WholeFlow(packets, code, settings);
    Told events = new Told();
    counted.run(new Wanted(false, false, cores), bytes, events, events);
    assertEquals(flow.totals().instructions(), counted.totals().instructions());
    assertEquals(flow.totals().count(FlowClass.RETURN), counted.totals().count(FlowClass.RETURN));
    return flow.joined();
  }

  @Test
  void severalCoresTellOfSoundStreamsWhatOneTells() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    List<String> streams =
        List.of(
            "xdc/avscript32.pt",
            "xdc/unzip.pt",
            "stepped/perl-cyc.pt",
            "lldb/multicore-51.trace",
            "dynamorio/hello.pt",
            "xdc/dyn.pt",
            "xdc/qemu.pt",
            "xdc/mruby.pt",
            "stepped/perl-retc.pt",
            "stepped/perl-noretc.pt",
            "stepped/perl-longtnt.pt",
            "reencoded/mruby-retc.pt");
    long[] fitted = {0};
    for (String stream : Slice.of(streams, 5)) {
      byte[] bytes = RecordedStreams.bytes(stream);
      int segment = bytes.length > 300_000 ? 20_000 : 1;
      RecordedStreams.with(
          stream,
          bytes,
          (packets, code) ->
              fitted[0] += compare(packets, code, settings(Resync.EVENT, false), 3, segment));
    }
    assertTrue(fitted[0] > 100, fitted[0] + " parts fitted");
  }

  @Test
  void severalCoresTellOfDamagedStreamsWhatOneTells() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    long[] fitted = {0};
    for (String stream : new String[] {"xdc/avscript32.pt", "xdc/unzip.pt", "xdc/dyn.pt"}) {
      byte[] sound = RecordedStreams.bytes(stream);
      SplittableRandom random = new SplittableRandom(11);
      for (int i = 0; i < Slice.count(80, 10); i++) {
        byte[] damaged =
            i % 4 == 3 ? DamagedStreams.spliced(sound, random) : DamagedStreams.torn(sound, random);
        FlowSettings settings = settings(i % 3 == 0 ? Resync.PSB : Resync.EVENT, i % 5 == 0);
        int bytes = i % 2 == 0 ? 1 : 3000;
        RecordedStreams.with(
            stream,
            damaged,
            (packets, code) -> fitted[0] += compare(packets, code, settings, 2, bytes));
      }
    }
    assertTrue(fitted[0] > 100, fitted[0] + " parts fitted");
  }

  /** A pattern in the middle of packets, which a thread that begins there takes for a header. */
  @Test
  void aPsbThatIsPartOfAnotherPacketBeginsNoPart() {
    // 100000: jz 100000; jmp 100000
    byte[] code = Flows.bytes("74fe ebfc");
    String header = Flows.PSB + "9901 7d000010000000 0223";
    // A TSC, a TNT and half a PSB make a whole one.
    String hidden = "19 02820282028202 82 0282028202820282";
    byte[] stream = Flows.bytes(header + "0606" + hidden + "06" + header + "06");
    assertEquals(30, PsbSearch.next(InputFile.of(stream, "stream"), 1));
    try (InputFile bytes = InputFile.of(code, "code");
        InputFile packets = InputFile.of(stream, "stream")) {
      AddressSpace space = new RawSpace(bytes, 0x100000);
      assertTrue(compare(packets, space, settings(Resync.EVENT, false), 2, 1) > 0);
    }
  }

  /** The call runs behind the last packet and before the header, which tells the place after it. */
  @Test
  void aCallOnTheWayToAHeaderDoesNotKeepThePartBehindItFromFitting() throws IOException {
    // 100000: jz 100002; call 100008; nop; 100008: jz 10000a; jz 100000
    byte[] code = Flows.bytes("7400 e801000000 90 7400 74f2");
    String first = Flows.PSB + "9901 7d000010000000 0223";
    String second = Flows.PSB + "9901 7d080010000000 0223";
    // Not taken: at the call.
    byte[] stream = Flows.bytes(first + "04" + second + "04");
    try (InputFile bytes = InputFile.of(code, "code");
        InputFile packets = InputFile.of(stream, "stream")) {
      AddressSpace space = new RawSpace(bytes, 0x100000);
      assertEquals(2, compare(packets, space, settings(Resync.EVENT, false), 2, 1));
    }
  }

  @Test
  void whatStopsTheOneWhoAskedStopsTheOthers() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    RecordedStreams.with(
        "xdc/avscript32.pt",
        RecordedStreams.bytes("xdc/avscript32.pt"),
        (packets, code) -> {
          WholeFlow flow = new WholeFlow(packets, code, settings(Resync.EVENT, false));
          Told told = new Told();
          FlowSink full =
              new FlowSink() {
                @Override
                public void instructions(
                    CodeBlocks blocks, int block, int count, boolean isSpeculative) {
                  throw new IllegalStateException("enough");
                }

                @Override
                public void event(FlowEvent event, long address, long value) {
                  // Not of interest.
                }

                @Override
                public void error(FlowError error, long offset, long address) {
                  // Not of interest.
                }
              };
          assertThrows(
              IllegalStateException.class,
              () -> flow.run(new Wanted(true, false, 2), 1, full, told));
        });
  }
}
