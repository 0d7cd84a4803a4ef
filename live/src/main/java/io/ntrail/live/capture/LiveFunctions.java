package io.ntrail.live.capture;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.ImageView.Extent;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.unwind.x64.DynamicFunctions;
import io.ntrail.programs.unwind.x64.FunctionEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Function entries of the dynamic function tables of a process, read when they are asked for. Not
 * safe for several threads.
 */
final class LiveFunctions implements DynamicFunctions {
  private static final int ENTRY = 12;

  /** Bytes of code that an entry has at most here. */
  private static final int MOST_CODE = 1 << 20;

  /** Bytes of unwind information: its head, 255 codes, what follows them. */
  private static final int INFO = 4 + 2 * 256 + 32;

  private static final int CHAINED = 4;
  private static final int MOST_CHAINED = 32;

  private final List<DynamicTable> tables;
  private final AddressSpace memory;
  private final Map<Long, FunctionEntry> known = new HashMap<>();

  LiveFunctions(List<DynamicTable> tables, AddressSpace memory) {
    this.tables = List.copyOf(tables);
    this.memory = memory;
  }

  @Override
  public Optional<FunctionEntry> find(long address) {
    for (DynamicTable table : tables) {
      if (Long.compareUnsigned(address, table.begin()) >= 0
          && Long.compareUnsigned(address, table.end()) < 0) {
        Optional<FunctionEntry> found = find(table, address);
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return Optional.empty();
  }

  private Optional<FunctionEntry> find(DynamicTable table, long address) {
    long rva = address - table.base();
    Bytes entries = memory.readUpTo(table.table(), ENTRY * table.entries());
    // Those of a table that may grow or is unsorted are in no order that can be relied on.
    for (int at = 0; at + ENTRY <= entries.length(); at += ENTRY) {
      if (entries.u32(at) <= rva && rva < entries.u32(at + 4)) {
        RuntimeFunction function =
            RuntimeFunction.of(0, entries.u32(at), entries.u32(at + 4), entries.u32(at + 8));
        return Optional.of(
            known.computeIfAbsent(
                table.base() + function.begin(), _ -> entry(table.base(), function)));
      }
    }
    return Optional.empty();
  }

  /** Returns an entry with a view of its code and its unwind information alone. */
  private FunctionEntry entry(long base, RuntimeFunction function) {
    List<Extent> extents = new ArrayList<>();
    add(extents, base, function.begin(), Math.min(MOST_CODE, function.end() - function.begin()));
    long info = function.unwindInfo();
    for (int i = 0; i < MOST_CHAINED; i++) {
      Bytes bytes = add(extents, base, info, INFO);
      if (bytes.length() < 4 || (bytes.u8(0) >> 3 & CHAINED) == 0) {
        break;
      }
      // The entry that it continues follows the codes, whose number is even there.
      int next = 4 + 2 * (bytes.u8(2) + 1 & ~1);
      if (bytes.length() < next + ENTRY) {
        break;
      }
      info = bytes.u32(next + 8);
    }
    return new FunctionEntry(base, function, ImageView.of(memory.name(), extents));
  }

  private Bytes add(List<Extent> extents, long base, long rva, long size) {
    Bytes bytes = memory.readUpTo(base + rva, (int) size);
    if (bytes.length() > 0) {
      extents.add(new Extent(rva, bytes.length(), bytes));
    }
    return bytes;
  }
}
