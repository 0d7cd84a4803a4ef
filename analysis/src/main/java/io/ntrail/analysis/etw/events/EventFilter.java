package io.ntrail.analysis.etw.events;

import io.ntrail.analysis.etw.machine.Machine;
import io.ntrail.analysis.etw.machine.ProcessInstance;
import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.analysis.naming.PatternSet;
import io.ntrail.analysis.naming.UnmatchedTerm;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Filter of events by process, thread, event, CPU and fields; without a criterion all events pass.
 * It remembers the terms that matched no event ({@link Events#unmatched}); one thread at a time.
 */
public final class EventFilter {
  /** Types of events that are remembered. */
  private static final int MOST_TYPES = 1 << 14;

  /** Lets all events through. */
  public static final class Builder {
    private final List<NamePattern> processes = new ArrayList<>();
    private final List<NamePattern> threads = new ArrayList<>();
    private final List<NamePattern> events = new ArrayList<>();
    private @Nullable BitSet cpus;
    private @Nullable FilterExpression where;

    /** Creates a builder without criteria. */
    public Builder() {}

    /** Events of processes with this id or name; several are alternatives. */
    public Builder process(String pattern) {
      processes.add(NamePattern.of(pattern));
      return this;
    }

    /** Events of threads with this id or name; several are alternatives. */
    public Builder thread(String pattern) {
      threads.add(NamePattern.of(pattern));
      return this;
    }

    /** Events of this name; several are alternatives. */
    public Builder event(String pattern) {
      events.add(NamePattern.of(pattern));
      return this;
    }

    /** Events of these CPUs. */
    public Builder cpus(BitSet numbers) {
      cpus = (BitSet) numbers.clone();
      return this;
    }

    /** Events that meet a condition. */
    public Builder where(FilterExpression condition) {
      where = condition;
      return this;
    }

    /** The filter. */
    public EventFilter build() {
      return new EventFilter(this);
    }
  }

  /**
   * Events that a filter did not let through since the recording does not tell whether they are
   * meant.
   *
   * @param asked events whose fields were asked for
   * @param stackRecords how many of them are stack records, which are no events themselves
   * @param undescribed how many of them nothing describes, so that they gave no answer
   * @param unattributed events of unknown processes that meet all but the choice of processes
   */
  public record Undecided(long asked, long stackRecords, long undescribed, long unattributed) {
    /** All were decided about. */
    public static final Undecided NONE = new Undecided(0, 0, 0, 0);

    /** Returns what remains undecided if only the process of some weights is unknown. */
    public static Undecided of(long unattributed) {
      return new Undecided(0, 0, 0, unattributed);
    }
  }

  /** Names of processes and events that a condition asks for. */
  private static final class WantedNames {
    private final List<FilterExpression.WantedName> processes;
    private final List<FilterExpression.WantedName> events;
    private final Set<FilterExpression.WantedName> found = new HashSet<>();
    private final Set<EventType> types = new HashSet<>();
    private final Set<String> names = new TreeSet<>();
    private @Nullable String lastProcess;
    private boolean any;

    /** True if there were more types than are kept, so that a name may have been missed. */
    private boolean isFull;

    private WantedNames(
        List<FilterExpression.WantedName> processes, List<FilterExpression.WantedName> events) {
      this.processes = processes;
      this.events = events;
    }

    static WantedNames of(@Nullable FilterExpression condition) {
      return new WantedNames(
          condition == null ? List.of() : condition.wanted("process"),
          condition == null ? List.of() : condition.wanted("event"));
    }

    WantedNames copy() {
      return new WantedNames(processes, events);
    }

    void addSeen(WantedNames copy) {
      any |= copy.any;
      isFull |= copy.isFull;
      found.addAll(copy.found);
      if (names.size() < MOST_TYPES) {
        names.addAll(copy.names);
      } else {
        isFull |= !names.containsAll(copy.names);
      }
    }

    /** Learns from an event. */
    void meet(EventReader event) {
      any = true;
      if (!events.isEmpty() && !isFull && types.add(event.type())) {
        isFull = types.size() >= MOST_TYPES;
        String name = event.type().event();
        if (name != null) {
          names.add(name);
          find(events, name);
        }
      }
      if (!processes.isEmpty()) {
        String process = event.process();
        if (process != null && !process.equals(lastProcess)) {
          lastProcess = process;
          find(processes, process);
        }
      }
    }

    private void find(List<FilterExpression.WantedName> wanted, String name) {
      for (FilterExpression.WantedName one : wanted) {
        if (one.fits(name)) {
          found.add(one);
        }
      }
    }

    /** Returns the names of processes that no event has. */
    List<UnmatchedTerm> unmatchedProcesses(Set<String> known) {
      return any ? unmatched(processes, UnmatchedTerm.What.PROCESS, known) : List.of();
    }

    /** Returns the names of events that none has, if all types are known. */
    List<UnmatchedTerm> unmatchedEvents() {
      return any && !isFull ? unmatched(events, UnmatchedTerm.What.EVENT, names) : List.of();
    }

    private List<UnmatchedTerm> unmatched(
        List<FilterExpression.WantedName> wanted, UnmatchedTerm.What what, Set<String> known) {
      return wanted.stream()
          .filter(one -> !found.contains(one))
          .map(one -> UnmatchedTerm.of(what, one.pattern().toString(), known))
          .toList();
    }
  }

  private final PatternSet processes;
  private final PatternSet threads;
  private final EventPatterns events;
  private final @Nullable BitSet cpus;
  private final @Nullable FilterExpression where;

  /** True if the condition asks for more than every event has. */
  private final boolean asksFields;

  private final Map<EventType, Boolean> types = new HashMap<>();
  private final FieldNames fields = new FieldNames();
  private final WantedNames wantedNames;
  private boolean askedForCpus;
  private final BitSet fittingCpus = new BitSet();
  private boolean finished;
  private long asked;
  private long stackRecords;
  private long undescribed;
  private long unattributed;

  private EventFilter(Builder builder) {
    processes = new PatternSet(builder.processes);
    threads = new PatternSet(builder.threads);
    events = new EventPatterns(builder.events);
    cpus = builder.cpus;
    where = builder.where;
    wantedNames = WantedNames.of(where);
    asksFields = where != null && !EventValues.OWN.containsAll(where.names());
  }

  private EventFilter(EventFilter other) {
    processes = other.processes.copy();
    threads = other.threads.copy();
    events = other.events.copy();
    cpus = other.cpus;
    where = other.where;
    wantedNames = other.wantedNames.copy();
    asksFields = other.asksFields;
  }

  /** Returns true if it lets all events through. */
  public boolean passesAll() {
    return processes.isEmpty()
        && threads.isEmpty()
        && events.isEmpty()
        && cpus == null
        && where == null;
  }

  /**
   * Returns true if it asks for the process or thread of an event, or for anything in it: more than
   * {@link #mayPass} looks at.
   */
  public boolean needsOwners() {
    return !processes.isEmpty() || !threads.isEmpty() || where != null;
  }

  /** Returns true if it chooses processes or threads, other than by a condition. */
  public boolean choosesThreads() {
    return !processes.isEmpty() || !threads.isEmpty();
  }

  /** Returns true if it asks for the process or thread that an event belongs to. */
  public boolean asksOwners() {
    return choosesThreads()
        || where != null && where.names().stream().anyMatch(EventValues.OF_OWNERS::contains);
  }

  /**
   * Returns true if a thread is one of the chosen processes and threads at the time of an event;
   * false if it chooses none.
   */
  public boolean chooses(EventReader event, int thread) {
    if (!choosesThreads()) {
      return false;
    }
    int process = event.processOf(thread);
    ProcessInstance life = event.processLife(process);
    return processes.fitProcess(process, life == null ? null : life.image())
        && (threads.isEmpty() || threads.fitThread(thread, event.threadName(thread)));
  }

  /** Returns a filter of the same criteria that has seen nothing, for another thread. */
  public EventFilter copy() {
    return new EventFilter(this);
  }

  /** Adds to what it has seen what a copy of it has. */
  public void addSeen(EventFilter copy) {
    processes.addSeen(copy.processes);
    threads.addSeen(copy.threads);
    events.addSeen(copy.events);
    fields.addSeen(copy.fields);
    wantedNames.addSeen(copy.wantedNames);
    askedForCpus |= copy.askedForCpus;
    fittingCpus.or(copy.fittingCpus);
    asked += copy.asked;
    stackRecords += copy.stackRecords;
    undescribed += copy.undescribed;
    unattributed += copy.unattributed;
  }

  /** Notes that it is to see the events from the first one on: what was undecided is forgotten. */
  void begin() {
    asked = 0;
    stackRecords = 0;
    undescribed = 0;
    unattributed = 0;
  }

  /** Returns what of the events that it has seen it could not decide about. */
  public Undecided undecided() {
    return new Undecided(asked, stackRecords, undescribed, unattributed);
  }

  /**
   * Returns true if an event of a type and CPU may pass: the owner and fields are not looked at.
   */
  public boolean mayPass(EventType type, int cpu) {
    if (!events.isEmpty() && !passesType(type)) {
      return false;
    }
    BitSet wanted = cpus;
    if (wanted != null) {
      askedForCpus = true;
      if (!wanted.get(cpu)) {
        return false;
      }
      fittingCpus.set(cpu);
    }
    return true;
  }

  /** Returns true if an event passes the filter. */
  public boolean passes(EventReader event) {
    if (!mayPass(event.type(), event.record().cpu())) {
      return false;
    }
    boolean isUnattributed = false;
    if (!processes.isEmpty() && !processes.fitProcess(event.processId(), event.process())) {
      isUnattributed =
          processes.mayMeanProcess(event.processId(), event.process(), event.threadId())
              && !EventDisplayName.isOfRecorder(event.type().provider(), event.type().event());
      if (!isUnattributed) {
        return false;
      }
    }
    if (!threads.isEmpty() && !threads.fitThread(event.threadId(), event.threadName())) {
      return false;
    }
    FilterExpression condition = where;
    if (condition != null && !meets(condition, event)) {
      return false;
    }
    if (isUnattributed) {
      unattributed++;
    }
    return !isUnattributed;
  }

  private boolean meets(FilterExpression condition, EventReader event) {
    EventType type = event.type();
    fields.meet(type);
    wantedNames.meet(event);
    FilterExpression.Truth truth = condition.of(new EventValues(event));
    if (asksFields) {
      asked++;
      stackRecords += type.isStackRecord() ? 1 : 0;
      boolean isUnknown = truth == FilterExpression.Truth.UNKNOWN && type.schema() == null;
      undescribed += isUnknown ? 1 : 0;
    }
    return truth == FilterExpression.Truth.TRUE;
  }

  private boolean passesType(EventType type) {
    Boolean known = types.get(type);
    if (known == null) {
      known = events.fit(type);
      // Self-describing events may have a new type every time.
      if (types.size() >= MOST_TYPES) {
        types.clear();
      }
      types.put(type, known);
    }
    return known;
  }

  /** Notes that it has seen all events. */
  public void finished() {
    finished = true;
  }

  /** Returns the terms that fitted no event, see {@link Events#unmatched}. */
  List<UnmatchedTerm> unmatched(Machine machine) {
    List<UnmatchedTerm> result = new ArrayList<>();
    if (!finished) {
      return result;
    }
    result.addAll(events.unmatched());
    BitSet wanted = cpus;
    if (askedForCpus && wanted != null) {
      UnmatchedTerm.ofCpus(wanted, fittingCpus).ifPresent(result::add);
    }
    result.addAll(processes.unmatchedProcesses(machine.processNames()));
    result.addAll(threads.unmatchedThreads());
    if (where != null) {
      result.addAll(fields.unmatched(where.names()));
      result.addAll(wantedNames.unmatchedProcesses(machine.processNames()));
      boolean isOnly = processes.isEmpty() && threads.isEmpty() && events.isEmpty() && cpus == null;
      if (isOnly) {
        result.addAll(wantedNames.unmatchedEvents());
      }
    }
    return result;
  }
}
