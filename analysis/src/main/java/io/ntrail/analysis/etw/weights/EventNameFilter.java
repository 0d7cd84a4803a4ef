package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.etw.events.EventPatterns;
import io.ntrail.analysis.etw.events.EventType;
import io.ntrail.analysis.etw.events.SchemaIndex;
import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.analysis.naming.UnmatchedTerm;
import io.ntrail.formats.etl.RecordCursor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Decides which events are asked for by name, once for each type of event. */
final class EventNameFilter {
  private static final int MOST_TYPES = 1 << 14;

  private final SchemaIndex schemas;
  private final EventPatterns patterns;
  private final Map<EventType, Boolean> known = new HashMap<>();

  /**
   * Creates a filter.
   *
   * @param schemas has the names of events
   * @param patterns names; all events pass if empty
   */
  EventNameFilter(SchemaIndex schemas, List<NamePattern> patterns) {
    this.schemas = schemas;
    this.patterns = new EventPatterns(patterns);
  }

  /** Returns whether an event is requested. */
  boolean wants(RecordCursor record) {
    if (patterns.isEmpty()) {
      return true;
    }
    EventType type = schemas.type(record);
    Boolean wanted = known.get(type);
    if (wanted == null) {
      if (known.size() >= MOST_TYPES) {
        known.clear();
      }
      wanted = patterns.fit(type);
      known.put(type, wanted);
    }
    return wanted;
  }

  /** Returns the patterns that fitted no event. */
  List<UnmatchedTerm> unmatched() {
    return patterns.unmatched();
  }
}
