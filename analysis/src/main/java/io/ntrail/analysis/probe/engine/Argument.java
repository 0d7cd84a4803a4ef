package io.ntrail.analysis.probe.engine;

import io.ntrail.analysis.probe.types.Type;
import io.ntrail.analysis.probe.types.Types;
import java.util.List;

/**
 * Value that was recorded.
 *
 * @param value a {@link Long}, a string with a character for each byte, or frames of a stack
 */
record Argument(Type type, Object value) {
  /** Evaluates. */
  static Argument of(Value value, Run run) {
    if (value.type() instanceof Type.Array array && array.of().size() == 1) {
      return new Argument(Types.TEXT, run.memory().text(value.number().get(run), array.length()));
    }
    Object its =
        value.isText()
            ? value.string(run)
            : value.type() instanceof Type.Code ? value.object().get(run) : number(value, run);
    return new Argument(value.type(), its);
  }

  /** Returns the place in code that a number stands for. */
  Argument asCode(Run run) {
    return value instanceof Long address
        ? new Argument(new Type.Code("uaddr"), run.event().code(address).text(address))
        : this;
  }

  private static Long number(Value value, Run run) {
    long number = value.number().get(run);
    return value.type() instanceof Type.Integral integral ? integral.cut(number) : number;
  }

  /** Returns the bytes that it takes in a speculation. */
  int size() {
    return switch (value) {
      case String text -> 16 + text.length();
      case List<?> frames -> 16 + 8 * frames.size();
      default -> 8;
    };
  }

  /** Returns a number; of what is none 0. */
  long number() {
    return value instanceof Long number ? number : 0;
  }

  /** Returns the number without sign, in as many bits as its type has. */
  long unsigned() {
    int size = type.size();
    return size >= 8 || size <= 0 ? number() : number() & (1L << 8 * size) - 1;
  }
}
