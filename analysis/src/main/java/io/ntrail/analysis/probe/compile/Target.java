package io.ntrail.analysis.probe.compile;

import io.ntrail.analysis.probe.engine.Run;
import io.ntrail.analysis.probe.engine.Value;
import io.ntrail.analysis.probe.types.Type;
import org.jspecify.annotations.Nullable;

/**
 * Place that values can be assigned to.
 *
 * @param load its value
 */
record Target(Type type, Value load, Store store, TextStore textStore) {
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

  private static void refuse(Run run, @Nullable String value) {
    throw new IllegalStateException("not a string");
  }

  private static void refuse(Run run, long value) {
    throw new IllegalStateException("not a number");
  }

  static Target number(Value load, Store store) {
    return new Target(load.type(), load, store, Target::refuse);
  }

  static Target text(Value load, TextStore store) {
    return new Target(load.type(), load, Target::refuse, store);
  }

  /** Returns a number as it is stored. */
  long cut(long value) {
    return type instanceof Type.Integral integral ? integral.cut(value) : value;
  }
}
