package io.ntrail.analysis.probe.engine;

import io.ntrail.analysis.probe.aggregation.Aggregation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Program that runs: its state, and the event that it looks at. One thread at a time; what a firing
 * recorded is printed when all clauses of its probe have run.
 */
public final class Run {
  private final Options options;
  private final Consumer consumer;
  private final Memory memory;
  private final Variables variables;
  private final Speculations speculations;
  private final SplittableRandom random = new SplittableRandom(36);
  private final List<Recorded> pending = new ArrayList<>();
  private @Nullable String unfinishedTokens;
  private int[] clauseSlots = new int[0];
  private List<Enabling> onError = List.of();
  private ProbeEvent event;
  private @Nullable Enabling enabling;
  private @Nullable Firing firing;
  private Speculations.@Nullable Buffer speculation;
  private boolean isDiscarded;
  private boolean isExiting;
  private boolean isInError;

  /** True if a process or file was asked for that is not recorded, since a condition began. */
  private boolean lacksAsked;

  /** True if a condition of this firing was false while it lacked what it asked for. */
  private boolean isUndecided;

  private long undecided;
  private int exitStatus;
  private final Map<Integer, Long> drops = new TreeMap<>();
  private final long bufferSize;
  private long pendingBytes;
  private boolean isOverflowing;
  private long fired;
  private long faults;
  private long events;

  /**
   * A program before its first event.
   *
   * @param memory with the structs of the program
   * @param event what is looked at before the first one
   */
  public Run(Options options, Consumer consumer, Memory memory, ProbeEvent event) {
    this.options = options;
    this.consumer = consumer;
    this.memory = memory;
    this.event = event;
    memory.see(event);
    this.variables = new Variables(options.get("dynvarsize"));
    this.bufferSize = options.get("bufsize");
    this.speculations = new Speculations(options.size("nspec"), options.get("specsize"));
  }

  /**
   * Tells how many variables there are.
   *
   * @param clauseLocals numbers of those that a firing begins without
   * @param errors clauses that run after a fault
   */
  public void prepare(int count, int[] clauseLocals, List<Enabling> errors) {
    variables.resize(count);
    clauseSlots = clauseLocals.clone();
    onError = errors;
  }

  /** Returns its memory. */
  public Memory memory() {
    return memory;
  }

  /** Returns the event that it looks at. */
  public ProbeEvent event() {
    return event;
  }

  /** Returns the id of the event's process; {@link ProbeEvent#UNKNOWN} if it is not recorded. */
  public long processId() {
    long id = event.processId();
    lacksAsked |= id == ProbeEvent.UNKNOWN && event.hasUnknownProcess();
    return id;
  }

  /** Returns the id of the process that started it; UNKNOWN if it is not recorded. */
  public long parentId() {
    long id = event.parentId();
    lacksAsked |= id == ProbeEvent.UNKNOWN && event.hasUnknownProcess();
    return id;
  }

  /** Returns the name of its program; {@link ProbeEvent#UNKNOWN_NAME} if it is not recorded. */
  public String program() {
    String program = event.program();
    lacksAsked |= program.equals(ProbeEvent.UNKNOWN_NAME) && event.hasUnknownProcess();
    return program;
  }

  /** Returns a field that is a number. */
  public long field(FieldReference field) {
    long value = event.field(field);
    lacksAsked |= value == ProbeEvent.UNKNOWN && event.lacks(field);
    return value;
  }

  /** Returns a field that is a string; null: NULL. */
  public @Nullable String fieldText(FieldReference field) {
    String text = event.fieldText(field);
    lacksAsked |= ProbeEvent.UNKNOWN_NAME.equals(text) && event.lacks(field);
    return text;
  }

  /**
   * Evaluates a condition. Where it is false and a process or file that it asks for is not
   * recorded, the firing is undecided.
   */
  public boolean isMet(Value condition) {
    boolean lackedBefore = lacksAsked;
    lacksAsked = false;
    boolean isMet = condition.isTrue(this);
    isUndecided |= lacksAsked && !isMet;
    lacksAsked |= lackedBefore;
    return isMet;
  }

  /**
   * Returns in how many firings a condition was false that asked for a process or file that is not
   * recorded.
   */
  public long undecided() {
    return undecided;
  }

  /** Returns the clause that runs, at its probe. */
  public Enabling enabling() {
    Enabling current = enabling;
    if (current == null) {
      throw new IllegalStateException("no clause runs");
    }
    return current;
  }

  /** Returns the options. */
  public Options options() {
    return options;
  }

  /** Returns its variables. */
  public Variables variables() {
    return variables;
  }

  /** Begins a speculation; returns its number, 0 if none is free. */
  public long beginSpeculation() {
    return speculations.begin();
  }

  /** Returns a number by chance, the same ones in each run. */
  public long nextRandom() {
    return random.nextLong();
  }

  /** Returns the status that the program ended with. */
  public int exitStatus() {
    return exitStatus;
  }

  /** Returns whether the program called exit(). */
  public boolean isExiting() {
    return isExiting;
  }

  /** Returns how many times a clause ran its actions. */
  public long fired() {
    return fired;
  }

  /** Returns how many clauses ended at a fault. */
  public long faults() {
    return faults;
  }

  /** Returns what strtok() has left; null if it was not called in this firing. */
  public @Nullable String unfinishedTokens() {
    return unfinishedTokens;
  }

  /** Keeps what strtok() has left. */
  public void setUnfinishedTokens(String rest) {
    unfinishedTokens = rest;
  }

  /** Runs the clauses at a probe, and prints what they recorded. */
  public void fire(List<Enabling> enablings, ProbeEvent next) {
    event = next;
    memory.see(next);
    events++;
    unfinishedTokens = null;
    for (int slot : clauseSlots) {
      variables.set(slot, 0);
      variables.set(slot, null);
    }
    for (int i = 0; i < enablings.size() && !isExiting; i++) {
      run(enablings.get(i));
    }
    flush();
  }

  private void flush() {
    if (!pending.isEmpty()) {
      List<Recorded> all = List.copyOf(pending);
      pending.clear();
      pendingBytes = 0;
      all.forEach(one -> one.consume(consumer));
    }
  }

  private void run(Enabling next) {
    enabling = next;
    CompiledClause clause = next.clause();
    int action = 0;
    try {
      if (clause.predicate().isPresent() && !isMet(clause.predicate().get())) {
        return;
      }
      fired++;
      List<CompiledClause.Step> steps = clause.steps();
      for (int i = 0; i < steps.size(); i++) {
        action = i + 1;
        steps.get(i).run(this);
      }
      if (clause.isDefault()) {
        begun();
      }
      keep();
    } catch (Fault fault) {
      firing = null;
      faulted(next, action, fault);
    } finally {
      undecided += isUndecided ? 1 : 0;
      isUndecided = false;
      lacksAsked = false;
      firing = null;
      speculation = null;
      isDiscarded = false;
      isOverflowing = false;
      memory.clearScratch();
    }
  }

  private void faulted(Enabling at, int action, Fault fault) {
    faults++;
    // Told where the data of the clause would be printed.
    pending.add(to -> to.fault(at, action, fault));
    if (isInError || onError.isEmpty()) {
      return;
    }
    isInError = true;
    ProbeEvent before = event;
    event = new ErrorEvent(before, at.id(), action, fault);
    onError.forEach(this::run);
    event = before;
    isInError = false;
  }

  private Firing begun() {
    Firing current = firing;
    if (current == null) {
      current = new Firing(enabling(), event.cpu(), events);
      firing = current;
    }
    return current;
  }

  private void keep() {
    Firing current = firing;
    if (current == null || isDiscarded) {
      return;
    }
    if (isOverflowing) {
      drops.merge(current.cpu(), 1L, Long::sum);
      return;
    }
    Speculations.Buffer to = speculation;
    if (to == null) {
      pendingBytes += current.size();
      pending.add(printer -> printer.consume(current));
    } else {
      speculations.add(to, current);
    }
  }

  /** Records that an action was run, which prints nothing or only little. */
  public void record(Recorded data) {
    record(8, data);
  }

  /**
   * Records data of an action.
   *
   * @param size bytes that it takes in a speculation
   */
  public void record(int size, Recorded data) {
    Firing current = begun();
    if (pendingBytes + current.size() + size > bufferSize) {
      isOverflowing = true;
    } else {
      current.add(size, data);
    }
  }

  /** Sends what the clause records to a speculation. */
  public void speculate(long id) {
    speculation = speculations.buffer(id);
    isDiscarded = speculation == null;
  }

  /** Forgets what a speculation has. */
  public void discard(long id) {
    speculations.end(id);
  }

  /** Prints what a speculation has. */
  public void commit(long id) {
    speculations.end(id).forEach(firing -> pending.add(to -> to.consume(firing)));
  }

  /** Ends the program when the clause is over. */
  public void exit(int status) {
    // An END clause may set another status.
    exitStatus = status;
    isExiting = true;
    record(_ -> {});
  }

  /** Lets the clauses at END run after exit(). */
  public void ending() {
    isExiting = false;
  }

  /** Adds a value to an aggregation. */
  public void add(Aggregation to, Object key, Object[] keys, long value, long weight) {
    to.add(key, keys, value, weight);
  }

  /** Returns what was not kept, in DTrace's words. */
  public List<String> drops() {
    List<String> all = new ArrayList<>();
    drops.forEach((cpu, count) -> told(all, count, "drop", " on CPU " + cpu));
    told(all, consumer.drops(), "aggregation drop", "");
    told(all, variables.drops(), "dynamic variable drop", "");
    told(all, speculations.drops(), "speculative drop", "");
    told(all, speculations.failed(), "failed speculation", " (no speculative buffer available)");
    return all;
  }

  private static void told(List<String> all, long count, String what, String more) {
    if (count > 0) {
      all.add("%d %s%s%s".formatted(count, what, count == 1 ? "" : "s", more));
    }
  }
}
