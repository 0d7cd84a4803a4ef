package io.ntrail.analysis.dumps;

import io.ntrail.formats.collections.RowSort;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.dump.DumpThread;
import io.ntrail.formats.dump.Minidump;
import java.util.List;

/** The saved parts of stacks by address. */
final class StackRanges {
  private final List<DumpThread> threads;
  private final int[] order;

  private StackRanges(List<DumpThread> threads, int[] order) {
    this.threads = threads;
    this.order = order;
  }

  static StackRanges of(Minidump dump) {
    List<DumpThread> threads =
        dump.threads().stream().filter(thread -> thread.stackStart() != 0).toList();
    int[] order =
        RowSort.sorted(
            threads.size(),
            (a, b) ->
                Long.compareUnsigned(threads.get(a).stackStart(), threads.get(b).stackStart()));
    return new StackRanges(threads, order);
  }

  /** Returns {@code stack of thread 4316}; empty if the address is in no stack. */
  String owner(long address) {
    int at =
        Search.last(
            0,
            order.length,
            i -> Long.compareUnsigned(threads.get(order[i]).stackStart(), address) <= 0);
    if (at < 0) {
      return "";
    }
    DumpThread thread = threads.get(order[at]);
    return Long.compareUnsigned(address - thread.stackStart(), thread.stack().size()) < 0
        ? "stack of thread " + thread.id()
        : "";
  }
}
