package io.ntrail.analysis.events;

import io.ntrail.formats.etl.RecordCursor;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which events are meant: by process, thread, event, CPU and fields; what is not asked for lets all
 * through. Immutable but for what it remembers about types of events; one thread at a time.
 */
public final class EventFilter {
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

  /** The condition on fields. */
  public @Nullable Where where() {
    return where;
  }

  /** Whether an event is meant. */
  public boolean passes(EventReader event) {
    BitSet wanted = cpus;
    if (wanted != null && !wanted.get(event.record().cpu())) {
      return false;
    }
    if (!events.isEmpty() && !passesType(event.type())) {
      return false;
    }
    if (!processes.isEmpty() && !passesProcess(event)) {
      return false;
    }
    if (!threads.isEmpty() && !passesThread(event)) {
      return false;
    }
    Where condition = where;
    return condition == null || condition.holds(new EventValues(event));
  }

  private boolean passesType(EventType type) {
    return types.computeIfAbsent(type, this::matches);
  }

  private boolean matches(EventType type) {
    String full = type.text();
    for (Pattern pattern : events) {
      if (pattern.matches(full)
          || pattern.matches(type.event())
          || pattern.matches(type.provider())
          || type.provider() != null && pattern.matches(type.provider() + "/" + type.event())
          || pattern.matches(type.guid().toString())
          || pattern.isPlain() && full.regionMatches(true, 0, pattern + "/", 0, length(pattern) + 1)
          || pattern.matches(Integer.toString(type.id()))) {
        return true;
      }
    }
    return false;
  }

  private static int length(Pattern pattern) {
    return pattern.toString().length();
  }

  private boolean passesProcess(EventReader event) {
    int id = event.processId();
    if (id == RecordCursor.NO_ID) {
      return false;
    }
    String number = Integer.toUnsignedString(id);
    String name = event.process();
    for (Pattern pattern : processes) {
      if (pattern.matches(number)
          || name != null && (pattern.matches(name) || bare(pattern, name))) {
        return true;
      }
    }
    return false;
  }

  /** {@code shopd} means {@code shopd.exe}, too. */
  private static boolean bare(Pattern pattern, String name) {
    return pattern.isPlain() && name.equalsIgnoreCase(pattern + ".exe");
  }

  private boolean passesThread(EventReader event) {
    int id = event.threadId();
    if (id == RecordCursor.NO_ID) {
      return false;
    }
    String number = Integer.toUnsignedString(id);
    return threads.stream().anyMatch(pattern -> pattern.matches(number));
  }
}
