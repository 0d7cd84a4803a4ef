package io.ntrail.analysis.dumps;

import io.ntrail.formats.collections.LongList;
import io.ntrail.formats.collections.RowSort;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.pe.DataDirectory;
import io.ntrail.formats.pe.DataDirectory.Range;
import io.ntrail.formats.pe.Imports;
import io.ntrail.formats.pe.LoadConfig;
import io.ntrail.formats.pe.LoadConfig.Field;
import io.ntrail.formats.pe.PeImage;
import java.util.List;

/**
 * Places of an image that the loader writes, also where the program may not: import address tables,
 * pointers to the functions of Control Flow Guard, and the image base in the header.
 */
final class LoaderTables {
  private static final List<Field> POINTERS =
      List.of(
          Field.GUARD_CF_CHECK_FUNCTION_POINTER,
          Field.GUARD_CF_DISPATCH_FUNCTION_POINTER,
          Field.GUARD_RF_FAILURE_ROUTINE_FUNCTION_POINTER,
          Field.GUARD_RF_VERIFY_STACK_POINTER_FUNCTION_POINTER,
          Field.GUARD_XFG_CHECK_FUNCTION_POINTER,
          Field.GUARD_XFG_DISPATCH_FUNCTION_POINTER,
          Field.GUARD_XFG_TABLE_DISPATCH_FUNCTION_POINTER,
          Field.CAST_GUARD_OS_DETERMINED_FAILURE_MODE,
          Field.GUARD_MEMCPY_FUNCTION_POINTER);

  private final long[] begins;

  /** The highest end of a place and all before it. */
  private final long[] ends;

  private LoaderTables(LongList begins, LongList ends) {
    int[] order = RowSort.ascending(begins.toArray(), begins.size());
    this.begins = new long[order.length];
    this.ends = new long[order.length];
    for (int i = 0; i < order.length; i++) {
      this.begins[i] = begins.get(order[i]);
      long end = ends.get(order[i]);
      this.ends[i] = i == 0 ? end : Math.max(end, this.ends[i - 1]);
    }
  }

  static LoaderTables of(PeImage file) {
    int pointer = file.headers().pointerBytes();
    LongList begins = new LongList();
    LongList ends = new LongList();
    add(begins, ends, file.headers().imageBaseOffset(), pointer);
    Range table = file.directory(DataDirectory.IAT);
    if (table.isPresent()) {
      add(begins, ends, table.rva(), table.size());
    }
    for (Imports.Module module : Imports.of(file).modules()) {
      add(begins, ends, module.addressesRva(), (long) pointer * module.symbols().size());
    }
    LoadConfig.of(file)
        .ifPresent(config -> {
          for (Field field : POINTERS) {
            if (config.has(field) && config.value(field) != 0) {
              add(begins, ends, config.rva(field), pointer);
            }
          }
        });
    return new LoaderTables(begins, ends);
  }

  private static void add(LongList begins, LongList ends, long rva, long bytes) {
    begins.add(rva);
    ends.add(rva + bytes);
  }

  /** Returns true if the loader writes the byte at an RVA. */
  boolean contain(long rva) {
    int at = Search.floor(begins, begins.length, rva);
    // Places that overlap end where the last of them does; that of another one before is no harm.
    return at >= 0 && rva < ends[at];
  }
}
