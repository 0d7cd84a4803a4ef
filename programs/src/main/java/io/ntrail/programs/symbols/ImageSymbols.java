package io.ntrail.programs.symbols;

import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.collections.LongSet;
import io.ntrail.formats.decoration.Undecorator;
import io.ntrail.formats.pdb.PdbFile;
import io.ntrail.formats.pdb.PdbModule;
import io.ntrail.formats.pdb.PdbSymbolizer;
import io.ntrail.formats.pdb.PdbSymbolizer.Found;
import io.ntrail.formats.pdb.PdbSymbolizer.Frame;
import io.ntrail.formats.pdb.PublicSymbols;
import io.ntrail.formats.pdb.codeview.Symbol.Procedure;
import io.ntrail.formats.pdb.codeview.Symbol.Public;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.image.AddressNames;
import io.ntrail.programs.image.ImageFunction.Source;
import io.ntrail.programs.image.NamedFunction;
import io.ntrail.programs.symbols.SymbolizedAddress.Origin;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Names for the addresses of one image. */
public sealed interface ImageSymbols {
  /** Returns the symbol at an RVA; empty if unknown. */
  Optional<SymbolizedAddress> at(long rva);

  /**
   * The types of a function's parameters, {@code ...} for any more; empty if they are not known.
   *
   * @param type as a frame has it
   */
  Optional<List<String>> parameters(long type);

  /** The names of a PDB, which must stay open. */
  static ImageSymbols of(PdbFile pdb) {
    return new OfPdb(pdb, new PdbSymbolizer(pdb));
  }

  /** The names that an image has itself, which must stay open. */
  static ImageSymbols of(PeImage image) {
    return new OfImage(AddressNames.of(image));
  }

  /** Returns the undecorated name of a function, with its parameters if the name has them. */
  static String plain(String name) {
    return Undecorator.of(name, Undecorator.Style.NAME).orElse(name);
  }

  /**
   * Returns the functions of a PDB: its procedures, then public symbols of code that no procedure
   * starts at.
   *
   * @return by module; addresses are those of the image, also if it was rearranged
   */
  static List<NamedFunction> functions(PdbFile pdb) {
    List<NamedFunction> functions = new ArrayList<>();
    LongSet known = new LongSet();
    for (PdbModule module : pdb.modules()) {
      for (Procedure procedure : pdb.symbols(module).procedures()) {
        long linked = pdb.rva(procedure.section(), procedure.offset());
        long rva = pdb.toImage(linked, procedure.length());
        known.add(linked);
        if (rva >= 0 && !procedure.isManaged()) {
          // Bytes that were rearranged need not lie together any more.
          long length = pdb.omapToImage().isPresent() ? 0 : procedure.length();
          functions.add(new NamedFunction(rva, length, procedure.name(), Source.PDB));
        }
      }
    }
    int count = pdb.publics().map(PublicSymbols::count).orElse(0);
    for (int i = 0; i < count; i++) {
      pdb.publicSymbol(i)
          .filter(Public::isFunction)
          .ifPresent(symbol -> {
            long linked = pdb.rva(symbol.section(), symbol.offset());
            long rva = pdb.toImage(symbol);
            if (rva >= 0 && !known.contains(linked)) {
              functions.add(new NamedFunction(rva, 0, plain(symbol.name()), Source.PDB));
            }
          });
    }
    return functions;
  }

  /** By a PDB. */
  record OfPdb(PdbFile pdb, PdbSymbolizer addresses) implements ImageSymbols {
    @Override
    public Optional<SymbolizedAddress> at(long rva) {
      return addresses.find(rva).map(this::symbol);
    }

    private SymbolizedAddress symbol(Found found) {
      Origin origin =
          switch (found.kind()) {
            case PROCEDURE -> Origin.PROCEDURE;
            case THUNK -> Origin.THUNK;
            case SEPARATED -> Origin.SEPARATED;
            case LABEL -> Origin.LABEL;
            case PUBLIC -> Origin.PUBLIC;
            case NEAREST -> Origin.NEAREST;
          };
      List<SymbolFrame> frames = found.frames().stream().map(this::frame).toList();
      long begin = pdb.toImage(found.begin(), Math.max(1, found.length()));
      return new SymbolizedAddress(origin, begin, found.length(), found.offset(), frames);
    }

    private SymbolFrame frame(Frame frame) {
      return new SymbolFrame(
          plain(frame.function()),
          frame.file(),
          frame.line(),
          frame.column(),
          frame.isInlined(),
          frame.type());
    }

    @Override
    public Optional<List<String>> parameters(long type) {
      return pdb.typeNames().parameters(type);
    }
  }

  /** By exports and the symbol table. */
  record OfImage(AddressNames names) implements ImageSymbols {
    @Override
    public Optional<SymbolizedAddress> at(long rva) {
      try {
        return names
            .at(rva)
            .map(function ->
                new SymbolizedAddress(
                    Origin.EXPORT,
                    function.rva(),
                    function.length(),
                    rva - function.rva(),
                    List.of(SymbolFrame.named(plain(function.name())))));
      } catch (DamagedInput e) {
        return Optional.empty();
      }
    }

    @Override
    public Optional<List<String>> parameters(long type) {
      return Optional.empty();
    }
  }
}
