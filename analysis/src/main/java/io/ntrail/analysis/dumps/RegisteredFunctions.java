package io.ntrail.analysis.dumps;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.dump.streams.DynamicFunctionTable;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.ImageView.Extent;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.programs.unwind.x64.DynamicFunctions;
import io.ntrail.programs.unwind.x64.FunctionEntry;
import java.util.List;
import java.util.Optional;

/** Function entries that a process registered for code that it made, as its dump lists them. */
final class RegisteredFunctions implements DynamicFunctions {
  /** Bytes of unwind information that are looked at. */
  private static final int UNWIND_INFORMATION = 1 << 10;

  private final List<DynamicFunctionTable> tables;
  private final DumpMemory memory;

  RegisteredFunctions(List<DynamicFunctionTable> tables, DumpMemory memory) {
    this.tables = List.copyOf(tables);
    this.memory = memory;
  }

  @Override
  public Optional<FunctionEntry> find(long address) {
    for (DynamicFunctionTable table : tables) {
      boolean isInside =
          Long.compareUnsigned(address, table.minimum()) >= 0
              && Long.compareUnsigned(address, table.maximum()) < 0;
      if (isInside && table.entryBytes() == RuntimeFunction.SIZE) {
        Optional<RuntimeFunction> function = find(table, address - table.base());
        if (function.isPresent()) {
          return function.map(found -> new FunctionEntry(table.base(), found, view(table, found)));
        }
      }
    }
    return Optional.empty();
  }

  private static Optional<RuntimeFunction> find(DynamicFunctionTable table, long rva) {
    Bytes entries = table.entries();
    // Tables of code that is made while it runs need not be sorted.
    for (int at = 0; at + RuntimeFunction.SIZE <= entries.length(); at += RuntimeFunction.SIZE) {
      if (rva >= entries.u32(at) && rva < entries.u32(at + 4)) {
        return Optional.of(
            RuntimeFunction.of(0, entries.u32(at), entries.u32(at + 4), entries.u32(at + 8)));
      }
    }
    return Optional.empty();
  }

  /** Returns the saved memory with the code of a function and its unwind information. */
  private ImageView view(DynamicFunctionTable table, RuntimeFunction function) {
    Extent information = extent(table, function.unwindInfo(), UNWIND_INFORMATION);
    int length = (int) Math.min(function.end() - function.begin(), 1 << 20);
    Extent code = extent(table, function.begin(), length);
    return ImageView.of(memory.name(), List.of(information, code));
  }

  private Extent extent(DynamicFunctionTable table, long rva, int most) {
    Bytes bytes = memory.readUpTo(table.base() + rva, most);
    return new Extent(rva, bytes.length(), bytes);
  }
}
