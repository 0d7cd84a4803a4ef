package io.ntrail.cli.harness;

import io.ntrail.testkit.breakpad.BreakpadSymbols;
import io.ntrail.testkit.breakpad.BreakpadSymbols.Function;
import io.ntrail.testkit.breakpad.BreakpadSymbols.Line;
import io.ntrail.testkit.breakpad.SymbolsAsPdb;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;

/** The PDBs in samples/symbols: names and lines of the invented program of samples/shop.etl. */
public final class SampleSymbols {
  private static final int AMD64 = 0x8664;

  /** Bytes of code of a line. */
  private static final int LINE = 16;

  private final TreeMap<Long, Function> functions = new TreeMap<>();

  private SampleSymbols() {}

  /** PDB of shopcore.dll. */
  public static byte[] shopcore() {
    SampleSymbols symbols = new SampleSymbols();
    symbols.add(0x10100, 480, "Worker::Run", 203, "worker.cpp");
    symbols.add(0x12040, 388, "Stock::Match", 57, "stock.cpp");
    symbols.add(0x121D0, 352, "Stock::Load", 118, "stock.cpp");
    symbols.add(0x12460, 208, "Key::Compare", 31, "key.cpp");
    symbols.add(0x1C240, 704, "Json::Parse", 88, "json.cpp");
    return symbols.pdb("5e1c7a9044b24c0fa1d2b3c4d5e6f7082", "shopcore.pdb");
  }

  /** PDB of shopd.exe, as it was recorded. */
  public static byte[] shopd() {
    SampleSymbols symbols = new SampleSymbols();
    symbols.add(0x1C40, 256, "main", 12, "shopd.cpp");
    return symbols.pdb("2a9d1f607c3e4b858d210fe4c6a7b9132", "shopd.pdb");
  }

  private void add(long begin, int size, String name, int line, String file) {
    TreeMap<Long, Line> lines = new TreeMap<>();
    for (int at = 0; at < size; at += LINE) {
      lines.put(
          begin + at,
          new Line(begin + at, LINE, line + at / LINE, "C:\\build\\shop\\src\\" + file));
    }
    functions.put(begin, new Function(begin, size, 0, name, lines));
  }

  private byte[] pdb(String id, String name) {
    return SymbolsAsPdb.of(
        new BreakpadSymbols(id, name, functions, new TreeMap<>(), List.of()), AMD64);
  }

  /** Writes them into the folder that is named. */
  public static void main(String[] arguments) throws IOException {
    Path folder = Files.createDirectories(Path.of(arguments[0]));
    Files.write(folder.resolve("shopcore.pdb"), shopcore());
    Files.write(folder.resolve("shopd.pdb"), shopd());
  }
}
