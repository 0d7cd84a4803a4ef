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

  private final List<String> lines = new ArrayList<>();

  private Flows() {}

  /** Returns a line for each instruction (its address), event and error. */
  static List<String> lines(long address, String code, String packets, Resync resync) {
    return lines(address, code, packets, resync, Set.of());
  }

  static List<String> lines(
      long address, String code, String packets, Resync resync, Set<Erratum> errata) {
    return lines(address, code, packets, new FlowSettings(errata, resync, CodeSize.BITS64));
  }

  static List<String> lines(long address, String code, String packets, FlowSettings settings) {
    Flows flows = new Flows();
    try (InputFile bytes = InputFile.of(bytes(code), "code");
        InputFile stream = InputFile.of(bytes(packets), "stream")) {
      AddressSpace space = new RawSpace(bytes, address);
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
      lines.add((isSpeculative ? "? " : "") + Long.toHexString(address));
      address += blocks.length(block, i);
    }
  }

  @Override
  public void event(FlowEvent event, long address, long value) {
    // Where something interrupts the flow is proved by the bitmaps of branches.
    if (event != FlowEvent.INTERRUPTED) {
      lines.add(event + " " + Long.toHexString(address));
    }
  }

  @Override
  public void error(FlowError error, long offset, long address) {
    lines.add(error + " at " + Long.toHexString(offset) + " " + Long.toHexString(address));
  }
}
