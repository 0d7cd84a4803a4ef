package io.ntrail.analysis.flow.recorded;

import io.ntrail.analysis.etw.ipt.TracePieces.Piece;
import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.analysis.naming.PatternSet;
import io.ntrail.analysis.naming.UnmatchedTerm;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Pieces that are meant: by process, thread, event, CPU and time. One thread at a time. */
public final class PieceSelection {
  private final PatternSet processes;
  private final PatternSet threads;
  private final PatternSet events;
  private final BitSet cpus;
  private final long fromNanos;
  private final Set<String> names = new TreeSet<>();

  /** CPUs that have pieces. */
  private final BitSet found = new BitSet();

  /**
   * Selects by several properties.
   *
   * @param processes names or ids; none: all
   * @param threads names or ids; none: all
   * @param events names of the events that pieces are behind; none: all, also pieces without event
   * @param cpus numbers; empty: all
   * @param fromNanos pieces of earlier events are left out
   */
  public PieceSelection(
      List<NamePattern> processes,
      List<NamePattern> threads,
      List<NamePattern> events,
      BitSet cpus,
      long fromNanos) {
    this.processes = new PatternSet(processes);
    this.threads = new PatternSet(threads);
    this.events = new PatternSet(events);
    this.cpus = (BitSet) cpus.clone();
    this.fromNanos = fromNanos;
  }

  /** Returns whether everything is meant. */
  public boolean isAll() {
    return processes.isEmpty()
        && threads.isEmpty()
        && events.isEmpty()
        && cpus.isEmpty()
        && fromNanos == Long.MIN_VALUE;
  }

  /** Returns the numbers of the pieces that are meant, by time. */
  public int[] of(RecordedTrace trace) {
    List<Integer> chosen = new ArrayList<>();
    for (int i = 0; i < trace.pieces().listed(); i++) {
      if (has(trace, i)) {
        chosen.add(i);
      }
    }
    return chosen.stream().mapToInt(Integer::intValue).toArray();
  }

  private boolean has(RecordedTrace trace, int number) {
    Piece piece = trace.pieces().piece(number);
    found.set(piece.cpu());
    return (cpus.isEmpty() || cpus.get(piece.cpu()))
        && piece.eventNanos() >= fromNanos
        && fits(piece.event())
        && processes.fitProcess(piece.processId(), trace.process(number))
        && threads.fitThread(piece.threadId(), trace.thread(number));
  }

  /** Returns whether an event is meant: by its name, the last part of it, or the part before. */
  private boolean fits(@Nullable String event) {
    if (events.isEmpty()) {
      return true;
    }
    if (event == null) {
      return false;
    }
    names.add(event);
    int slash = event.lastIndexOf('/');
    return events.fit(pattern ->
        pattern.matches(event)
            || pattern.matches(event.substring(slash + 1))
            || slash > 0 && pattern.matches(event.substring(0, slash)));
  }

  /** Returns the words that meant nothing, after {@link #of}. */
  public List<UnmatchedTerm> unmatched(RecordedTrace trace) {
    List<UnmatchedTerm> unmatched = new ArrayList<>();
    unmatched.addAll(events.unmatched(UnmatchedTerm.What.EVENT, names));
    UnmatchedTerm.ofCpus(cpus, found).ifPresent(unmatched::add);
    unmatched.addAll(processes.unmatchedProcesses(trace.machine().processNames()));
    unmatched.addAll(threads.unmatchedThreads());
    return unmatched;
  }
}
