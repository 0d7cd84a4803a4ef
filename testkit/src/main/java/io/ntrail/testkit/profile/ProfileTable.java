package io.ntrail.testkit.profile;

import java.util.Map;
import java.util.TreeMap;

/**
 * A table: the total, what was idle, and rows with what they weigh by themselves and with what they
 * called. Rows that weigh nothing are left out. The name of a row is
 *
 * <ul>
 *   <li>by function {@code module+0x1200} for a range of 256 bytes, {@code (jitted)!Namespace.Name}
 *       or {@code (unknown)};
 *   <li>by module its name, {@code (jitted)} or {@code (unknown)};
 *   <li>by process {@code name:pid}, by thread {@code pid/tid}, each {@code ?} if unknown;
 *   <li>by cpu its number.
 * </ul>
 *
 * <p>An event without a stack is in the total and in no row of a function or module.
 */
public final class ProfileTable {
  /**
   * Sums of a row.
   *
   * @param self where it is innermost
   * @param inclusive where it is anywhere
   */
  public record Sums(long self, long inclusive) {}

  private final long total;
  private final long idle;
  private final Map<String, Sums> rows = new TreeMap<>();
  private final Map<String, Long> counters = new TreeMap<>();

  /** A table without rows. */
  public ProfileTable(long total, long idle) {
    this.total = total;
    this.idle = idle;
  }

  /** A table without rows and idle weight. */
  public static ProfileTable total(long total) {
    return new ProfileTable(total, 0);
  }

  /** Adds a row. */
  public ProfileTable row(String name, long self, long inclusive) {
    if (self != 0 || inclusive != 0) {
      rows.put(name, new Sums(self, inclusive));
    }
    return this;
  }

  /**
   * Adds a counter of what was left out: unfinished, broken and breaks of the metric, and of the
   * recording unmatched stack records and missing stack keys.
   */
  public ProfileTable counter(String name, long value) {
    counters.put(name, value);
    return this;
  }

  /** Returns the sum of all that is not idle. */
  public long total() {
    return total;
  }

  /** Returns the sum of idle threads. */
  public long idle() {
    return idle;
  }

  /** The rows by their names. */
  public Map<String, Sums> rows() {
    return Map.copyOf(rows);
  }

  /** Returns the counts of what was left out. */
  public Map<String, Long> counters() {
    return Map.copyOf(counters);
  }

  /** The table without its counters as lines that two equal tables share. */
  public String text() {
    StringBuilder out = new StringBuilder("total %d, idle %d%n".formatted(total, idle));
    rows.forEach((name, sums) ->
        out.append("%s self %d inclusive %d%n".formatted(name, sums.self, sums.inclusive)));
    return out.toString();
  }

  @Override
  public String toString() {
    return text() + counters;
  }
}
