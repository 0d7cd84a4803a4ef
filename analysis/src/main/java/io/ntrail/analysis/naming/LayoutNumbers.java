package io.ntrail.analysis.naming;

import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.collections.ObjectColumn;
import io.ntrail.formats.collections.RowSort;
import java.util.HashMap;
import java.util.Map;

/** Numbers of layouts in the order in which they were met, with a process and a time of each. */
final class LayoutNumbers {
  /** Layouts that are numbered as they are met, some 100 bytes each. */
  private static final int MOST = 1 << 16;

  private final Map<CodeMap.Layout, Integer> known = new HashMap<>();
  private final Columns rows = new Columns();
  private final ObjectColumn<CodeMap.Layout> layouts = rows.objects();
  private final IntColumn processes = rows.ints();
  private final LongColumn keys = rows.longs();

  /**
   * Returns the number of a layout; -1 if there are too many.
   *
   * @param process one with this layout at the time
   */
  int number(CodeMap.Layout layout, int process, long key) {
    Integer number = known.get(layout);
    if (number != null) {
      return number;
    }
    return rows.rows() < MOST ? add(layout, process, key) : -1;
  }

  private int add(CodeMap.Layout layout, int process, long key) {
    int row = rows.add();
    layouts.set(row, layout);
    processes.set(row, process);
    keys.set(row, key);
    known.put(layout, row);
    return row;
  }

  /** A process that has a layout at its {@link #key}. */
  int process(int number) {
    return processes.get(number);
  }

  /** A time at which a process has a layout. */
  long key(int number) {
    return keys.get(number);
  }

  /** Returns the numbers here of all layouts of another one, however many there are. */
  int[] numbers(LayoutNumbers other) {
    int[] numbers = new int[other.rows.rows()];
    for (int i = 0; i < numbers.length; i++) {
      CodeMap.Layout layout = other.layouts.get(i);
      Integer number = known.get(layout);
      numbers[i] = number != null ? number : add(layout, other.processes.get(i), other.keys.get(i));
    }
    return numbers;
  }

  /** Returns of each layout its place in the order of time. */
  int[] ranks() {
    int[] inTime = RowSort.sorted(rows.rows(), (a, b) -> Long.compare(keys.get(a), keys.get(b)));
    int[] ranks = new int[inTime.length];
    for (int i = 0; i < inTime.length; i++) {
      ranks[inTime[i]] = i;
    }
    return ranks;
  }
}
