package io.ntrail.live.plan;

import io.ntrail.formats.identity.CallPrototype;
import io.ntrail.formats.pdb.FrameData;
import io.ntrail.formats.pdb.PdbFile;
import io.ntrail.formats.pe.CoffSymbols;
import io.ntrail.formats.pe.DebugDirectory;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.unwind.FpoTable;
import io.ntrail.programs.image.ImageFunction.Source;
import io.ntrail.programs.image.NamedFunction;
import io.ntrail.programs.symbols.ImageSymbols;
import io.ntrail.programs.symbols.Prototypes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Symbols of a module's functions, which are not in memory.
 *
 * @param names of functions by RVA, besides those of exports
 * @param functions those of code without a function table, which nothing else lists; of other code
 *     none
 * @param prototypes of 32-bit functions by RVA, from a PDB or decorated names
 */
public record PlanSymbols(
    Map<Long, String> names, List<NamedFunction> functions, Map<Long, CallPrototype> prototypes) {
  /** Has none. */
  public static final PlanSymbols NONE = new PlanSymbols(Map.of(), List.of(), Map.of());

  /** Copies all. */
  public PlanSymbols {
    names = Map.copyOf(names);
    functions = List.copyOf(functions);
    prototypes = Map.copyOf(prototypes);
  }

  /**
   * Reads the symbols of an image.
   *
   * @param image a file
   * @param pdb its PDB, if there is one
   */
  static PlanSymbols of(PeImage image, Optional<PdbFile> pdb) {
    List<NamedFunction> all = new ArrayList<>();
    pdb.ifPresent(file -> all.addAll(ImageSymbols.functions(file)));
    Map<Long, String> names = new HashMap<>();
    Map<Long, CallPrototype> prototypes = new HashMap<>();
    all.forEach(function -> names.putIfAbsent(function.rva(), function.name()));
    if (image.headers().symbolTableOffset() != 0) {
      CoffSymbols symbols = CoffSymbols.of(image);
      prototypes.putAll(Prototypes.of(symbols));
      for (CoffSymbols.Symbol symbol : symbols.functions()) {
        names.putIfAbsent(symbol.rva(), symbol.name());
        if (symbol.isFunction()) {
          all.add(new NamedFunction(symbol.rva(), 0, symbol.name(), Source.SYMBOL_TABLE));
        }
      }
    }
    if (image.headers().machine() != MachineType.I386) {
      return new PlanSymbols(names, List.of(), Map.of());
    }
    pdb.ifPresent(file -> addFrameData(file, all));
    DebugDirectory.of(image)
        .first(DebugDirectory.FPO)
        .map(DebugDirectory.Entry::data)
        .map(FpoTable::of)
        .ifPresent(
            table -> table.entries().forEach(fpo -> all.add(frame(fpo.begin(), fpo.size()))));
    pdb.ifPresent(file -> prototypes.putAll(Prototypes.of(file)));
    return new PlanSymbols(names, all, prototypes);
  }

  /** Adds the functions of the frame data of a PDB, whose addresses are those of the linker. */
  private static void addFrameData(PdbFile pdb, List<NamedFunction> all) {
    pdb.fpoData()
        .map(FpoTable::of)
        .ifPresent(
            table -> table.entries().forEach(fpo -> addFrame(pdb, fpo.begin(), fpo.size(), all)));
    for (FrameData.Frame frame : pdb.frameData().frames()) {
      if (frame.isFunctionStart()) {
        addFrame(pdb, frame.begin(), frame.size(), all);
      }
    }
  }

  private static void addFrame(PdbFile pdb, long begin, long size, List<NamedFunction> all) {
    long rva = pdb.toImage(begin, Math.max(1, size));
    if (rva >= 0) {
      // Bytes that were rearranged need not lie together any more.
      all.add(frame(rva, pdb.omapToImage().isPresent() ? 0 : size));
    }
  }

  private static NamedFunction frame(long rva, long size) {
    return new NamedFunction(rva, size, "", Source.FRAME_DATA);
  }
}
