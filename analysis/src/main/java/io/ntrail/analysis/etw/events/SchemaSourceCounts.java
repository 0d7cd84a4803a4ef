package io.ntrail.analysis.etw.events;

import io.ntrail.formats.schema.SchemaSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Numbers of events and of types by the source of their description. */
public final class SchemaSourceCounts {
  /**
   * One source.
   *
   * @param source where names and fields came from; null for events that nothing describes
   * @param types how many types of events
   * @param events how many events
   */
  public record Row(@Nullable SchemaSource source, long types, long events) {}

  private static final SchemaSource[] SOURCES = SchemaSource.values();

  /** Types that are distinguished by their objects before the objects are forgotten. */
  private static final int MOST_OBJECTS = 1 << 14;

  /** Types that are distinguished at all: a hostile recording may have a new one in every event. */
  private static final int MOST_TYPES = 1 << 18;

  private final long[] events = new long[SOURCES.length + 1];
  private final long[] types = new long[SOURCES.length + 1];
  private final Set<EventType> objects = Collections.newSetFromMap(new IdentityHashMap<>());

  /** Identities of types, with the slots of their sources. */
  private final Map<String, Integer> names = new HashMap<>();

  private final SortedSet<String> listedProviders = new TreeSet<>();
  private @Nullable EventType last;
  private long stackRecords;

  /** Counts nothing yet. */
  public SchemaSourceCounts() {}

  /** Counts one event. */
  public void add(EventType type) {
    int slot = slot(type.source());
    events[slot]++;
    if (type.isStackRecord()) {
      stackRecords++;
    }
    if (type == last) {
      return;
    }
    last = type;
    if (objects.size() >= MOST_OBJECTS) {
      objects.clear();
    }
    if (objects.add(type)) {
      addProvider(type);
      addName(type.identity(), slot);
    }
  }

  private void addName(String identity, int slot) {
    if (names.size() < MOST_TYPES && names.putIfAbsent(identity, slot) == null) {
      types[slot]++;
    }
  }

  /** Adds the events of another part of the recording. */
  public void add(SchemaSourceCounts part) {
    for (int slot = 0; slot < events.length; slot++) {
      events[slot] += part.events[slot];
    }
    stackRecords += part.stackRecords;
    part.names.forEach(this::addName);
    listedProviders.addAll(part.listedProviders);
  }

  /** Notes that some of the counted events are stack records. */
  void addStackRecords(long count) {
    stackRecords += count;
  }

  /** Returns how many of {@link #events} are stack records, which are no events themselves. */
  public long stackRecords() {
    return stackRecords;
  }

  /** Notes where the name of a type's provider is from. */
  void addProvider(EventType type) {
    String provider = type.provider();
    if (type.isProviderListed() && provider != null) {
      listedProviders.add(provider);
    }
  }

  /** Returns the providers that only the list of well-known ones names, in alphabetical order. */
  public List<String> listedProviders() {
    return List.copyOf(listedProviders);
  }

  /** Counts the events of some types. */
  void add(@Nullable SchemaSource source, long moreTypes, long moreEvents) {
    types[slot(source)] += moreTypes;
    events[slot(source)] += moreEvents;
  }

  private static int slot(@Nullable SchemaSource source) {
    return source == null ? SOURCES.length : source.ordinal();
  }

  /** The sources that describe any event, and last the events that nothing describes. */
  public List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    for (int slot = 0; slot < events.length; slot++) {
      if (events[slot] > 0) {
        rows.add(new Row(slot < SOURCES.length ? SOURCES[slot] : null, types[slot], events[slot]));
      }
    }
    return rows;
  }

  /** All events. */
  public long events() {
    return Arrays.stream(events).sum();
  }

  /** Events that nothing describes. */
  public long undescribed() {
    return events[SOURCES.length];
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SchemaSourceCounts counts && rows().equals(counts.rows());
  }

  @Override
  public int hashCode() {
    return rows().hashCode();
  }

  @Override
  public String toString() {
    return rows().toString();
  }
}
