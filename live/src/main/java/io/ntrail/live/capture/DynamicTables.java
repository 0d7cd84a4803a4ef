package io.ntrail.live.capture;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.windows.TargetMemory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Reader of the list of dynamic function tables that ntdll keeps in a process.
 *
 * <p>Windows exports the head of the list ({@code RtlGetFunctionTableListHead}); its entries are
 * DYNAMIC_FUNCTION_TABLE. Wine does not, but what {@code RtlAddGrowableFunctionTable} returns is
 * the address of an entry, from which all others are found. Tables that a callback makes up are
 * left out.
 */
final class DynamicTables {
  private static final int MOST = 1 << 16;
  private static final int MOST_ENTRIES = 1 << 20;
  private static final int ENTRY = 88;

  /**
   * Offsets in an entry, which begins with the addresses of the next and the previous one.
   *
   * @param begin lowest address of the code
   * @param end address after the code
   * @param base that the offsets in the table count from
   * @param table address of the table, which is 0 where there is none
   * @param count number of its entries
   * @param type u32 that is 2 or more where there is a callback; -1: there is no such field
   */
  private record Layout(int begin, int end, int base, int table, int count, int type) {
    /** DYNAMIC_FUNCTION_TABLE. */
    static final Layout WINDOWS = new Layout(32, 40, 48, 16, 84, 80);

    /** struct dynamic_unwind_entry of Wine's ntdll. */
    static final Layout WINE = new Layout(16, 24, 16, 32, 40, -1);

    boolean hasTable(Bytes entry) {
      return entry.i64(table) != 0 && (type < 0 || entry.u32(type) < 2);
    }
  }

  private final TargetMemory memory;
  private final Layout layout;
  private final List<DynamicTable> tables = new ArrayList<>();
  private final Set<Long> seen = new HashSet<>();

  private DynamicTables(TargetMemory memory, Layout layout) {
    this.memory = memory;
    this.layout = layout;
  }

  /**
   * Reads the tables. The list may change meanwhile: what has become unreadable is left out.
   *
   * @param handles of tables that are known
   */
  static List<DynamicTable> of(
      TargetProcess process, List<TargetModule> modules, Collection<Long> handles) {
    String head = "ntdll!RtlGetFunctionTableListHead";
    boolean isWindows = process.calls().find(head) != 0;
    DynamicTables reader =
        new DynamicTables(process.memory(), isWindows ? Layout.WINDOWS : Layout.WINE);
    if (isWindows) {
      // The agent's ntdll lies where that of the process lies.
      long at = process.calls().call(head).result();
      reader.seen.add(at);
      reader.follow(reader.next(at), List.of());
    } else {
      List<TargetModule> heads =
          modules.stream().filter(module -> module.stem().equalsIgnoreCase("ntdll")).toList();
      handles.forEach(handle -> reader.follow(handle, heads));
    }
    return List.copyOf(reader.tables);
  }

  /** Adds an entry and those after it; what lies in some modules is the head, and no entry. */
  private void follow(long first, List<TargetModule> heads) {
    for (long at = first; at != 0 && seen.size() < MOST && seen.add(at); at = next(at)) {
      if (!isIn(heads, at)) {
        add(at);
      }
    }
  }

  private static boolean isIn(List<TargetModule> modules, long address) {
    return modules.stream().anyMatch(module -> module.contains(address));
  }

  private long next(long at) {
    byte[] link = memory.readUpTo(at, Long.BYTES);
    return link.length == Long.BYTES ? Bytes.copyOf(link, "table").i64(0) : 0;
  }

  private void add(long at) {
    byte[] bytes = memory.readUpTo(at, ENTRY);
    if (bytes.length < layout.count + Integer.BYTES) {
      return;
    }
    Bytes entry = Bytes.copyOf(bytes, "table");
    long count = entry.u32(layout.count);
    if (layout.hasTable(entry) && count > 0 && count <= MOST_ENTRIES) {
      tables.add(
          new DynamicTable(
              entry.i64(layout.begin),
              entry.i64(layout.end),
              entry.i64(layout.base),
              entry.i64(layout.table),
              (int) count));
    }
  }
}
