package io.ntrail.analysis.probe.compile;

import io.ntrail.analysis.probe.engine.Run;
import io.ntrail.analysis.probe.engine.Value;
import io.ntrail.analysis.probe.types.Type;
import org.jspecify.annotations.Nullable;

/**
 * Place that values can be assigned to.
 *
 * @param load its value
 * @param cell of a number that is found by keys or at an address; null: it is a variable
 */
record Target(Type type, Value load, Store store, TextStore textStore, @Nullable Cell cell) {
  /** Stores a number; of structs the address of the bytes that are copied. */
  @FunctionalInterface
  interface Store {
    /** Stores. */
    void set(Run run, long value);
  }

  /** Stores a string. */
  @FunctionalInterface
  interface TextStore {
    /** Stores. */
    void set(Run run, @Nullable String value);
  }

  /** Number that is found by keys or at an address, which are evaluated once for each use. */
  interface Cell {
    /** Evaluates the keys or the address. */
    Object locate(Run run);

    /** Returns the number there. */
    long get(Run run, Object at);

    /** Sets the number there. */
    void set(Run run, Object at, long value);
  }

  private static void refuse(Run run, @Nullable String value) {
    throw new IllegalStateException("not a string");
  }

  private static void refuse(Run run, long value) {
    throw new IllegalStateException("not a number");
  }

  static Target number(Value load, Store store) {
    return new Target(load.type(), load, store, Target::refuse, null);
  }

  static Target cell(Type type, Cell cell) {
    return new Target(
        type,
        Value.number(type, run -> cell.get(run, cell.locate(run))),
        (run, value) -> cell.set(run, cell.locate(run), value),
        Target::refuse,
        cell);
  }

  static Target text(Value load, TextStore store) {
    return new Target(load.type(), load, Target::refuse, store, null);
  }

  /** Returns a number as it is stored. */
  long cut(long value) {
    return type instanceof Type.Integral integral ? integral.cut(value) : value;
  }

  /** Returns what changes the number, and has the new one as its value. */
  Value changed(Change change) {
    Cell in = cell;
    Held held = new Held();
    if (in == null) {
      Value.Numeric result = change.of(load).number();
      return Value.number(
          type,
          run -> {
            long stored = cut(result.get(run));
            store.set(run, stored);
            return stored;
          });
    }
    Value.Numeric result = change.of(Value.number(type, _ -> held.value)).number();
    return Value.number(
        type,
        run -> {
          Object at = in.locate(run);
          held.value = in.get(run, at);
          long stored = cut(result.get(run));
          in.set(run, at, stored);
          return stored;
        });
  }

  /** Returns what adds to the number, and has the old one as its value. */
  Value stepped(long by) {
    Cell in = cell;
    return Value.number(
        type,
        run -> {
          Object at = in == null ? "" : in.locate(run);
          long before = in == null ? load.number().get(run) : in.get(run, at);
          long after = cut(before + by);
          if (in == null) {
            store.set(run, after);
          } else {
            in.set(run, at, after);
          }
          return before;
        });
  }

  /** Makes the value after a change out of that before it. */
  @FunctionalInterface
  interface Change {
    /** Returns the value after the change. */
    Value of(Value before);
  }

  /** Number before a change. */
  private static final class Held {
    private long value;
  }
}
