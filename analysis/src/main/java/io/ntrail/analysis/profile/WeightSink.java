package io.ntrail.analysis.profile;

import io.ntrail.analysis.naming.PatternSet;
import io.ntrail.analysis.naming.ProcessNames;
import io.ntrail.analysis.naming.UnmatchedTerm;
import io.ntrail.formats.collections.LongIntMap;
import io.ntrail.formats.collections.LongList;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Takes the weighted stacks of a source, and adds those in scope to a shape. Knows no source: the
 * choice of events is up to the source.
 */
public final class WeightSink {
  /**
   * Process that was requested and has weights.
   *
   * @param name of its image; null if unknown
   * @param id process id
   */
  public record Owner(@Nullable String name, int id) {}

  private final ProfileScope scope;
  private final ProcessNames names;
  private final PatternSet processes;
  private final PatternSet threads;
  private final ProfileAggregator shape;
  private final ProfileDiagnostics diagnostics = new ProfileDiagnostics();

  /** Processes that were looked at: 1 if they were asked for, else 0. */
  private final LongIntMap known = new LongIntMap();

  private final LongList wanted = new LongList();
  private StackFilter.@Nullable Judge judge;

  /** Processes that fit nothing: 1 if they may be meant all the same, else 0. */
  private final LongIntMap doubtful = new LongIntMap();

  private long total;
  private long hidden;
  private long idle;
  private long idleTaken;
  private long weights;
  private long recorded;

  /** Creates a sink that has taken nothing yet. */
  public WeightSink(ProfileScope scope, ProcessNames names, ProfileAggregator shape) {
    this.scope = scope;
    this.names = names;
    this.shape = shape;
    this.processes = new PatternSet(scope.processes());
    this.threads = new PatternSet(scope.threads());
  }

  /**
   * Returns true if a weight is in scope.
   *
   * @param nanos when it became known, since the start of the recording
   * @param since a time at which the process had its id
   */
  public boolean wants(long nanos, long since, int process, int thread) {
    return scope.inRange(nanos)
        && wantsThread(thread, since)
        && (processes.isEmpty() || wantsProcess(process, since));
  }

  /**
   * Notes a weight that is not wanted: it may still be, if its process is unknown.
   *
   * @param nanos when it became known, since the start of the recording
   * @param since a time at which the process had its id
   */
  public void pass(long nanos, long since, int process, int thread, long weight) {
    if (!processes.isEmpty()
        && weight > 0
        && mayMeanProcess(process, since, thread)
        && scope.inRange(nanos)
        && wantsThread(thread, since)) {
      diagnostics.addUnattributed(weight);
    }
  }

  private boolean mayMeanProcess(int process, long key, int thread) {
    if (process == ProcessNames.NO_ID) {
      return processes.mayMeanProcess(process, null, thread);
    }
    int number = names.processNumber(process, key);
    long identity = (long) number << 32 | process & 0xFFFF_FFFFL;
    int before = doubtful.get(identity);
    if (before < 0) {
      String name = names.processName(number, process);
      before =
          !processes.fitProcess(process, name) && processes.mayMeanProcess(process, name, thread)
              ? 1
              : 0;
      doubtful.put(identity, before);
    }
    return before > 0;
  }

  /**
   * Returns true if what is said beside the weights is about a thread in scope, whatever the time.
   *
   * @param since a time at which the process had its id
   */
  public boolean isOurs(long since, int process, int thread) {
    return wantsThread(thread, since)
        && (processes.isEmpty()
            || processes.fitProcess(
                process, names.processName(names.processNumber(process, since), process)));
  }

  /** Returns true if a time is in scope. */
  public boolean isInRange(long nanos) {
    return scope.inRange(nanos);
  }

  private boolean wantsThread(int thread, long key) {
    return threads.isEmpty() || threads.fitThread(thread, names.threadName(thread, key));
  }

  private boolean wantsProcess(int process, long key) {
    int number = names.processNumber(process, key);
    long identity = (long) number << 32 | process & 0xFFFF_FFFFL;
    int before = known.get(identity);
    if (before < 0) {
      before = processes.fitProcess(process, names.processName(number, process)) ? 1 : 0;
      known.put(identity, before);
      if (before > 0) {
        wanted.add(identity);
      }
    }
    return before > 0;
  }

  /** Takes a weighted stack in scope, valid during the call. */
  public void put(WeightedStack stack) {
    switch (scope.mode()) {
      case KERNEL -> {
        if (stack.isEmpty() || !stack.isKernel()) {
          return;
        }
      }
      case USER -> {
        if (stack.isEmpty() || stack.isKernel()) {
          return;
        }
      }
      case ALL -> {}
    }
    long weight = stack.weight();
    if (weight < 0 || weight > Long.MAX_VALUE - total - hidden) {
      diagnostics.addTooLarge();
      return;
    }
    if (!scope.stacks().passesAll() && !judge(stack).passes(stack)) {
      hidden += weight;
      return;
    }
    weights++;
    if (stack.isRecorded()) {
      recorded++;
    }
    if (stack.process() == ProcessNames.NO_ID) {
      diagnostics.addUnattributed(weight);
    }
    total += weight;
    shape.add(stack);
  }

  /** Takes a weighted stack in scope that is idle, where such ones are wanted, too. */
  public void putIdle(WeightedStack stack) {
    long before = total;
    put(stack);
    idleTaken += total - before;
  }

  /**
   * Adds what another sink with the same scope has counted, which knows no filter of stacks; not to
   * the shape.
   */
  public void addCounts(WeightSink other) {
    processes.addSeen(other.processes);
    threads.addSeen(other.threads);
    for (int i = 0; i < other.wanted.size(); i++) {
      long identity = other.wanted.get(i);
      if (known.get(identity) < 0) {
        known.put(identity, 1);
        wanted.add(identity);
      }
    }
    diagnostics.add(other.diagnostics);
    total += other.total;
    hidden += other.hidden;
    idle += other.idle;
    idleTaken += other.idleTaken;
    weights += other.weights;
    recorded += other.recorded;
  }

  private StackFilter.Judge judge(WeightedStack stack) {
    StackFilter.Judge known = judge;
    if (known == null) {
      known = new StackFilter.Judge(scope.stacks(), stack.names().functions());
      judge = known;
    }
    return known;
  }

  /** Counts what is idle, at a time. */
  public void idle(long nanos, long key, long weight) {
    if (scope.inRange(nanos)
        && wantsThread(0, key)
        && (processes.isEmpty() || wantsProcess(0, key))) {
      idle += weight;
    }
  }

  /** Returns the sum of all weights, idle ones among them if these were wanted. */
  public long total() {
    return total;
  }

  /** Returns the weight that the filter of stacks left out; it is not in the total. */
  public long hidden() {
    return hidden;
  }

  /** Returns the sum of all weights that are not idle. */
  public long busy() {
    return total - idleTaken;
  }

  /**
   * Returns the weight of what was idle: of what is in the total if that was requested, else of all
   * that might be.
   */
  public long idle() {
    return scope.idle() ? idleTaken : idle;
  }

  /** Returns the number of weights. */
  public long weights() {
    return weights;
  }

  /** Returns the number of weights whose event has a recorded stack. */
  public long recorded() {
    return recorded;
  }

  /** Returns the counts of what could not be summed. */
  public ProfileDiagnostics diagnostics() {
    return diagnostics;
  }

  /** Returns the processes that were selected by name or id and have weights, by id. */
  public List<Owner> owners() {
    Map<Long, Owner> owners = new TreeMap<>();
    for (int i = 0; i < wanted.size(); i++) {
      long identity = wanted.get(i);
      int id = (int) identity;
      String name = names.processName((int) (identity >> 32), id);
      owners.put((long) id << 32 | identity >>> 32, new Owner(name, id));
    }
    return new ArrayList<>(owners.values());
  }

  /** Returns the processes, threads and functions that were requested and have no weights. */
  public List<UnmatchedTerm> unmatched() {
    List<UnmatchedTerm> terms = new ArrayList<>(processes.unmatchedProcesses(names.processNames()));
    terms.addAll(threads.unmatchedThreads());
    if (judge != null) {
      terms.addAll(judge.unmatched());
    }
    return terms;
  }
}
