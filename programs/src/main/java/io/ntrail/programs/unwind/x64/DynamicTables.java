package io.ntrail.programs.unwind.x64;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.ImageView.Extent;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.formats.pe.unwind.UnwindChain;
import io.ntrail.formats.pe.unwind.UnwindInfo;
import io.ntrail.programs.memory.AddressSpace;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Function tables that a program registered (RtlAddFunctionTable and its siblings), as a dump or a
 * live target lists them. Their unwind information is read from memory when it is asked for.
 */
public final class DynamicTables implements DynamicFunctions {
  /** Bytes that are read at a time: unwind information of versions 1 and 2 has at most 536. */
  private static final int MOST_INFO = 1024;

  /** Bound of the pieces that the unwind information of one function is in. */
  private static final int MOST_PIECES = 64;

  private final List<Sorted> tables;
  private final AddressSpace memory;

  /**
   * A table.
   *
   * @param min lowest address that it is for
   * @param max address past the highest one
   * @param base address that the RVAs of its entries count from
   * @param entries in any order
   */
  public record Table(long min, long max, long base, List<RuntimeFunction> entries) {
    /** Copies the list. */
    public Table {
      entries = List.copyOf(entries);
    }
  }

  /** A table with its entries by address. */
  private record Sorted(Table table, List<RuntimeFunction> entries) {
    Optional<RuntimeFunction> find(long address) {
      if (Long.compareUnsigned(address, table.min) < 0
          || Long.compareUnsigned(address, table.max) >= 0) {
        return Optional.empty();
      }
      long rva = address - table.base;
      int last = Search.last(0, entries.size(), i -> entries.get(i).begin() <= rva);
      return last >= 0 && entries.get(last).contains(rva)
          ? Optional.of(entries.get(last))
          : Optional.empty();
    }
  }

  /**
   * Makes a lookup of tables; of several that have an entry the first one counts.
   *
   * @param memory has their unwind information
   */
  public DynamicTables(List<Table> tables, AddressSpace memory) {
    this.tables =
        tables.stream()
            .map(table ->
                new Sorted(
                    table,
                    table.entries.stream()
                        .sorted(Comparator.comparingLong(RuntimeFunction::begin))
                        .toList()))
            .toList();
    this.memory = memory;
  }

  @Override
  public Optional<FunctionEntry> find(long address) {
    for (Sorted table : tables) {
      Optional<RuntimeFunction> function = table.find(address);
      if (function.isPresent()) {
        long base = table.table.base;
        return Optional.of(new FunctionEntry(base, function.get(), view(base, function.get())));
      }
    }
    return Optional.empty();
  }

  /** Returns a view of memory that has the unwind information of a function, where memory does. */
  private ImageView view(long base, RuntimeFunction function) {
    List<Extent> extents = new ArrayList<>();
    ImageView view = ImageView.of(memory.name(), extents);
    long missing = function.unwindInfo();
    while (missing >= 0 && extents.size() < MOST_PIECES) {
      Bytes bytes = memory.readUpTo(base + missing, MOST_INFO);
      if (bytes.length() == 0) {
        break;
      }
      extents.add(new Extent(missing, bytes.length(), bytes));
      view = ImageView.of(memory.name(), extents);
      missing = missing(view, UnwindChain.of(view, function));
    }
    return view;
  }

  /** Returns the RVA of what a chain lacks; -1: nothing that more bytes would help. */
  private static long missing(ImageView view, UnwindChain chain) {
    UnwindInfo last = chain.last();
    RuntimeFunction entry = chain.primary();
    long wanted = entry.indirect() ? entry.unwindInfo() : last.rva();
    return last.damage().isPresent() && view.available(wanted) == 0 ? wanted : -1;
  }
}
