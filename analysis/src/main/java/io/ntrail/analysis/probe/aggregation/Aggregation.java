package io.ntrail.analysis.probe.aggregation;

import io.ntrail.analysis.probe.types.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Values of an aggregation, by key. */
public final class Aggregation {
  /** Bytes that an entry takes besides its state and strings. */
  private static final int ENTRY_BYTES = 160;

  /** Bytes that a frame takes in a key that is a stack. */
  private static final long FRAME_BYTES = 64;

  private final String name;
  private final Aggregate function;
  private final List<Type> keyTypes;
  private final KeyRoom room;
  private final Map<Object, Entry> entries = new HashMap<>();
  private long normal = 1;
  private boolean isPrinted;
  private long drops;
  private final Map<Object, Long> overflows = new HashMap<>();
  private long printedOverflows;

  /**
   * Value of a key.
   *
   * @param keys numbers as {@link Long}, strings and places in code as texts, stacks as lists
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Entry(Object[] keys, long[] state) {}

  /**
   * An aggregation without values.
   *
   * @param room that all aggregations of a program share
   */
  public Aggregation(String name, Aggregate function, List<Type> keyTypes, KeyRoom room) {
    this.name = name;
    this.function = function;
    this.keyTypes = List.copyOf(keyTypes);
    this.room = room;
  }

  /** Returns its name without the at sign. */
  public String name() {
    return name;
  }

  /** Returns its function. */
  public Aggregate function() {
    return function;
  }

  /** Returns the types of its keys. */
  public List<Type> keyTypes() {
    return keyTypes;
  }

  /** Returns the number that values are divided by. */
  public long normal() {
    return normal;
  }

  /** Divides values by a number where they are printed. */
  public void normalize(long by) {
    normal = by;
  }

  /** Returns whether a program printed it. */
  public boolean isPrinted() {
    return isPrinted;
  }

  /** Notes that a program printed it. */
  public void printed() {
    isPrinted = true;
    printedOverflows = overflows();
    overflows.clear();
  }

  /** Returns the values, in no order. */
  public Collection<Entry> entries() {
    return entries.values();
  }

  /** Makes all values those before the first event; keys stay. */
  public void clear() {
    entries
        .values()
        .forEach(entry -> {
          long[] fresh = function.fresh();
          System.arraycopy(fresh, 0, entry.state, 0, fresh.length);
        });
    overflows.clear();
  }

  /**
   * Removes all values but the largest.
   *
   * @param keep how many stay; negative: so many of the smallest
   */
  public void trunc(long keep, Comparator<Entry> order) {
    List<Entry> sorted = new ArrayList<>(entries.values());
    sorted.sort(order);
    long most = Math.min(Math.abs(keep), sorted.size());
    List<Entry> gone =
        keep < 0
            ? sorted.subList((int) most, sorted.size())
            : sorted.subList(0, sorted.size() - (int) most);
    for (Entry entry : gone) {
      Object key = key(entry.keys);
      entries.remove(key);
      overflows.remove(key);
      room.give(bytes(entry.keys, entry.state));
    }
  }

  /** Returns the one object that keys are found by. */
  public static Object key(Object[] keys) {
    return switch (keys.length) {
      case 0 -> "";
      case 1 -> keys[0];
      default -> List.of(keys);
    };
  }

  /** Returns how many values were not added for want of room. */
  public long drops() {
    return drops;
  }

  /** Returns how many times one of its sums wrapped that it still has or that was printed. */
  public long overflows() {
    return overflows.values().stream().mapToLong(Long::longValue).sum() + printedOverflows;
  }

  private static long bytes(Object[] keys, long[] state) {
    long bytes = ENTRY_BYTES + 8L * state.length;
    for (Object one : keys) {
      bytes +=
          switch (one) {
            case String text -> text.length();
            case List<?> frames -> FRAME_BYTES * frames.size();
            default -> 16;
          };
    }
    return bytes;
  }

  /** Adds a value; with a new key, only if there is room. */
  public void add(Object key, Object[] keys, long value, long weight) {
    Entry entry = entries.get(key);
    if (entry == null) {
      long[] state = function.fresh();
      if (!room.take(bytes(keys, state))) {
        drops++;
        return;
      }
      entry = new Entry(keys.clone(), state);
      entries.put(key, entry);
    }
    if (!function.add(entry.state, value, weight)) {
      overflows.merge(key, 1L, Long::sum);
    }
  }
}
