package io.ntrail.cli.pt;

import io.ntrail.analysis.flow.calls.CodeModule;
import io.ntrail.analysis.flow.calls.CodeModule.Named;
import io.ntrail.formats.elf.ElfImage;
import io.ntrail.formats.elf.ElfSegment;
import io.ntrail.formats.elf.ElfSymbol;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Names of the functions of an ELF file.
 *
 * @param symbols by address, one each
 * @param lowest address that the linker gave
 */
record ElfNames(List<ElfSymbol> symbols, long lowest) implements CodeModule.Names {
  ElfNames {
    symbols = List.copyOf(symbols);
  }

  static ElfNames of(ElfImage image) {
    List<ElfSymbol> functions =
        image.symbols().stream()
            .filter(ElfSymbol::isFunction)
            .sorted(
                Comparator.comparingLong((ElfSymbol one) -> one.address() ^ Long.MIN_VALUE)
                    .thenComparing(ElfSymbol::name))
            .toList();
    List<ElfSymbol> first =
        IntStream.range(0, functions.size())
            .filter(i -> i == 0 || functions.get(i - 1).address() != functions.get(i).address())
            .mapToObj(functions::get)
            .toList();
    return new ElfNames(first, image.lowest());
  }

  /** Returns how many bytes an ELF file takes from its lowest address on. */
  static long size(ElfImage image) {
    if (image.segments().isEmpty()) {
      return 0;
    }
    ElfSegment last = image.segments().getLast();
    return last.address() + last.memorySize() - image.lowest();
  }

  @Override
  public Optional<Named> at(long rva) {
    long address = rva + lowest;
    int from = 0;
    int to = symbols.size();
    while (from < to) {
      int middle = from + to >>> 1;
      if (Long.compareUnsigned(symbols.get(middle).address(), address) <= 0) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    if (from == 0) {
      return Optional.empty();
    }
    ElfSymbol symbol = symbols.get(from - 1);
    // Behind the end of one there may be code without a name.
    boolean isIn = symbol.size() == 0 || address - symbol.address() < symbol.size();
    return isIn
        ? Optional.of(new Named(symbol.address() - lowest, symbol.name()))
        : Optional.empty();
  }
}
