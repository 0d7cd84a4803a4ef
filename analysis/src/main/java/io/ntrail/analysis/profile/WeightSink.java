package io.ntrail.analysis.profile;

import io.ntrail.analysis.naming.PatternSet;
import io.ntrail.analysis.naming.ProcessNames;
import io.ntrail.analysis.naming.UnmatchedTerm;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Takes the weighted stacks of a source, and adds up in a shape those that a scope asks for. Knows
 * no source: which events are asked for is the source's business.
 */
public final class WeightSink {
  /**
   * Process that was asked for and has weights.
   *
   * @param name of its image; null if nobody tells it
   * @param id process id
   */
  public record Owner(@Nullable String name, int id) {}

  private final ProfileScope scope;
  private final ProcessNames names;
  private final PatternSet processes;
  private final PatternSet threads;
  private final ProfileAggregator shape;
  private final ProfileDiagnostics diagnostics = new ProfileDiagnostics();
  private final Map<Long, Boolean> wantedProcesses = new HashMap<>();
  private long total;
  private long idle;
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
   * Returns whether a weight is asked for at all.
   *
   * @param nanos when it became known, since the start of the recording
   * @param since a time at which the process had its id
   */
  public boolean wants(long nanos, long since, int process, int thread) {
    return scope.inRange(nanos)
        && threads.fitThread(thread)
        && (processes.isEmpty() || wantsProcess(process, since));
  }

  private boolean wantsProcess(int process, long key) {
    int number = names.processNumber(process, key);
    long identity = (long) number << 32 | process & 0xFFFF_FFFFL;
    Boolean known = wantedProcesses.get(identity);
    if (known == null) {
      known = processes.fitProcess(process, names.processName(number, process));
      wantedProcesses.put(identity, known);
    }
    return known;
  }

  /** Takes a weighted stack that is asked for, valid during the call. */
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
    weights++;
    if (stack.isRecorded()) {
      recorded++;
    }
    if (stack.process() == ProcessNames.NO_ID) {
      diagnostics.addUnattributed(stack.weight());
    }
    total += stack.weight();
    shape.add(stack);
  }

  /** Counts what is idle, at a time. */
  public void idle(long nanos, long key, long weight) {
    if (scope.inRange(nanos)
        && threads.fitThread(0)
        && (processes.isEmpty() || wantsProcess(0, key))) {
      idle += weight;
    }
  }

  /** Returns the sum of all weights. */
  public long total() {
    return total;
  }

  /** Returns the weight of what was idle; it is not in the total unless that was asked for. */
  public long idle() {
    return idle;
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

  /** Returns the processes that were asked for by name or id and have weights, by id. */
  public List<Owner> owners() {
    Map<Long, Owner> owners = new TreeMap<>();
    wantedProcesses.forEach((identity, wanted) -> {
      if (wanted) {
        int id = identity.intValue();
        String name = names.processName((int) (identity >> 32), id);
        owners.put((long) id << 32 | identity >>> 32, new Owner(name, id));
      }
    });
    return new ArrayList<>(owners.values());
  }

  /** Returns the processes and threads that were asked for and have no weights. */
  public List<UnmatchedTerm> unmatched() {
    List<UnmatchedTerm> terms = new ArrayList<>(processes.unmatchedProcesses(names.processNames()));
    terms.addAll(threads.unmatchedThreads());
    return terms;
  }
}
