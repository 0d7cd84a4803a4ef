package io.ntrail.analysis.events;

import io.ntrail.analysis.machine.Machine;
import io.ntrail.formats.etl.RecordCursor;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which events are meant: by process, thread, event, CPU and fields; what is not asked for lets all
 * through. It remembers what of it fitted no event ({@link Events#unmatched}); one thread at a
 * time.
 */
public final class EventFilter {
  /** Types of events that are remembered. */
  private static final int MOST_TYPES = 1 << 14;

  /** Lets all events through. */
  public static final class Builder {
    private final List<Pattern> processes = new ArrayList<>();
    private final List<Pattern> threads = new ArrayList<>();
    private final List<Pattern> events = new ArrayList<>();
    private @Nullable BitSet cpus;
    private @Nullable Where where;

    /** Nothing is asked for yet. */
    public Builder() {}

    /** Events of processes with this id or name; several are alternatives. */
    public Builder process(String pattern) {
      processes.add(Pattern.of(pattern));
      return this;
    }

    /** Events of threads with this id; several are alternatives. */
    public Builder thread(String pattern) {
      threads.add(Pattern.of(pattern));
      return this;
    }

    /** Events of this name; several are alternatives. */
    public Builder event(String pattern) {
      events.add(Pattern.of(pattern));
      return this;
    }

    /** Events of these CPUs. */
    public Builder cpus(BitSet numbers) {
      cpus = (BitSet) numbers.clone();
      return this;
    }

    /** Events that meet a condition. */
    public Builder where(Where condition) {
      where = condition;
      return this;
    }

    /** The filter. */
    public EventFilter build() {
      return new EventFilter(this);
    }
  }

  private final List<Pattern> processes;
  private final List<Pattern> threads;
  private final List<Pattern> events;
  private final @Nullable BitSet cpus;
  private final @Nullable Where where;
  private final Map<EventType, Boolean> types = new HashMap<>();
  private final Set<String> eventNames = new TreeSet<>();

  private final BitSet fittingEvents = new BitSet();
  private final BitSet fittingProcesses = new BitSet();
  private final BitSet fittingThreads = new BitSet();
  private final FieldNames fields = new FieldNames();
  private boolean askedForCpus;
  private boolean fittingCpus;
  private boolean askedForProcesses;
  private boolean askedForThreads;
  private boolean finished;

  private EventFilter(Builder builder) {
    processes = List.copyOf(builder.processes);
    threads = List.copyOf(builder.threads);
    events = List.copyOf(builder.events);
    cpus = builder.cpus;
    where = builder.where;
  }

  /** Whether it lets all events through. */
  public boolean passesAll() {
    return processes.isEmpty()
        && threads.isEmpty()
        && events.isEmpty()
        && cpus == null
        && where == null;
  }

  /** Whether an event is meant. */
  boolean passes(EventReader event) {
    if (!events.isEmpty() && !passesType(event.type())) {
      return false;
    }
    BitSet wanted = cpus;
    if (wanted != null) {
      askedForCpus = true;
      if (!wanted.get(event.record().cpu())) {
        return false;
      }
      fittingCpus = true;
    }
    if (!processes.isEmpty() && !passesProcess(event)) {
      return false;
    }
    if (!threads.isEmpty() && !passesThread(event)) {
      return false;
    }
    Where condition = where;
    if (condition == null) {
      return true;
    }
    fields.meet(event.type());
    return condition.holds(new EventValues(event));
  }

  private boolean passesType(EventType type) {
    Boolean known = types.get(type);
    if (known == null) {
      known = matches(type);
      // Events that tell their own types may tell a new one every time.
      if (types.size() >= MOST_TYPES) {
        types.clear();
      }
      types.put(type, known);
    }
    return known;
  }

  private boolean matches(EventType type) {
    String event = type.event();
    String provider = type.provider();
    if (eventNames.size() < MOST_TYPES) {
      eventNames.add(type.text());
      String source = EventNaming.source(type.guid(), provider, event);
      eventNames.add(source);
      eventNames.add(source + "/*");
      if (event != null) {
        eventNames.add(event);
      }
    }
    return fits(events, fittingEvents, type::isMeantBy);
  }

  /** Whether any pattern fits; and notes which ones do, so that those that never do are known. */
  private static boolean fits(List<Pattern> patterns, BitSet fitting, Predicate<Pattern> fits) {
    boolean any = false;
    for (int i = 0; i < patterns.size(); i++) {
      if ((!any || !fitting.get(i)) && fits.test(patterns.get(i))) {
        any = true;
        fitting.set(i);
      }
    }
    return any;
  }

  private boolean passesProcess(EventReader event) {
    askedForProcesses = true;
    int id = event.processId();
    if (id == RecordCursor.NO_ID) {
      return false;
    }
    String number = Integer.toUnsignedString(id);
    String name = event.process();
    return fits(
        processes,
        fittingProcesses,
        pattern -> pattern.matches(number) || name != null && pattern.meansProgram(name));
  }

  private boolean passesThread(EventReader event) {
    askedForThreads = true;
    int id = event.threadId();
    if (id == RecordCursor.NO_ID) {
      return false;
    }
    String number = Integer.toUnsignedString(id);
    return fits(threads, fittingThreads, pattern -> pattern.matches(number));
  }

  /** Notes that it has seen all events. */
  void finished() {
    finished = true;
  }

  /** What of it fitted no event, see {@link Events#unmatched}. */
  List<Unmatched> unmatched(Machine machine) {
    List<Unmatched> result = new ArrayList<>();
    if (!finished) {
      return result;
    }
    for (Pattern pattern : unfitting(events, fittingEvents)) {
      result.add(Unmatched.of(Unmatched.What.EVENT, pattern.toString(), eventNames));
    }
    if (askedForCpus && !fittingCpus) {
      String numbers = String.valueOf(cpus).replaceAll("[{} ]", "");
      result.add(new Unmatched(Unmatched.What.CPU, numbers, ""));
    }
    if (askedForProcesses) {
      Set<String> names = new TreeSet<>(machine.processNames());
      for (String name : machine.processNames()) {
        names.add(name.replaceFirst("(?i)\\.exe$", ""));
      }
      for (Pattern pattern : unfitting(processes, fittingProcesses)) {
        result.add(Unmatched.of(Unmatched.What.PROCESS, pattern.toString(), names));
      }
    }
    if (askedForThreads) {
      for (Pattern pattern : unfitting(threads, fittingThreads)) {
        result.add(new Unmatched(Unmatched.What.THREAD, pattern.toString(), ""));
      }
    }
    if (where != null) {
      for (String name : where.names()) {
        if (fields.lacks(name)) {
          result.add(Unmatched.field(name, fields));
        }
      }
    }
    return result;
  }

  private static List<Pattern> unfitting(List<Pattern> patterns, BitSet fitting) {
    List<Pattern> result = new ArrayList<>();
    for (int i = fitting.nextClearBit(0); i < patterns.size(); i = fitting.nextClearBit(i + 1)) {
      result.add(patterns.get(i));
    }
    return result;
  }
}
