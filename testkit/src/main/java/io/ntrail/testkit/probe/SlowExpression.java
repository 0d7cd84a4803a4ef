package io.ntrail.testkit.probe;

import java.util.List;
import java.util.stream.Collectors;

/** Expression of a random program, with its type and its text. */
sealed interface SlowExpression {
  SlowType type();

  /** Returns the text; it needs no more parentheses than the grammar does. */
  String text();

  /** Returns how much it binds: 0 a comma, 15 what needs no parentheses. */
  default int binding() {
    return 15;
  }

  /** Returns true if a compiler may know the value. */
  default boolean isConstant() {
    return false;
  }

  static String in(SlowExpression inner, int least) {
    return inner.binding() < least ? "(" + inner.text() + ")" : inner.text();
  }

  /** Constant number, not negative. */
  record Number(long value, SlowType type) implements SlowExpression {
    @Override
    public String text() {
      return Long.toUnsignedString(value)
          + switch (type) {
            case UINT -> "u";
            case LLONG -> "LL";
            case ULLONG -> "ULL";
            default -> "";
          };
    }

    @Override
    public boolean isConstant() {
      return true;
    }
  }

  /** Constant string of letters. */
  record Text(String value) implements SlowExpression {
    @Override
    public SlowType type() {
      return SlowType.STRING;
    }

    @Override
    public String text() {
      return '"' + value + '"';
    }
  }

  /**
   * Variable, or an element of one.
   *
   * @param name with {@code self->} or {@code this->}
   */
  record Variable(String name, List<SlowExpression> keys, SlowType type) implements SlowExpression {
    @Override
    public String text() {
      return keys.isEmpty()
          ? name
          : name + keys.stream().map(key -> in(key, 1)).collect(Collectors.joining(", ", "[", "]"));
    }
  }

  /** Value of the event: {@code arg0}. */
  record Builtin(String text, SlowType type) implements SlowExpression {}

  /** Operator before a number. */
  record Unary(String operator, SlowExpression operand) implements SlowExpression {
    @Override
    public SlowType type() {
      return operator.equals("!") ? SlowType.INT : operand.type();
    }

    @Override
    public String text() {
      // A blank keeps two signs from being one operator.
      return operator + " " + in(operand, 14);
    }

    @Override
    public int binding() {
      return 14;
    }

    @Override
    public boolean isConstant() {
      return operand.isConstant();
    }
  }

  /** Operator between two numbers, or comparison of two strings. */
  record Binary(String operator, SlowExpression left, SlowExpression right)
      implements SlowExpression {
    @Override
    public SlowType type() {
      return switch (operator) {
        case "==", "!=", "<", "<=", ">", ">=", "&&", "||", "^^" -> SlowType.INT;
        case "<<", ">>" -> left.type();
        default -> SlowType.common(left.type(), right.type());
      };
    }

    @Override
    public String text() {
      return in(left, binding()) + " " + operator + " " + in(right, binding() + 1);
    }

    @Override
    public int binding() {
      return switch (operator) {
        case "||" -> 3;
        case "^^" -> 4;
        case "&&" -> 5;
        case "|" -> 6;
        case "^" -> 7;
        case "&" -> 8;
        case "==", "!=" -> 9;
        case "<", "<=", ">", ">=" -> 10;
        case "<<", ">>" -> 11;
        case "+", "-" -> 12;
        default -> 13;
      };
    }

    @Override
    public boolean isConstant() {
      return left.isConstant() && right.isConstant();
    }
  }

  /** Two expressions, the value of the second one. */
  record Sequence(SlowExpression first, SlowExpression second) implements SlowExpression {
    @Override
    public SlowType type() {
      return second.type();
    }

    @Override
    public String text() {
      return in(first, 0) + ", " + in(second, 1);
    }

    @Override
    public int binding() {
      return 0;
    }
  }

  /** Choice of one of two. */
  record Choice(SlowExpression condition, SlowExpression then, SlowExpression otherwise)
      implements SlowExpression {
    @Override
    public SlowType type() {
      return then.type() == SlowType.STRING
          ? SlowType.STRING
          : SlowType.common(then.type(), otherwise.type());
    }

    @Override
    public String text() {
      return in(condition, 3) + " ? " + in(then, 0) + " : " + in(otherwise, 1);
    }

    @Override
    public int binding() {
      return 2;
    }
  }

  /** Conversion of a number. */
  record Cast(SlowType type, SlowExpression operand) implements SlowExpression {
    @Override
    public String text() {
      return "(" + type.text() + ")" + in(operand, 14);
    }

    @Override
    public int binding() {
      return 14;
    }

    @Override
    public boolean isConstant() {
      return operand.isConstant();
    }
  }

  /** Assignment; the operator is that before the equals sign. */
  record Assignment(Variable target, String operator, SlowExpression value)
      implements SlowExpression {
    @Override
    public SlowType type() {
      return target.type();
    }

    @Override
    public String text() {
      return target.text() + " " + operator + "= " + in(value, 1);
    }

    @Override
    public int binding() {
      return 1;
    }
  }

  /** One more or one less. */
  record Step(Variable target, boolean isBefore, boolean isMore) implements SlowExpression {
    @Override
    public SlowType type() {
      return target.type();
    }

    @Override
    public String text() {
      String operator = isMore ? "++" : "--";
      return isBefore ? operator + target.text() : target.text() + operator;
    }

    @Override
    public int binding() {
      return isBefore ? 14 : 15;
    }
  }

  /** Call of a function of strings. */
  record Call(String function, List<SlowExpression> arguments, SlowType type)
      implements SlowExpression {
    @Override
    public String text() {
      return function
          + arguments.stream().map(one -> in(one, 1)).collect(Collectors.joining(", ", "(", ")"));
    }
  }
}
