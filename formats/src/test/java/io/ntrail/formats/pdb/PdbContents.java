package io.ntrail.formats.pdb;

import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.pdb.codeview.Symbol;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;

/** Reads all that a PDB has; for tests of damage. What is read is bounded, so that a test ends. */
final class PdbContents {
  private static final int MOST = 2000;

  private PdbContents() {}

  /**
   * Reads everything, and returns the number of items; damage is a gap of the PDB, or is reported
   * with the single item.
   */
  static long read(PdbFile pdb) {
    long things = pdb.guid().hashCode() & 1;
    things += pdb.age() & 1;
    things += pdb.sections().size() + pdb.symbolSections().size();
    things += pdb.frameData().frames().size();
    things += pdb.fpoData().map(data -> data.length()).orElse(0);
    things += pdb.functionTable().map(copy -> copy.data().length()).orElse(0);
    things += pdb.unwindInformation().map(copy -> copy.data().length()).orElse(0);
    for (PdbModule module : pdb.modules().stream().limit(MOST).toList()) {
      things += read(pdb, module);
    }
    SectionContributions contributions = pdb.contributions();
    PdbSymbolizer addresses = new PdbSymbolizer(pdb);
    for (int i = 0; i < Math.min(MOST, contributions.count()); i++) {
      SectionContributions.Contribution c = contributions.get(i);
      long rva = pdb.rva(c.section(), c.offset());
      things += addresses.find(rva).map(found -> found.frames().size()).orElse(0);
      things += addresses.find(rva + c.size() / 2).map(found -> found.frames().size()).orElse(0);
    }
    things += pdb.publics().map(publics -> read(publics)).orElse(0L);
    things += pdb.globals().map(PdbContents::read).orElse(0L);
    for (long type = 0; type < 0x1000 + MOST; type += type < 0x1000 ? 0x33 : 1) {
      things += pdb.typeNames().type(type).length();
      things += pdb.typeNames().function(type).map(String::length).orElse(0);
      things += pdb.typeNames().parameters(type).map(list -> list.size()).orElse(0);
    }
    for (long rva = 0; rva < MOST; rva += 97) {
      things += pdb.toOriginal(rva) & 1;
      things += pdb.toImage(rva, 50) & 1;
      things += pdb.omapToImage().map(omap -> omap.ranges(1, MOST).size()).orElse(0);
      things += pdb.frameData().find(rva).map(frame -> run(frame)).orElse(0);
    }
    return things;
  }

  private static int run(FrameData.Frame frame) {
    return FrameProgram.of(frame.program())
        .run(Map.of("$esp", 1, "$ebp", 2), at -> OptionalInt.of(at))
        .variables()
        .size();
  }

  private static long read(PdbFile pdb, PdbModule module) {
    ModuleSymbols symbols = pdb.symbols(module);
    long things = symbols.lines().stream().mapToLong(row -> row.length() & 1).sum();
    things += pdb.sourceFiles().of(module.number()).size();
    for (Symbol symbol : symbols.symbols().stream().limit(MOST).toList()) {
      things += GlobalSymbols.name(symbol).length();
    }
    for (Symbol.Procedure procedure : symbols.procedures().stream().limit(20).toList()) {
      things += symbols.inlineSites(procedure).size();
    }
    return things;
  }

  private static long read(PublicSymbols publics) {
    long things = 0;
    for (int i = 0; i < Math.min(MOST, publics.count()); i++) {
      int index = i;
      things += one(() -> publics.get(index)).map(symbol -> symbol.name().length()).orElse(0);
    }
    things += one(() -> publics.named("main")).map(list -> list.size()).orElse(0);
    things += one(() -> publics.atOrBefore(1, 0x10)).map(list -> list.size()).orElse(0);
    return things + one(() -> publics.nextAfter(1, 0x10)).orElse(0L);
  }

  private static long read(GlobalSymbols globals) {
    long things = 0;
    for (int i = 0; i < Math.min(MOST, globals.count()); i++) {
      int index = i;
      things += one(() -> globals.get(index)).map(symbol -> symbol.at() & 1).orElse(0L);
    }
    return things + one(() -> globals.named("main")).map(list -> list.size()).orElse(0);
  }

  private static <T> Optional<T> one(Supplier<T> reader) {
    try {
      return Optional.of(reader.get());
    } catch (DamagedInput _) {
      return Optional.empty();
    }
  }
}
