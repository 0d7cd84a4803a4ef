package io.ntrail.live.session;

import io.ntrail.formats.bytes.SharedFile;
import io.ntrail.live.code.CallDetail;
import io.ntrail.live.code.CallTables;
import io.ntrail.live.code.SessionLayout;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Controller's view of the tables of calls in a session file: one a thread of the target, offered
 * before threads ask for them, and of memory that there is. Any thread may call it.
 *
 * <p>What the target writes is checked where it is read: a number of tables taken beyond those
 * offered ends the following of new ones.
 */
public final class CallTablePool {
  /** The fewest and most tables that are free at the beginning, and the bytes they may take. */
  private static final int FEWEST_FREE = 4;

  private static final int MOST_FREE = 64;
  private static final long FREE_BYTES = 32L << 20;

  private final SharedFile file;
  private final CallTables layout;
  private final int[] ring = new int[CallTables.MOST_TABLES];
  private final Deque<Integer> cleared = new ArrayDeque<>();
  private final Set<Integer> taken = new LinkedHashSet<>();
  private int rows;
  private int tables;
  private int offered;
  private int known;
  private boolean damaged;
  private boolean full;

  /** Totals of one function in one thread, as the table has them. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Row(
      long calls,
      long entryOnly,
      long exits,
      long unwinds,
      long abandoned,
      long total,
      long self,
      long shortest,
      long longest,
      long[] histogram) {}

  CallTablePool(SharedFile file, CallTables layout) {
    this.file = file;
    this.layout = layout;
  }

  /** Returns where the tables lie; {@link CallTables#NONE} if there are none. */
  public CallTables layout() {
    return layout;
  }

  /** Returns whether calls are added up, not recorded. */
  public boolean exist() {
    return layout.exist();
  }

  /** Returns whether functions or threads found no room. */
  synchronized boolean isFull() {
    return full;
  }

  /**
   * Adds rows for functions, in all tables; without tables, as many zeros.
   *
   * @return the rows, fewer than asked for if there is no room for more
   */
  public synchronized List<Integer> addRows(int functions) {
    if (!layout.exist()) {
      return Collections.nCopies(functions, 0);
    }
    int added = Math.min(functions, layout.rows() - rows);
    List<Integer> result = new ArrayList<>();
    try {
      for (int table = 0; table < tables; table++) {
        reserve(table, rows, rows + added);
      }
      for (int i = 0; i < added; i++) {
        result.add(rows + i);
      }
      rows += added;
    } catch (IOException e) {
      full = true;
      return List.of();
    }
    full |= added < functions;
    return result;
  }

  /** Offers tables until enough are free, as far as there is room. */
  synchronized void topUp() {
    if (!layout.exist() || rows == 0) {
      return;
    }
    follow();
    int wanted = Math.clamp(FREE_BYTES / layout.row(rows), FEWEST_FREE, MOST_FREE);
    while (offered - known < wanted) {
      Integer free = cleared.poll();
      if (free == null) {
        if (tables == layout.tables()) {
          return;
        }
        try {
          reserve(tables, 0, rows);
        } catch (IOException e) {
          full = true;
          return;
        }
        free = tables;
        tables++;
      }
      int place = offered & CallTables.MOST_TABLES - 1;
      ring[place] = free;
      file.setU32(SessionLayout.AT_TABLE_RING + 4L * place, free);
      offered++;
      file.setU32Release(SessionLayout.AT_TABLES_OFFERED, offered);
    }
  }

  private void reserve(int table, int from, int to) throws IOException {
    int begin = from == 0 ? 0 : layout.row(from);
    file.reserve(layout.table(table) + begin, layout.row(to) - begin);
  }

  /** Returns the tables of threads, as of the last {@link #topUp} or {@link #follow}. */
  synchronized List<Integer> taken() {
    return List.copyOf(taken);
  }

  /** Notes the tables that threads took since the last call; returns false if that is nonsense. */
  synchronized boolean follow() {
    if (layout.exist() && !damaged) {
      int head = file.u32Acquire(SessionLayout.AT_TABLES_TAKEN);
      if (Integer.compareUnsigned(head - known, offered - known) > 0) {
        damaged = true;
      } else {
        for (; known != head; known++) {
          taken.add(ring[known & CallTables.MOST_TABLES - 1]);
        }
      }
    }
    return !damaged;
  }

  /** Returns whether a thread has written the head of its table. */
  boolean isBegun(int table) {
    return file.u32Acquire(layout.table(table) + CallTables.STATE) != SessionLayout.FREE;
  }

  /** Returns the thread of a table. */
  ThreadKey thread(int table) {
    long at = layout.table(table);
    return new ThreadKey(file.u32(at + CallTables.THREAD), file.u64(at + CallTables.BEGAN));
  }

  /** Returns how many functions have a row. */
  synchronized int rows() {
    return rows;
  }

  /** Returns the number of calls in a row. */
  long calls(int table, int row) {
    return file.u64(layout.table(table) + layout.row(row));
  }

  /** Reads a row while threads may write it: what they count meanwhile is in some of its fields. */
  Row read(int table, int row) {
    long at = layout.table(table) + layout.row(row);
    long calls = file.u64Acquire(at + CallTables.CALLS);
    if (layout.detail() == CallDetail.COUNTS) {
      return new Row(calls, 0, 0, 0, 0, 0, 0, 0, 0, new long[0]);
    }
    long[] histogram = new long[CallTables.BUCKETS];
    file.copyTo(at + CallTables.HISTOGRAM, histogram, 0, histogram.length);
    return new Row(
        calls,
        file.u64(at + CallTables.ENTRY_ONLY),
        file.u64(at + CallTables.EXITS),
        file.u64(at + CallTables.UNWINDS),
        file.u64(at + CallTables.ABANDONED),
        file.u64(at + CallTables.TOTAL),
        file.u64(at + CallTables.SELF),
        ~file.u64(at + CallTables.SHORTEST),
        file.u64(at + CallTables.LONGEST),
        histogram);
  }

  /** Clears the table of a thread that has ended, for another one. */
  synchronized void release(int table) {
    if (taken.remove(table)) {
      file.zero(layout.table(table), layout.row(rows));
      cleared.add(table);
    }
  }
}
