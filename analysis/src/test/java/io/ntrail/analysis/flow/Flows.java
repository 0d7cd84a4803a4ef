package io.ntrail.analysis.flow;

import io.ntrail.analysis.flow.FlowSettings.Resync;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pt.Erratum;
import io.ntrail.formats.pt.PacketCursor;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.RawSpace;
import io.ntrail.programs.x86.CodeSize;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

/** Small flows for tests: code and packets by hand, what comes out as lines. */
final class Flows implements FlowSink {
  static final String PSB = "02820282028202820282028202820282";

  /** Lines of a flow at most: those that are worked out by hand have fewer than a hundred. */
  private static final int MOST = 100_000;

  private final List<String> lines = new ArrayList<>();
  private final boolean tellsAll;

  private Flows(boolean tellsAll) {
    this.tellsAll = tellsAll;
  }

  /** Returns a line for each instruction (its address), event and error. */
  static List<String> lines(long address, String code, String packets, Resync resync) {
    return lines(address, code, packets, resync, Set.of());
  }

  static List<String> lines(
      long address, String code, String packets, Resync resync, Set<Erratum> errata) {
    return lines(address, code, packets, new FlowSettings(errata, resync, CodeSize.BITS64));
  }

  static List<String> lines(long address, String code, String packets, FlowSettings settings) {
    return lines(address, code, packets, settings, false);
  }

  /** Returns the lines with those of interruptions, and with the values of events that have one. */
  static List<String> all(long address, String code, String packets) {
    return lines(
        address, code, packets, new FlowSettings(Set.of(), Resync.EVENT, CodeSize.BITS64), true);
  }

  private static List<String> lines(
      long address, String code, String packets, FlowSettings settings, boolean tellsAll) {
    try (InputFile bytes = InputFile.of(bytes(code), "code")) {
      return lines(new RawSpace(bytes, address), packets, settings, tellsAll);
    }
  }

  /** Returns the lines of a flow through code that is somewhere else as well. */
  static List<String> lines(AddressSpace space, String packets, FlowSettings settings) {
    return lines(space, packets, settings, false);
  }

  private static List<String> lines(
      AddressSpace space, String packets, FlowSettings settings, boolean tellsAll) {
    Flows flows = new Flows(tellsAll);
    try (InputFile stream = InputFile.of(bytes(packets), "stream")) {
      new FlowDecoder(
              new PacketCursor(stream, settings.errata()), new CodeBlocks(space), settings, flows)
          .run();
    }
    return flows.lines;
  }

  static byte[] bytes(String hex) {
    return HexFormat.of().parseHex(hex.replace(" ", ""));
  }

  @Override
  public void instructions(CodeBlocks blocks, int block, int count, boolean isSpeculative) {
    long address = blocks.start(block);
    for (int i = 0; i < count; i++) {
      add((isSpeculative ? "? " : "") + Long.toHexString(address));
      address += blocks.length(block, i);
    }
  }

  @Override
  public void event(FlowEvent event, long address, long value) {
    // Where something interrupts the flow is proved by the bitmaps of branches.
    if (tellsAll || event != FlowEvent.INTERRUPTED) {
      String number = tellsAll && value != 0 ? " =" + Long.toHexString(value) : "";
      add(event + " " + Long.toHexString(address) + number);
    }
  }

  @Override
  public void error(FlowError error, long offset, long address) {
    add(error + " at " + Long.toHexString(offset) + " " + Long.toHexString(address));
  }

  private void add(String line) {
    if (lines.size() == MOST) {
      throw new IllegalStateException("a flow that does not end");
    }
    lines.add(line);
  }
}
