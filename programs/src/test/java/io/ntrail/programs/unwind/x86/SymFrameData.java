package io.ntrail.programs.unwind.x86;

import io.ntrail.formats.pdb.FrameData;
import io.ntrail.formats.pe.unwind.FpoTable;
import io.ntrail.testkit.breakpad.BreakpadSymbols;
import io.ntrail.testkit.pe.BreakpadStackRecords.Win;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** Frame data of a module as a symbol file of Breakpad has it. */
final class SymFrameData implements FrameDataTable {
  private static final int FPO = 0;
  private static final int FRAME_DATA = 4;

  private final BreakpadSymbols symbols;
  private final Map<Win, FrameData.Frame> programs = new HashMap<>();

  SymFrameData(BreakpadSymbols symbols) {
    this.symbols = symbols;
  }

  @Override
  public Optional<FrameData.Frame> program(long rva) {
    return symbols.row(FRAME_DATA, rva).map(row -> programs.computeIfAbsent(row, this::frame));
  }

  private FrameData.Frame frame(Win row) {
    return new FrameData.Frame(
        row.begin(),
        row.size(),
        row.locals(),
        row.parameters(),
        0,
        row.program(),
        (int) row.prolog(),
        (int) row.saved(),
        false,
        false,
        false);
  }

  @Override
  public Optional<FpoTable.Fpo> fpo(long rva) {
    return symbols
        .row(FPO, rva)
        .map(row ->
            new FpoTable.Fpo(
                row.begin(),
                row.size(),
                row.locals(),
                (int) row.parameters(),
                (int) row.prolog(),
                (int) row.saved() / 4,
                false,
                row.program().equals("1"),
                FpoTable.Frame.FPO));
  }

  @Override
  public OptionalInt parameterBytes(long rva) {
    return symbols
        .function(rva)
        .map(function -> OptionalInt.of(function.parameters()))
        .orElse(OptionalInt.empty());
  }
}
