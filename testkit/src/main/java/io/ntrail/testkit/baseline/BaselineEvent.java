package io.ntrail.testkit.baseline;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One event as it was printed.
 *
 * @param name {@code Provider/Task/Opcode}
 * @param micros when, in microseconds since the recording's header record, rounded
 * @param process id of the process; the tool may have taken it from elsewhere than the header
 * @param thread id of the thread; likewise
 * @param processName its name as the tool knew it
 * @param cpu number of the processor
 * @param dataLength bytes of the payload
 * @param fields the fields in the order of the line, as they were printed
 */
public record BaselineEvent(
    String name,
    long micros,
    int process,
    int thread,
    String processName,
    int cpu,
    int dataLength,
    Map<String, String> fields) {

  /** Keeps the order of the fields. */
  public BaselineEvent {
    fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
  }

  /** The part of the name before the first slash. */
  public String provider() {
    return name.substring(0, name.indexOf('/'));
  }

  /** The rest of the name: {@code Task/Opcode}. */
  public String event() {
    return name.substring(name.indexOf('/') + 1);
  }

  /**
   * Returns true if a time of the recording is the one that was printed.
   *
   * @param ticks since the header record
   * @param ticksPerSecond of the recording's clock
   */
  public boolean isAt(long ticks, long ticksPerSecond) {
    // Three digits of a millisecond: half a microsecond to either side, however halves were
    // rounded.
    return Math.abs(ticks * 1e6 / ticksPerSecond - micros) <= 0.5 + 1e-6;
  }
}
