package io.ntrail.analysis.probe.compile;

import io.ntrail.analysis.probe.engine.Fault;
import io.ntrail.analysis.probe.engine.Run;
import io.ntrail.analysis.probe.engine.Value;
import io.ntrail.analysis.probe.engine.Value.Numeric;
import io.ntrail.analysis.probe.syntax.CompileError;
import io.ntrail.analysis.probe.syntax.Place;
import io.ntrail.analysis.probe.types.Type;
import io.ntrail.analysis.probe.types.Types;

/**
 * Operators between numbers and strings. Results keep 64 bits: they are cut where they are stored,
 * converted or recorded.
 */
final class Operators {
  private Operators() {}

  static Value binary(String operator, Value left, Value right, Place place) {
    return switch (operator) {
      case "&&" -> Value.number(Types.INT, run -> isTrue(left, run) && isTrue(right, run) ? 1 : 0);
      case "||" -> Value.number(Types.INT, run -> isTrue(left, run) || isTrue(right, run) ? 1 : 0);
      case "^^" -> Value.number(Types.INT, run -> isTrue(left, run) != isTrue(right, run) ? 1 : 0);
      case "==", "!=", "<", "<=", ">", ">=" -> comparison(operator, left, right, place);
      default -> arithmetic(operator, left, right, place);
    };
  }

  static boolean isTrue(Value value, Run run) {
    return value.number().get(run) != 0;
  }

  private static Value comparison(String operator, Value left, Value right, Place place) {
    if (left.isText() && right.isText()) {
      return Value.number(
          Types.INT, run -> holds(operator, left.string(run).compareTo(right.string(run))) ? 1 : 0);
    }
    boolean isNull = left.isText() || right.isText();
    if (isNull && !(left.type().isNumber() || right.type().isNumber())
        || !isNull && !(left.type().isNumber() && right.type().isNumber())) {
      throw mismatch(operator, left, right, place);
    }
    Numeric one = left.number();
    Numeric other = right.number();
    boolean isUnsigned =
        !isNull
            && (!Types.common(left.type(), right.type()).isSigned()
                || left.type() instanceof Type.Pointer
                || right.type() instanceof Type.Pointer);
    return Value.number(
        Types.INT,
        switch (operator) {
          case "==" -> run -> one.get(run) == other.get(run) ? 1 : 0;
          case "!=" -> run -> one.get(run) != other.get(run) ? 1 : 0;
          default ->
              isUnsigned
                  ? run ->
                      holds(operator, Long.compareUnsigned(one.get(run), other.get(run))) ? 1 : 0
                  : run -> holds(operator, Long.compare(one.get(run), other.get(run))) ? 1 : 0;
        });
  }

  private static boolean holds(String operator, int order) {
    return switch (operator) {
      case "==" -> order == 0;
      case "!=" -> order != 0;
      case "<" -> order < 0;
      case "<=" -> order <= 0;
      case ">" -> order > 0;
      default -> order >= 0;
    };
  }

  static CompileError mismatch(String operator, Value left, Value right, Place place) {
    return new CompileError(
        "D_OP_INCOMPAT",
        place,
        "%s %s %s makes no sense".formatted(left.type().text(), operator, right.type().text()));
  }

  private static Value arithmetic(String operator, Value left, Value right, Place place) {
    Type leftType = left.type();
    Type rightType = right.type();
    if (!leftType.isNumber() || !rightType.isNumber()) {
      throw mismatch(operator, left, right, place);
    }
    Numeric one = left.number();
    Numeric other = right.number();
    if (leftType instanceof Type.Pointer pointer
        && (operator.equals("+") || operator.equals("-"))) {
      long size = Math.max(1, pointer.to().size());
      if (rightType instanceof Type.Pointer) {
        return Value.number(Types.INT64, run -> (one.get(run) - other.get(run)) / size);
      }
      return Value.number(
          leftType,
          operator.equals("+")
              ? run -> one.get(run) + other.get(run) * size
              : run -> one.get(run) - other.get(run) * size);
    }
    if (rightType instanceof Type.Pointer && operator.equals("+")) {
      return arithmetic(operator, right, left, place);
    }
    boolean isShift = operator.equals("<<") || operator.equals(">>");
    Type.Integral type = isShift ? Types.integral(leftType) : Types.common(leftType, rightType);
    return Value.number(type, operation(operator, one, other, type.isSigned()));
  }

  private static Numeric operation(String operator, Numeric one, Numeric other, boolean isSigned) {
    return switch (operator) {
      case "+" -> run -> one.get(run) + other.get(run);
      case "-" -> run -> one.get(run) - other.get(run);
      case "*" -> run -> one.get(run) * other.get(run);
      case "/" ->
          run -> {
            long dividend = one.get(run);
            long divisor = divisor(other.get(run));
            return isSigned ? dividend / divisor : Long.divideUnsigned(dividend, divisor);
          };
      case "%" ->
          run -> {
            long dividend = one.get(run);
            long divisor = divisor(other.get(run));
            return isSigned ? dividend % divisor : Long.remainderUnsigned(dividend, divisor);
          };
      case "&" -> run -> one.get(run) & other.get(run);
      case "|" -> run -> one.get(run) | other.get(run);
      case "^" -> run -> one.get(run) ^ other.get(run);
      case "<<" -> run -> one.get(run) << other.get(run);
      case ">>" ->
          isSigned ? run -> one.get(run) >> other.get(run) : run -> one.get(run) >>> other.get(run);
      default -> throw new IllegalArgumentException(operator);
    };
  }

  private static long divisor(long value) {
    if (value == 0) {
      throw new Fault(Fault.Kind.DIVZERO, 0);
    }
    return value;
  }
}
