package io.ntrail.cli.common;

import io.ntrail.cli.text.Numbers;

/**
 * Words for numbers of events and records, one vocabulary for all commands: a record is what is in
 * the file; an event is a record that is not a stack record, which is attached to its event.
 *
 * @param records all records that are counted
 * @param stackRecords how many of them are stack records
 */
public record EventTotals(long records, long stackRecords) {
  private static final String ATTACHED = "attached to their events, not counted as events";

  /** Returns the number of events. */
  public long events() {
    return records - stackRecords;
  }

  /** Returns what the sum is a sum of: "event", or "record" if stack records are among them. */
  public String noun() {
    return stackRecords == 0 ? "event" : "record";
  }

  /**
   * Returns the sum: "1,208 events", or "12 records (10 events; 2 stack records, attached to their
   * events, not counted as events)".
   */
  public String text() {
    String sum = Numbers.counted(records, noun());
    return stackRecords == 0
        ? sum
        : "%s (%s; %s, %s)"
            .formatted(
                sum,
                Numbers.counted(events(), "event"),
                Numbers.counted(stackRecords, "stack record"),
                ATTACHED);
  }

  /** Returns the words about the stack records alone, with their size. */
  public String attached(long bytes) {
    return "%s, %s, %s"
        .formatted(Numbers.counted(stackRecords, "stack record"), Numbers.bytes(bytes), ATTACHED);
  }
}
