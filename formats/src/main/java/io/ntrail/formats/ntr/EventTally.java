package io.ntrail.formats.ntr;

/**
 * Numbers of events, by kind.
 *
 * @param events of all kinds
 * @param entries of kind {@link EventKind#ENTRY}
 * @param exits of kind {@link EventKind#EXIT}
 * @param unwinds of kind {@link EventKind#UNWIND}
 * @param besides with which no call begins or ends: of other kinds than these and {@link
 *     EventKind#ENTRY_ONLY}
 */
public record EventTally(long events, long entries, long exits, long unwinds, long besides) {
  /** No events. */
  public static final EventTally NONE = new EventTally(0, 0, 0, 0, 0);

  /** Returns the number of events of kind {@link EventKind#ENTRY_ONLY}. */
  public long entriesOnly() {
    return events - entries - exits - unwinds - besides;
  }

  /** These and others. */
  public EventTally plus(EventTally other) {
    return new EventTally(
        events + other.events,
        entries + other.entries,
        exits + other.exits,
        unwinds + other.unwinds,
        besides + other.besides);
  }

  /** These without others. */
  public EventTally minus(EventTally other) {
    return new EventTally(
        events - other.events,
        entries - other.entries,
        exits - other.exits,
        unwinds - other.unwinds,
        besides - other.besides);
  }
}
