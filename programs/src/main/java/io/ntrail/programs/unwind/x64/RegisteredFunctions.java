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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Function entries of the tables that a program registered (RtlAddFunctionTable and its siblings),
 * as a dump or a live target lists them. Tables are read when an address in their range is asked
 * for, unwind information when an entry is. Not safe for several threads.
 */
public final class RegisteredFunctions implements DynamicFunctions {
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
   * @param entries its entries, in any order: those of a table that may grow are unsorted
   */
  public record Table(long min, long max, long base, Supplier<List<RuntimeFunction>> entries) {}

  /** A table with its entries by address, once they were needed. */
  private static final class Sorted {
    final Table table;
    private @Nullable List<RuntimeFunction> entries;

    Sorted(Table table) {
      this.table = table;
    }

    Optional<RuntimeFunction> find(long address) {
      if (Long.compareUnsigned(address, table.min) < 0
          || Long.compareUnsigned(address, table.max) >= 0) {
        return Optional.empty();
      }
      List<RuntimeFunction> sorted = entries();
      long rva = address - table.base;
      int last = Search.last(0, sorted.size(), i -> sorted.get(i).begin() <= rva);
      return last >= 0 && sorted.get(last).contains(rva)
          ? Optional.of(sorted.get(last))
          : Optional.empty();
    }

    private List<RuntimeFunction> entries() {
      List<RuntimeFunction> known = entries;
      if (known == null) {
        known =
            table.entries.get().stream()
                .sorted(Comparator.comparingLong(RuntimeFunction::begin))
                .toList();
        entries = known;
      }
      return known;
    }
  }

  /**
   * Makes a lookup of tables; of several that have an entry the first one counts.
   *
   * @param memory has their unwind information
   */
  public RegisteredFunctions(List<Table> tables, AddressSpace memory) {
    this.tables = tables.stream().map(Sorted::new).toList();
    this.memory = memory;
  }

  /**
   * Returns the entries of a table in memory, RUNTIME_FUNCTION of x64 one after the other.
   *
   * @param bytes of the table; a part of an entry at their end is left out
   */
  public static List<RuntimeFunction> entries(Bytes bytes) {
    List<RuntimeFunction> entries = new ArrayList<>();
    for (int at = 0; at + RuntimeFunction.SIZE <= bytes.length(); at += RuntimeFunction.SIZE) {
      entries.add(RuntimeFunction.of(0, bytes.u32(at), bytes.u32(at + 4), bytes.u32(at + 8)));
    }
    return entries;
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
