package io.ntrail.formats.dump.streams;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.collections.RowSort;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.dump.DumpReader.Rows;
import io.ntrail.formats.dump.MemoryRanges;
import io.ntrail.formats.dump.Minidump;
import io.ntrail.formats.dump.StreamType;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * State and protection of all pages of the process (MINIDUMP_MEMORY_INFO_LIST). Rows stay in the
 * file until they are requested. May be used by several threads.
 */
public final class MemoryInfoList {
  private static final int LEAST = 48;

  private final Rows rows;

  /** Rows by address; null if the list is in that order. */
  private final int @Nullable [] order;

  private MemoryInfoList(Rows rows, int @Nullable [] order) {
    this.rows = rows;
    this.order = order;
  }

  /** Returns the list of a dump; an empty one if it has none. */
  public static MemoryInfoList of(Minidump dump) {
    return dump.read(
        StreamType.MEMORY_INFO_LIST,
        none(),
        bytes -> {
          Rows rows =
              dump.reader()
                  .table(
                      bytes, StreamType.MEMORY_INFO_LIST, LEAST, bytes.i64(8), MemoryRanges.MOST);
          return new MemoryInfoList(rows, order(rows));
        });
  }

  private static int @Nullable [] order(Rows rows) {
    boolean isSorted = true;
    for (int row = 1; row < rows.count() && isSorted; row++) {
      isSorted = Long.compareUnsigned(base(rows, row - 1), base(rows, row)) <= 0;
    }
    return isSorted
        ? null
        : RowSort.sorted(
            rows.count(), (a, b) -> Long.compareUnsigned(base(rows, a), base(rows, b)));
  }

  private static long base(Rows rows, int row) {
    return rows.bytes().i64(rows.at(row));
  }

  /** Returns the number of ranges. */
  public int count() {
    return rows.count();
  }

  /** Returns a range by its place in the order of addresses. */
  public MemoryInfo get(int index) {
    int at = rows.at(row(index));
    Bytes bytes = rows.bytes();
    return new MemoryInfo(
        bytes.i64(at),
        bytes.i64(at + 24),
        bytes.i64(at + 8),
        bytes.i32(at + 16),
        bytes.i32(at + 32),
        bytes.i32(at + 36),
        bytes.i32(at + 40));
  }

  private int row(int index) {
    return order == null ? index : order[index];
  }

  /** Returns the range that contains an address; of overlapping ones, that which starts last. */
  public Optional<MemoryInfo> at(long address) {
    int index =
        Search.last(0, rows.count(), i -> Long.compareUnsigned(base(rows, row(i)), address) <= 0);
    if (index < 0) {
      return Optional.empty();
    }
    return Optional.of(get(index)).filter(info -> info.contains(address));
  }

  private static MemoryInfoList none() {
    return new MemoryInfoList(new Rows(Bytes.copyOf(new byte[0], ""), 0, LEAST, 0), null);
  }
}
