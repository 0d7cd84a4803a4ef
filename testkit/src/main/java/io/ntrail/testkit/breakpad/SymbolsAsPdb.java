package io.ntrail.testkit.breakpad;

import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.breakpad.BreakpadSymbols.Function;
import io.ntrail.testkit.breakpad.BreakpadSymbols.Line;
import io.ntrail.testkit.pdb.SmallPdb;
import io.ntrail.testkit.pe.BreakpadStackRecords.Win;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Writer of a PDB that says what a symbol file of Breakpad says: names, lines, frame data and FPO
 * data, no more; so that programs that read PDBs have what those had that read symbol files.
 */
public final class SymbolsAsPdb {
  private static final int I386 = 0x14C;
  private static final int FPO_STREAM = 0;
  private static final int FRAME_DATA_STREAM = 9;
  private static final int FUNCTION_START = 4;
  private static final int USES_BP = 0x1000;

  private final BreakpadSymbols symbols;
  private final int machine;
  private final SmallPdb pdb = new SmallPdb();
  private final Map<String, Integer> names = new LinkedHashMap<>();

  private SymbolsAsPdb(BreakpadSymbols symbols, int machine) {
    this.symbols = symbols;
    this.machine = machine;
  }

  /** Returns the bytes of the PDB, with the id of the symbol file. */
  public static byte[] of(BreakpadSymbols symbols) {
    return of(symbols, I386);
  }

  /** Returns the bytes of the PDB of a program for a machine, by the machine's number. */
  public static byte[] of(BreakpadSymbols symbols, int machine) {
    return new SymbolsAsPdb(symbols, machine).write();
  }

  private int name(String text) {
    return names.computeIfAbsent(text, pdb::name);
  }

  private byte[] write() {
    String digits = symbols.id();
    String guid =
        digits.substring(0, 32).replaceFirst("(.{8})(.{4})(.{4})(.{4})(.{12})", "$1-$2-$3-$4-$5");
    pdb.id(UUID.fromString(guid), Integer.parseInt(digits.substring(32), 16)).machine(machine);
    pdb.section(".text", 0, Integer.MAX_VALUE);
    int module = 0;
    for (Function function : symbols.functions().values()) {
      int begin = (int) function.begin();
      byte[] records =
          new SmallPdb.Records()
              .procedure(function.name(), 1, begin, (int) function.size(), new SmallPdb.Records())
              .toByteArray();
      pdb.module(function.name(), records, new byte[0], lines(function));
      pdb.contribution(1, begin, (int) function.size(), module++);
    }
    symbols
        .publics()
        .values()
        .forEach(symbol -> pdb.publicFunction(symbol.name(), 1, (int) symbol.begin()));
    pdb.debugStream(FPO_STREAM, fpo());
    pdb.debugStream(FRAME_DATA_STREAM, frameData());
    return pdb.write();
  }

  /** Lines of a function as C13, a block for each stretch in one file. */
  private byte[] lines(Function function) {
    List<Line> lines = List.copyOf(function.lines().values());
    if (lines.isEmpty()) {
      return new byte[0];
    }
    Map<String, Integer> files = new LinkedHashMap<>();
    LittleEndian checksums = new LittleEndian();
    for (Line line : lines) {
      files.computeIfAbsent(
          line.file(),
          file -> {
            int at = checksums.size();
            checksums.u32(name(file)).u8(0).u8(0).align(4);
            return at;
          });
    }
    LittleEndian blocks = new LittleEndian();
    for (int from = 0; from < lines.size(); ) {
      String file = lines.get(from).file();
      int to = from;
      while (to < lines.size() && lines.get(to).file().equals(file)) {
        to++;
      }
      blocks.u32(files.getOrDefault(file, 0)).u32(to - from).u32(12 + 8L * (to - from));
      for (Line line : lines.subList(from, to)) {
        blocks.u32(line.begin() - function.begin()).u32(0x8000_0000L | line.number());
      }
      from = to;
    }
    return new LittleEndian()
        .u32(0xF4)
        .u32(checksums.size())
        .bytes(checksums.toByteArray())
        .u32(0xF2)
        .u32(12L + blocks.size())
        .u32(function.begin())
        .u16(1)
        .u16(0)
        .u32(function.size())
        .bytes(blocks.toByteArray())
        .toByteArray();
  }

  private byte[] fpo() {
    LittleEndian out = new LittleEndian();
    for (Win row : rows(0)) {
      out.u32(row.begin()).u32(row.size()).u32(row.locals() / 4);
      out.u16((int) row.parameters() / 4).u8((int) row.prolog());
      // cbRegs, then fUseBP.
      out.u8((int) (row.saved() / 4 & 7 | (row.program().equals("1") ? USES_BP >> 8 : 0)));
    }
    return out.toByteArray();
  }

  private byte[] frameData() {
    LittleEndian out = new LittleEndian();
    for (Win row : rows(4)) {
      boolean isStart = symbols.functions().containsKey(row.begin());
      out.u32(row.begin()).u32(row.size()).u32(row.locals()).u32(row.parameters()).u32(0);
      out.u32(name(row.program())).u16((int) row.prolog()).u16((int) row.saved());
      out.u32(isStart ? FUNCTION_START : 0);
    }
    return out.toByteArray();
  }

  private List<Win> rows(int type) {
    return symbols.stack().stream().filter(row -> row.type() == type).toList();
  }
}
