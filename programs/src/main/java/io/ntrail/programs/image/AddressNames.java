package io.ntrail.programs.image;

import io.ntrail.formats.collections.Neighbors;
import io.ntrail.formats.pe.CoffSymbols;
import io.ntrail.formats.pe.Exports;
import io.ntrail.formats.pe.LoadConfig;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.unwind.FunctionTable;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.programs.image.ImageFunction.Source;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The names that an image has itself, by address: what {@link ImageFunctions#withSymbolTable} says
 * of one. The first addresses are looked up in the tables as they are stored, since a stack asks
 * for a few of an image with a hundred thousand functions; from then on all functions are read. For
 * one thread.
 */
public final class AddressNames {
  /** Addresses that are looked up one by one: together they take less than reading everything. */
  private static final int MOST_SINGLE = 64;

  private final PeImage image;
  private final CodeRanges code;
  private final FunctionTable table;
  private final Optional<LoadConfig> config;
  private int asked;
  private @Nullable ImageFunctions all;

  private AddressNames(PeImage image) {
    this.image = image;
    this.code = CodeRanges.of(image);
    this.table = FunctionTable.inPlace(image);
    this.config = LoadConfig.of(image);
  }

  /** Returns the names of an image, which must stay open. */
  public static AddressNames of(PeImage image) {
    return new AddressNames(image);
  }

  /**
   * Returns the function at an address, with its first name and its length as far as the image
   * shows; empty if none is known there, or one without a name.
   */
  public Optional<NamedFunction> at(long rva) {
    if (all == null && ++asked > MOST_SINGLE) {
      all = ImageFunctions.withSymbolTable(image);
    }
    return all == null ? inTables(rva) : inList(all, rva);
  }

  /** Looks an address up in the tables of the image. */
  Optional<NamedFunction> inTables(long rva) {
    Neighbors near = new Neighbors(rva, code::contains);
    Optional<String> export = Exports.nearest(image, near);
    Optional<String> symbol = CoffSymbols.nearest(image, near);
    long begin = near.floor();
    config.ifPresent(known -> known.guardFunctions(near));
    int part = table.indexUpTo(begin);
    if (begin < 0 || near.floor() != begin || table.indexUpTo(rva) != part) {
      // Something without a name begins in between.
      return Optional.empty();
    }
    long end = Math.min(ImageFunctions.codeEnd(image, code, begin), near.ceiling());
    List<RuntimeFunction> parts = table.entries();
    if (part + 1 < parts.size()) {
      end = Math.min(end, parts.get(part + 1).begin());
    }
    if (part >= 0 && begin < parts.get(part).end()) {
      end = Math.min(end, parts.get(part).end());
    }
    return rva < end
        ? Optional.of(
            new NamedFunction(
                begin,
                end - begin,
                symbol.or(() -> export).orElseThrow(),
                symbol.isPresent() ? Source.SYMBOL_TABLE : Source.EXPORT))
        : Optional.empty();
  }

  /** Looks an address up among all functions. */
  static Optional<NamedFunction> inList(ImageFunctions functions, long rva) {
    int index = functions.indexUpTo(rva);
    if (index < 0) {
      return Optional.empty();
    }
    ImageFunction function = functions.list().get(index);
    if (rva >= function.end() || function.names().isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new NamedFunction(
            function.rva(),
            function.size(),
            function.names().getFirst(),
            function.is(Source.EXPORT) ? Source.EXPORT : Source.SYMBOL_TABLE));
  }
}
