package io.ntrail.analysis.probe.engine;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Variables of a program: those with one value by number, others by their keys. */
public final class Variables {
  private static final int ENTRY_BYTES = 96;

  private long[] numbers = new long[16];
  private @Nullable String[] texts = new @Nullable String[16];
  private final Map<Object, Object> dynamic = new HashMap<>();
  private final long room;
  private long used;
  private long drops;

  /**
   * @param room bytes of those with keys at most
   */
  Variables(long room) {
    this.room = room;
  }

  void resize(int count) {
    numbers = Arrays.copyOf(numbers, Math.max(numbers.length, count));
    texts = Arrays.copyOf(texts, Math.max(texts.length, count));
  }

  /** Returns a number. */
  public long number(int slot) {
    return numbers[slot];
  }

  /** Sets a number. */
  public void set(int slot, long value) {
    numbers[slot] = value;
  }

  /** Returns a string. */
  public @Nullable String text(int slot) {
    return texts[slot];
  }

  /** Sets a string. */
  public void set(int slot, @Nullable String value) {
    texts[slot] = value;
  }

  /** Returns the value with a key; null: none. */
  public @Nullable Object dynamic(Object key) {
    return dynamic.get(key);
  }

  /** Returns the address of the struct or array with a key; it is made if there is none. */
  public long block(Object key, int size, Memory memory) {
    if (dynamic.get(key) instanceof Long address) {
      return address;
    }
    long took = bytes(key) + size;
    long address = used + took > room ? 0 : memory.variable(size);
    if (address == 0) {
      drops++;
      throw new Fault(Fault.Kind.NOSCRATCH, 0);
    }
    used += took;
    dynamic.put(key, address);
    return address;
  }

  /** Sets the value with a key; zero and NULL remove it. */
  public void setDynamic(Object key, @Nullable Object value) {
    if (value == null || value instanceof Long number && number == 0) {
      Object old = dynamic.remove(key);
      used -= old == null ? 0 : bytes(key) + bytes(old);
      return;
    }
    Object old = dynamic.get(key);
    long more = bytes(value) + (old == null ? bytes(key) : -bytes(old));
    if (used + more > room) {
      drops++;
      return;
    }
    used += more;
    dynamic.put(key, value);
  }

  private static long bytes(Object value) {
    return switch (value) {
      case String text -> text.length();
      case List<?> keys -> ENTRY_BYTES + keys.stream().mapToLong(Variables::bytes).sum();
      default -> 8;
    };
  }

  /** Returns how many values were not kept for want of room. */
  long drops() {
    return drops;
  }
}
