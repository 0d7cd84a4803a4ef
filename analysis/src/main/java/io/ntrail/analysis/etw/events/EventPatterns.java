package io.ntrail.analysis.etw.events;

import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.analysis.naming.PatternSet;
import io.ntrail.analysis.naming.UnmatchedTerm;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Patterns of names of events, of which any may fit; none lets every event through. */
public final class EventPatterns {
  /** Names that are remembered to suggest one for a pattern that fitted none. */
  private static final int MOST_NAMES = 1 << 14;

  private final PatternSet patterns;
  private final Set<String> names = new TreeSet<>();

  /** Creates the set of some patterns. */
  public EventPatterns(List<NamePattern> patterns) {
    this(new PatternSet(patterns));
  }

  private EventPatterns(PatternSet patterns) {
    this.patterns = patterns;
  }

  /** Returns a set of the same patterns that has seen nothing. */
  EventPatterns copy() {
    return new EventPatterns(patterns.copy());
  }

  /** Adds to what it has seen what a copy of it has. */
  void addSeen(EventPatterns copy) {
    patterns.addSeen(copy.patterns);
    for (String name : copy.names) {
      if (names.size() < MOST_NAMES) {
        names.add(name);
      }
    }
  }

  /** Returns whether every event is let through. */
  public boolean isEmpty() {
    return patterns.isEmpty();
  }

  /** Returns whether a type of event is meant, by its name. */
  public boolean fit(EventType type) {
    if (patterns.isEmpty()) {
      return true;
    }
    String event = type.event();
    if (names.size() < MOST_NAMES) {
      names.add(type.text());
      String source = EventDisplayName.source(type.guid(), type.provider(), event);
      names.add(source);
      names.add(source + "/*");
      if (event != null) {
        names.add(event);
      }
    }
    return patterns.fit(type::isMeantBy);
  }

  /** Returns the patterns that fitted no event. */
  public List<UnmatchedTerm> unmatched() {
    return patterns.unmatched(UnmatchedTerm.What.EVENT, names);
  }
}
