package io.ntrail.formats.dump.streams;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.dump.Minidump;
import io.ntrail.formats.dump.StreamType;
import java.util.ArrayList;
import java.util.List;

/**
 * A function table that the process registered while it ran (MINIDUMP_FUNCTION_TABLE_DESCRIPTOR;
 * RtlAddFunctionTable and its like): unwind data of code that a compiler made at run time.
 *
 * @param minimum first address of its code
 * @param maximum address after its code
 * @param base to which the addresses in the entries are relative
 * @param nativeDescriptor DYNAMIC_FUNCTION_TABLE of ntdll as it was in memory
 * @param entries RUNTIME_FUNCTIONs, one after the other
 * @param entryBytes bytes of an entry: 12 on x64
 */
public record DynamicFunctionTable(
    long minimum, long maximum, long base, Bytes nativeDescriptor, Bytes entries, int entryBytes) {
  private static final int LEAST_HEADER = 24;
  private static final int DESCRIPTOR = 32;
  private static final int MOST = 1 << 20;

  /** Returns the number of entries. */
  public int count() {
    return entryBytes == 0 ? 0 : entries.length() / entryBytes;
  }

  /** Returns the tables of a dump, in its order. */
  public static List<DynamicFunctionTable> of(Minidump dump) {
    List<DynamicFunctionTable> tables = new ArrayList<>();
    dump.read(
        StreamType.FUNCTION_TABLE,
        0,
        bytes -> {
          read(dump, bytes, tables);
          return 0;
        });
    return tables;
  }

  private static void read(Minidump dump, Bytes bytes, List<DynamicFunctionTable> tables) {
    String what = StreamType.FUNCTION_TABLE.title();
    long descriptor = Math.max(DESCRIPTOR, bytes.u32(4));
    long nativeBytes = bytes.u32(8);
    long entryBytes = bytes.u32(12);
    long claimed = bytes.u32(16);
    // The padding that SizeOfAlignPad counts lies between header and first table.
    long at = Math.max(LEAST_HEADER, bytes.u32(0)) + bytes.u32(20);
    long count = Math.min(claimed, MOST);
    for (long i = 0; i < count; i++) {
      if (at + descriptor + nativeBytes > bytes.length()) {
        dump.reader()
            .gap(
                bytes.base() + Math.min(at, bytes.length()),
                -1,
                what,
                "it claims " + claimed + " tables and ends after " + i);
        return;
      }
      int start = (int) at;
      long entries = bytes.u32(start + 24);
      long pad = bytes.u32(start + 28);
      long first = at + descriptor + nativeBytes;
      long room = entryBytes == 0 ? 0 : (bytes.length() - first) / entryBytes;
      long kept = Math.min(entries, room);
      if (kept < entries) {
        dump.reader()
            .gap(
                bytes.base() + first,
                -1,
                what,
                "a table of " + entries + " entries, of which " + kept + " are there");
      }
      tables.add(
          new DynamicFunctionTable(
              bytes.i64(start),
              bytes.i64(start + 8),
              bytes.i64(start + 16),
              bytes.slice((int) (at + descriptor), (int) nativeBytes),
              bytes.slice((int) first, (int) (kept * entryBytes)),
              (int) Math.min(entryBytes, Integer.MAX_VALUE)));
      at = first + entries * entryBytes + pad;
    }
    dump.reader().checkEnd(bytes, what, at, descriptor + nativeBytes, claimed);
  }
}
