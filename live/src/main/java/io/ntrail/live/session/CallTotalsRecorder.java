package io.ntrail.live.session;

import io.ntrail.formats.collections.IntList;
import io.ntrail.formats.ntr.CallTotals;
import io.ntrail.formats.ntr.TracedThread;
import io.ntrail.live.code.CallTables;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Takes totals of calls out of the tables of a {@link CallTablePool} and writes them: those of each
 * thread when it has ended, and of all threads now and then, so that a recording that breaks off
 * has them, too. Used under the recorder's lock.
 */
final class CallTotalsRecorder {
  /** More totals of single threads than this are written as one sum a function. */
  private static final int MOST_SINGLE = 200_000;

  private static final long FIRST_PAUSE_NANOS = 1_000_000_000;

  private final CallTablePool tables;
  private final RecorderOutput output;
  private final RecorderDiagnostics remarks;
  private final long process;
  private final IntList functions = new IntList();
  private final Map<Integer, TableThread> threads = new LinkedHashMap<>();
  private final Map<Integer, CallTablePool.Row> others = new HashMap<>();
  private long othersFrom;
  private long calls;
  private long open;
  private long threadsSeen;
  private long threadsEnded;
  private long pause = FIRST_PAUSE_NANOS;
  private long written;
  private long latest;
  private boolean toldFull;

  /** Thread that has a table. */
  private static final class TableThread {
    final ThreadKey key;
    final long number;
    final Map<Integer, Long> numbers = new HashMap<>();
    String name;

    TableThread(ThreadKey key, long number, String name) {
      this.key = key;
      this.number = number;
      this.name = name;
    }
  }

  CallTotalsRecorder(
      CallTablePool tables, RecorderOutput output, RecorderDiagnostics remarks, long process) {
    this.tables = tables;
    this.output = output;
    this.remarks = remarks;
    this.process = process;
    written = System.nanoTime();
  }

  /** Defines the function of a row. */
  void function(int row, int function) {
    if (tables.exist()) {
      functions.extend(row + 1, 0);
      functions.set(row, function);
    }
  }

  /** Offers tables, and notes threads that took one. */
  void poll(Map<Integer, String> names) {
    if (!tables.exist()) {
      return;
    }
    tables.topUp();
    if (!tables.follow()) {
      remarks.damaged("the number of tables that threads took is more than there were");
    }
    if (tables.isFull() && !toldFull) {
      toldFull = true;
      remarks.say("no room for totals of more functions or threads: their calls are not counted");
    }
    for (int table : tables.taken()) {
      if (!threads.containsKey(table) && tables.isBegun(table)) {
        ThreadKey key = tables.thread(table);
        String name = names.getOrDefault(key.tid(), "");
        TableThread thread = new TableThread(key, output.nextThread(), name);
        threads.put(table, thread);
        threadsSeen++;
        define(thread, 0);
      }
    }
  }

  /** Names a living thread. */
  void name(int tid, String name) {
    for (TableThread thread : threads.values()) {
      if (thread.key.tid() == tid) {
        thread.name = name;
        define(thread, 0);
      }
    }
  }

  private void define(TableThread thread, long ended) {
    long tid = Integer.toUnsignedLong(thread.key.tid());
    output.attempt(() ->
        output.writer.thread(
            new TracedThread(thread.number, process, tid, thread.key.began(), ended, thread.name)));
  }

  /**
   * Writes the totals of threads that have ended, and from time to time those of the others.
   *
   * @param alive ids of the threads of the target
   * @param ticks a time before that list was made: threads that began later are not judged
   * @return the threads that ended
   */
  List<ThreadKey> retain(Set<Integer> alive, long ticks, Map<Integer, String> names) {
    if (!tables.exist()) {
      return List.of();
    }
    poll(names);
    latest = ticks;
    Map<Integer, Long> newest = new HashMap<>();
    for (TableThread thread : threads.values()) {
      newest.merge(thread.key.tid(), thread.key.began(), CallTotalsRecorder::later);
    }
    List<ThreadKey> ended = new ArrayList<>();
    for (Map.Entry<Integer, TableThread> each : List.copyOf(threads.entrySet())) {
      TableThread thread = each.getValue();
      Long last = newest.get(thread.key.tid());
      boolean replaced = last != null && last != thread.key.began();
      if (Long.compareUnsigned(thread.key.began(), ticks) <= 0
          && (replaced || !alive.contains(thread.key.tid()))) {
        end(each.getKey(), thread, ticks);
        ended.add(thread.key);
      }
    }
    long now = System.nanoTime();
    if (now - written >= pause && output.isRecording()) {
      threads.forEach((table, thread) -> write(table, thread, ticks, false));
      written = System.nanoTime();
      pause = 2 * pause;
    }
    return ended;
  }

  private static long later(long one, long other) {
    return Long.compareUnsigned(one, other) >= 0 ? one : other;
  }

  private void end(int table, TableThread thread, long ticks) {
    write(table, thread, ticks, true);
    define(thread, ticks);
    threads.remove(table);
    threadsEnded++;
    tables.release(table);
  }

  /**
   * Writes all totals; no thread adds up any more.
   *
   * @param ticks the time; 0 = the last one known
   */
  void finish(long ticks, Map<Integer, String> names) {
    if (!tables.exist()) {
      return;
    }
    poll(names);
    long moment = ticks == 0 ? latest : ticks;
    threads.forEach((table, thread) -> write(table, thread, moment, true));
    threads.clear();
    others.forEach((row, sum) -> {
      CallTotals totals = totals(output.nextTotals(), row, 0, othersFrom, moment, sum);
      output.attempt(() -> output.writer.totals(totals));
    });
    others.clear();
  }

  /**
   * Writes the totals of a thread.
   *
   * @param last whether they are the last ones
   */
  private void write(int table, TableThread thread, long ticks, boolean last) {
    int rows = Math.min(tables.rows(), functions.size());
    for (int row = 0; row < rows; row++) {
      if (tables.calls(table, row) == 0 || functions.get(row) == 0) {
        continue;
      }
      CallTablePool.Row read = tables.read(table, row);
      if (last) {
        calls += read.calls();
        open += open(read);
      }
      Long number = thread.numbers.get(row);
      if (number == null && output.totals() >= MOST_SINGLE) {
        if (last) {
          others.merge(row, read, CallTotalsRecorder::sum);
          othersFrom = othersFrom == 0 ? thread.key.began() : othersFrom;
        }
        continue;
      }
      if (number == null) {
        number = output.nextTotals();
        thread.numbers.put(row, number);
      }
      CallTotals totals = totals(number, row, thread.number, thread.key.began(), ticks, read);
      output.attempt(() -> output.writer.totals(totals));
    }
  }

  private long open(CallTablePool.Row row) {
    return tables.layout().rowBytes() > Long.BYTES
        ? row.calls() - row.entryOnly() - row.exits() - row.unwinds() - row.abandoned()
        : 0;
  }

  private CallTotals totals(
      long number, int row, long thread, long from, long to, CallTablePool.Row read) {
    CallTotals.Times times = CallTotals.Times.NONE;
    if (read.histogram().length > 0) {
      int used = CallTables.BUCKETS;
      while (used > 0 && read.histogram()[used - 1] == 0) {
        used--;
      }
      List<Long> histogram = new ArrayList<>(used);
      for (int bucket = 0; bucket < used; bucket++) {
        histogram.add(read.histogram()[bucket]);
      }
      boolean ended = read.exits() + read.unwinds() != 0;
      times =
          new CallTotals.Times(
              true,
              read.entryOnly(),
              read.exits(),
              read.unwinds(),
              read.abandoned(),
              read.total(),
              read.self(),
              ended ? read.shortest() : 0,
              read.longest(),
              histogram);
    }
    return new CallTotals(
        number, functions.get(row), thread, from, to, CallTotals.ASKED, read.calls(), times);
  }

  private static CallTablePool.Row sum(CallTablePool.Row one, CallTablePool.Row other) {
    long[] histogram = one.histogram().clone();
    for (int bucket = 0; bucket < histogram.length; bucket++) {
      histogram[bucket] += other.histogram()[bucket];
    }
    boolean none = other.exits() + other.unwinds() == 0;
    boolean first = one.exits() + one.unwinds() == 0;
    return new CallTablePool.Row(
        one.calls() + other.calls(),
        one.entryOnly() + other.entryOnly(),
        one.exits() + other.exits(),
        one.unwinds() + other.unwinds(),
        one.abandoned() + other.abandoned(),
        one.total() + other.total(),
        one.self() + other.self(),
        none
            ? one.shortest()
            : first ? other.shortest() : Math.min(one.shortest(), other.shortest()),
        Math.max(one.longest(), other.longest()),
        histogram);
  }

  /** Returns the number of calls of threads that have ended. */
  long calls() {
    return calls;
  }

  /** Returns the number of open calls of threads that have ended. */
  long open() {
    return open;
  }

  /** Returns how many threads took a table. */
  long threadsSeen() {
    return threadsSeen;
  }

  /** Returns how many of them have ended. */
  long threadsEnded() {
    return threadsEnded;
  }
}
