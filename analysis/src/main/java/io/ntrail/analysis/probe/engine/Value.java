package io.ntrail.analysis.probe.engine;

import io.ntrail.analysis.probe.types.Type;
import io.ntrail.analysis.probe.types.Types;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Expression that can be evaluated.
 *
 * @param number of numbers and addresses; of structs and arrays the address, of strings 0 for NULL
 * @param text of strings
 * @param object of stacks and places in code: what is recorded
 * @param constant the number, if it is always the same
 */
public record Value(
    Type type, Numeric number, Textual text, Objective object, OptionalLong constant) {
  /** Evaluates to a number. */
  @FunctionalInterface
  public interface Numeric {
    /** Evaluates. */
    long get(Run run);
  }

  /** Evaluates to a string; null: NULL. */
  @FunctionalInterface
  public interface Textual {
    /** Evaluates. */
    @Nullable String get(Run run);

    /** Evaluates where characters are needed; NULL is an address that cannot be read. */
    default String string(Run run) {
      String value = get(run);
      if (value == null) {
        throw new Fault(Fault.Kind.BADADDR, 0);
      }
      return value;
    }
  }

  /** Evaluates to what is recorded of code. */
  @FunctionalInterface
  public interface Objective {
    /** Evaluates. */
    Object get(Run run);
  }

  /** A number. */
  public static Value number(Type type, Numeric number) {
    return new Value(type, number, Value::noText, number::get, OptionalLong.empty());
  }

  /** A constant. */
  public static Value constant(Type type, long value) {
    Numeric number = _ -> value;
    return new Value(type, number, Value::noText, number::get, OptionalLong.of(value));
  }

  /** A string. */
  public static Value text(Textual text) {
    Objective object =
        run -> {
          String value = text.get(run);
          return value == null ? "" : value;
        };
    return new Value(
        Types.TEXT, run -> text.get(run) == null ? 0 : 1, text, object, OptionalLong.empty());
  }

  /** A string that is one of others, chosen when it is evaluated. */
  public static Value chosen(Choice choice) {
    return text(
        new Textual() {
          @Override
          public @Nullable String get(Run run) {
            return choice.of(run).get(run);
          }

          @Override
          public String string(Run run) {
            return choice.of(run).string(run);
          }
        });
  }

  /** Chooses a string. */
  @FunctionalInterface
  public interface Choice {
    /** Chooses. */
    Textual of(Run run);
  }

  /** A place in code, or a stack, as it is recorded. */
  public static Value code(String name, Objective object) {
    return new Value(new Type.Code(name), _ -> 0, Value::noText, object, OptionalLong.empty());
  }

  private static String noText(Run run) {
    throw new IllegalStateException("not a string");
  }

  /** Returns true for a string. */
  public boolean isText() {
    return type instanceof Type.Text;
  }

  /** Returns true if it is not zero, or not NULL. */
  boolean isTrue(Run run) {
    return number.get(run) != 0;
  }

  /** Returns the characters of a string; NULL is an address that cannot be read. */
  public String string(Run run) {
    return text.string(run);
  }

  /** Returns it with another type. */
  public Value as(Type other) {
    return new Value(other, number, text, object, constant);
  }
}
