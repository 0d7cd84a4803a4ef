package io.ntrail.formats.ntr;

/**
 * Numbers of events, by kind.
 *
 * @param events of all kinds
 * @param entries of kind {@link EventKind#ENTRY}
 * @param exits of kind {@link EventKind#EXIT}
 * @param unwinds of kind {@link EventKind#UNWIND}
 */
public record EventTally(long events, long entries, long exits, long unwinds) {
  /** No events. */
  public static final EventTally NONE = new EventTally(0, 0, 0, 0);

  /** These and others. */
  public EventTally plus(EventTally other) {
    return new EventTally(
        events + other.events,
        entries + other.entries,
        exits + other.exits,
        unwinds + other.unwinds);
  }

  /** These without others. */
  public EventTally minus(EventTally other) {
    return new EventTally(
        events - other.events,
        entries - other.entries,
        exits - other.exits,
        unwinds - other.unwinds);
  }
}
