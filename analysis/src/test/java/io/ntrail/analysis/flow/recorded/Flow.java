package io.ntrail.analysis.flow.recorded;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.flow.CodeBlocks;
import io.ntrail.analysis.flow.FlowError;
import io.ntrail.analysis.flow.FlowEvent;
import io.ntrail.analysis.flow.FlowSettings;
import io.ntrail.analysis.flow.FlowSettings.Resync;
import io.ntrail.analysis.flow.FlowSink;
import io.ntrail.analysis.flow.TimedFlow.Trust;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pt.ClockSettings;
import io.ntrail.formats.pt.PacketClock.Rounding;
import io.ntrail.programs.symbols.PdbSearch;
import io.ntrail.programs.symbols.SymbolPath;
import io.ntrail.programs.symbols.SymbolStores;
import io.ntrail.programs.x86.CodeSize;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Flow of one piece of a recording.
 *
 * @param addresses of the instructions
 * @param errors in words
 * @param nanos times of the instructions; empty if they are not known
 * @param trusts how they are known
 */
record Flow(
    RecordedPiece piece,
    PieceResult result,
    List<Long> addresses,
    List<String> errors,
    List<Long> nanos,
    Set<Trust> trusts) {
  /** Returns the flows of all pieces, with images from a folder. */
  static List<Flow> all(byte[] file, Path folder) {
    List<Flow> flows = new ArrayList<>();
    try (EtwRecording recording = EtwRecording.of(List.of(InputFile.of(file, "written")));
        RecordedTrace trace =
            RecordedTrace.of(recording, 1, List.of(stores(folder)), new PdbSearch(List.of()));
        PieceWalk walk = trace.walk(settings())) {
      for (int i = 0; i < trace.pieces().listed(); i++) {
        flows.add(of(walk, i));
      }
    }
    return flows;
  }

  /** Returns the flow of a piece. */
  static Flow of(PieceWalk walk, int number) {
    List<Taken> taken = new ArrayList<>();
    PieceResult result =
        walk.walk(
            number,
            piece -> {
              taken.add(new Taken(piece));
              return taken.getLast();
            });
    return taken.getLast().flow(result);
  }

  static PieceSettings settings() {
    return new PieceSettings(
        new FlowSettings(Set.of(), Resync.EVENT, CodeSize.BITS64),
        new ClockSettings(0, 2, 168, 0),
        Rounding.EXACT);
  }

  static SymbolStores stores(Path folder) {
    return SymbolStores.of(
        new SymbolPath(List.of(new SymbolPath.Folder(folder)), List.of(), folder),
        SymbolPath.Host.here());
  }

  private static final class Taken implements FlowSink {
    private final List<Long> addresses = new ArrayList<>();
    private final List<String> errors = new ArrayList<>();
    private final List<Long> nanos = new ArrayList<>();
    private final Set<Trust> trusts = EnumSet.noneOf(Trust.class);
    private final RecordedPiece piece;

    Taken(RecordedPiece piece) {
      this.piece = piece;
    }

    Flow flow(PieceResult result) {
      return new Flow(piece, result, addresses, errors, nanos, trusts);
    }

    @Override
    public void instructions(CodeBlocks blocks, int block, int count, boolean isSpeculative) {
      long address = blocks.start(block);
      for (int i = 0; i < count; i++) {
        addresses.add(address);
        address += blocks.length(block, i);
        if (piece.times().knowsNanos()) {
          nanos.add(piece.times().nanos(i));
          trusts.add(piece.times().trust(i));
        }
      }
    }

    @Override
    public void event(FlowEvent event, long address, long value) {
      // Not an instruction.
    }

    @Override
    public void error(FlowError error, long offset, long address) {
      errors.add(piece.reasons().text(error, address) + " at 0x" + Long.toHexString(address));
    }
  }
}
