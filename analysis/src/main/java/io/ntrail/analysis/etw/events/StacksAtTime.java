package io.ntrail.analysis.etw.events;

import io.ntrail.analysis.etw.machine.ProcessInstance;
import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.analysis.naming.PatternSet;
import io.ntrail.analysis.naming.RecordingSymbols;
import io.ntrail.analysis.naming.StackAddresses;
import io.ntrail.analysis.naming.UnmatchedTerm;
import io.ntrail.analysis.stacks.NamedFrame;
import io.ntrail.analysis.stacks.StackModule;
import io.ntrail.formats.etl.RecordCursor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The last stacks that were recorded up to a time: of each CPU or of each thread. Names are given
 * when they are asked for.
 */
public final class StacksAtTime {
  /** Threads whose last stack is kept, a kilobyte each. */
  private static final int MOST = 1 << 16;

  /** Nanoseconds in the last decimal of the times that lists print. */
  private static final long PRINTED = 1_000;

  /** Things of which each has a last stack. */
  public enum Of {
    /** CPUs: what ran there. */
    CPU,
    /** Threads that had not ended: where each was seen last. */
    THREAD
  }

  /**
   * Request.
   *
   * @param atNanos since the start of the recording; a whole number of microseconds means up to the
   *     end of it, as times are printed
   * @param processes names or ids of the processes of stacks; all if empty
   * @param threads ids of the threads of stacks; all if empty
   * @param events names of the events that have them; any if empty
   */
  public record Query(
      long atNanos,
      Of of,
      List<NamePattern> processes,
      List<NamePattern> threads,
      List<NamePattern> events) {
    /** Copies the lists. */
    public Query {
      processes = List.copyOf(processes);
      threads = List.copyOf(threads);
      events = List.copyOf(events);
    }

    /** Returns the nanosecond before which stacks are taken. */
    long end() {
      long last = atNanos % PRINTED == 0 ? atNanos + PRINTED - 1 : atNanos;
      // Nothing is recorded in the last nanosecond of all, or after it.
      return last < atNanos || last == Long.MAX_VALUE ? Long.MAX_VALUE : last + 1;
    }
  }

  /**
   * Event that has a stack.
   *
   * @param cpu that recorded it
   * @param nanos since the start of the recording
   * @param fileTime the same in 100 ns since 1601, UTC
   * @param event its name
   * @param pid id of the process whose stack it is; {@link RecordCursor#NO_ID} if unknown
   * @param process name of its image; null if unknown
   * @param tid id of the thread whose stack it is; {@link RecordCursor#NO_ID} if unknown
   */
  public record Found(
      int cpu,
      long nanos,
      long fileTime,
      String event,
      int pid,
      @Nullable String process,
      int tid) {}

  /** Stack of the event that was the last one so far. */
  private static final class Kept {
    final EventType type;
    final int cpu;
    final long nanos;
    final long fileTime;
    final int pid;
    final @Nullable String process;
    final int tid;
    final long key;
    final long[] addresses;

    Kept(EventReader event, int pid, @Nullable String process, int tid, StackAddresses addresses) {
      RecordCursor record = event.record();
      this.type = event.type();
      this.cpu = record.cpu();
      this.nanos = event.nanos();
      this.fileTime = record.file().clock().fileTime(record.ticks());
      this.pid = pid;
      this.process = process;
      this.tid = tid;
      this.key = event.key();
      this.addresses = addresses.toArray();
    }

    Found found() {
      return new Found(cpu, nanos, fileTime, type.text(), pid, process, tid);
    }
  }

  private final Events events;
  private final List<Kept> kept;
  private final List<UnmatchedTerm> unmatched;
  private final StackStatistics counts;
  private final long others;
  private final long leftOut;
  private final long unattributed;

  private StacksAtTime(Search search, Events.Walk walk) {
    this.events = search.events;
    this.kept = search.result();
    this.unmatched = search.unmatched();
    this.counts = walk.stackCounts();
    this.others = search.others();
    this.leftOut = search.leftOut;
    this.unattributed = search.unattributed;
  }

  /**
   * Walks over a recording up to a time.
   *
   * @param events surveyed with {@link Events.Learn#ADDRESSES}
   */
  public static StacksAtTime of(Events events, Query query) {
    EventFilter.Builder filter = new EventFilter.Builder();
    query.events.forEach(pattern -> filter.event(pattern.toString()));
    EventFilter named = filter.build();
    try (Events.Walk walk = events.walkWithStacks(named, Long.MIN_VALUE, query.end())) {
      Search search = new Search(events, query, named);
      while (walk.next()) {
        search.take(walk);
      }
      search.finish(walk);
      return new StacksAtTime(search, walk);
    }
  }

  /** Collects the last stacks while a walk goes on. */
  private static final class Search {
    final Events events;
    final Query query;
    final EventFilter filter;
    final PatternSet processes;
    final PatternSet threads;
    final Map<Long, Kept> last = new HashMap<>();

    /** Threads that had a stack, for the count of those that are not asked for. */
    final Map<Integer, Long> seen = new HashMap<>();

    long lastKey = Long.MIN_VALUE;
    long leftOut;
    long unattributed;

    Search(Events events, Query query, EventFilter filter) {
      this.events = events;
      this.query = query;
      this.filter = filter;
      this.processes = new PatternSet(query.processes);
      this.threads = new PatternSet(query.threads);
    }

    void take(Events.Walk walk) {
      EventReader event = walk.event();
      if (event.type().isStackRecord() || !walk.hasStack()) {
        return;
      }
      StackAddresses addresses = walk.stackAddresses();
      int tid = walk.stackThread();
      int pid = event.processOf(tid);
      if (addresses.count() == 0) {
        return;
      }
      if (seen.size() < MOST || seen.containsKey(tid)) {
        seen.put(tid, event.key());
      }
      ProcessInstance life = events.machine().process(pid, event.key());
      String process = life == null ? null : life.image();
      boolean isAsked = processes.fitProcess(pid, process);
      if (!isAsked && !processes.mayMeanProcess(pid, process, tid)
          || !threads.fitThread(tid, events.machine().threadName(tid, event.key()))) {
        return;
      }
      if (!isAsked) {
        unattributed++;
        return;
      }
      long slot = query.of == Of.CPU ? event.record().cpu() : tid;
      if (last.size() >= MOST && !last.containsKey(slot)) {
        leftOut++;
        return;
      }
      last.put(slot, new Kept(event, pid, process, tid, addresses));
    }

    /** Learns how far the walk went: also over events that the filter does not let through. */
    void finish(Events.Walk walk) {
      lastKey = walk.event().key();
    }

    private boolean isThere(int tid, long key) {
      return tid == RecordCursor.NO_ID || events.machine().isSameThread(tid, key, lastKey);
    }

    List<Kept> result() {
      List<Kept> result = new ArrayList<>();
      for (Kept stack : last.values()) {
        if (query.of == Of.CPU || isThere(stack.tid, stack.key)) {
          result.add(stack);
        }
      }
      Comparator<Kept> latest =
          Comparator.comparingLong((Kept stack) -> stack.key)
              .reversed()
              .thenComparingInt(stack -> stack.tid);
      result.sort(query.of == Of.CPU ? Comparator.comparingInt((Kept stack) -> stack.cpu) : latest);
      return result;
    }

    /** Returns the threads with a stack, and still there, none of which is in the result. */
    long others() {
      Set<Integer> shown = result().stream().map(stack -> stack.tid).collect(Collectors.toSet());
      return seen.entrySet().stream()
          .filter(thread -> isThere(thread.getKey(), thread.getValue()))
          .filter(thread -> !shown.contains(thread.getKey()))
          .count();
    }

    List<UnmatchedTerm> unmatched() {
      List<UnmatchedTerm> terms = new ArrayList<>(filter.unmatched(events.machine()));
      terms.addAll(processes.unmatchedProcesses(events.machine().processNames()));
      terms.addAll(threads.unmatchedThreads());
      return terms;
    }
  }

  /** Returns the events whose stacks were found: by CPU, or of threads the last ones first. */
  public List<Found> found() {
    return kept.stream().map(Kept::found).toList();
  }

  /**
   * The stacks that were found.
   *
   * @param frames of each, in the same order, innermost first
   * @param modules the images that they lie in
   */
  public record Named(List<List<NamedFrame>> frames, List<StackModule> modules) {
    /** Copies the lists. */
    public Named {
      frames = List.copyOf(frames);
      modules = List.copyOf(modules);
    }
  }

  /**
   * Returns the stacks that were found.
   *
   * @param symbols names functions of images; null for no names
   */
  public Named named(@Nullable RecordingSymbols symbols) {
    StackNames names = new StackNames(events.recording(), events.machine(), symbols);
    StackAddresses addresses = new StackAddresses();
    Map<Kept, List<NamedFrame>> frames = new HashMap<>();
    // Names follow the times of stacks.
    List<Kept> inOrder = new ArrayList<>(kept);
    inOrder.sort(Comparator.comparingLong(stack -> stack.key));
    for (Kept stack : inOrder) {
      addresses.clear();
      addresses.add(stack.addresses, 0, stack.addresses.length);
      frames.put(stack, names.resolve(stack.pid, stack.key, addresses));
    }
    return new Named(
        kept.stream().map(stack -> frames.getOrDefault(stack, List.of())).toList(),
        names.modules());
  }

  /** Returns the number of threads that have an earlier stack and were not asked for. */
  public long others() {
    return others;
  }

  /** Returns the number of stacks of further threads, which were skipped at the memory limit. */
  public long leftOut() {
    return leftOut;
  }

  /**
   * Returns the number of events with a stack, up to the time, of unknown processes that may be
   * those that were asked for.
   */
  public long unattributed() {
    return unattributed;
  }

  /** Returns the words of the request that fitted nothing up to the time. */
  public List<UnmatchedTerm> unmatched() {
    return unmatched;
  }

  /** Returns the statistics of the stacks up to the time. */
  public StackStatistics counts() {
    return counts;
  }
}
