package io.ntrail.analysis.etw.events;

import io.ntrail.analysis.etw.machine.Machine;
import io.ntrail.formats.etl.RecordCursor;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Patterns of which any may fit; none lets everything through. Remembers which of them never fitted
 * anything, because a wrong word gives a wrong answer. One thread at a time.
 */
public final class PatternSet {
  /** Names that are remembered for those who misspelt one. */
  private static final int MOST_NAMES = 1 << 14;

  private final List<NamePattern> patterns;
  private final BitSet fitting = new BitSet();
  private final Set<String> eventNames = new TreeSet<>();
  private boolean asked;

  /** Of these patterns. */
  public PatternSet(List<NamePattern> patterns) {
    this.patterns = List.copyOf(patterns);
  }

  /** Whether it lets everything through. */
  public boolean isEmpty() {
    return patterns.isEmpty();
  }

  /** Whether any pattern fits, or there is none; and notes which ones do. */
  public boolean fit(Predicate<NamePattern> fits) {
    asked = true;
    boolean any = patterns.isEmpty();
    for (int i = 0; i < patterns.size(); i++) {
      if ((!any || !fitting.get(i)) && fits.test(patterns.get(i))) {
        any = true;
        fitting.set(i);
      }
    }
    return any;
  }

  /** Whether a process is meant, by its id or the name of its image. */
  public boolean fitProcess(int id, @Nullable String image) {
    if (patterns.isEmpty()) {
      return true;
    }
    asked = true;
    if (id == RecordCursor.NO_ID) {
      return false;
    }
    String number = Integer.toUnsignedString(id);
    return fit(pattern -> pattern.matches(number) || image != null && pattern.meansProgram(image));
  }

  /** Whether a thread is meant, by its id. */
  public boolean fitThread(int id) {
    return fitProcess(id, null);
  }

  /** Whether a type of event is meant, by its name. */
  public boolean fitEvent(EventType type) {
    if (patterns.isEmpty()) {
      return true;
    }
    String event = type.event();
    if (eventNames.size() < MOST_NAMES) {
      eventNames.add(type.text());
      String source = EventDisplayName.source(type.guid(), type.provider(), event);
      eventNames.add(source);
      eventNames.add(source + "/*");
      if (event != null) {
        eventNames.add(event);
      }
    }
    return fit(type::isMeantBy);
  }

  /** Names of processes that never fitted anything. */
  public List<UnmatchedTerm> unmatchedProcesses(Machine machine) {
    if (!asked) {
      return List.of();
    }
    Set<String> names = new TreeSet<>(machine.processNames());
    for (String name : machine.processNames()) {
      names.add(name.replaceFirst("(?i)\\.exe$", ""));
    }
    return unmatched(UnmatchedTerm.What.PROCESS, names);
  }

  /** Ids of threads that never fitted anything. */
  public List<UnmatchedTerm> unmatchedThreads() {
    return asked ? unmatched(UnmatchedTerm.What.THREAD, List.of()) : List.of();
  }

  /** Names of events that never fitted any. */
  public List<UnmatchedTerm> unmatchedEvents() {
    return unmatched(UnmatchedTerm.What.EVENT, eventNames);
  }

  /** What never fitted anything, each with the nearest of some names. */
  public List<UnmatchedTerm> unmatched(UnmatchedTerm.What what, Collection<String> names) {
    List<UnmatchedTerm> result = new ArrayList<>();
    for (int i = fitting.nextClearBit(0); i < patterns.size(); i = fitting.nextClearBit(i + 1)) {
      result.add(UnmatchedTerm.of(what, patterns.get(i).toString(), names));
    }
    return result;
  }
}
