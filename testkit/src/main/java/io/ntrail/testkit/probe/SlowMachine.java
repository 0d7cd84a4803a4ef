package io.ntrail.testkit.probe;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Walks the tree of a random program for each event. */
final class SlowMachine {
  private static final BigInteger ONE = BigInteger.ONE;
  private static final BigInteger ZERO = BigInteger.ZERO;

  private final SlowProgram program;
  private final Map<List<Object>, Object> variables = new HashMap<>();
  private final Map<String, SlowAggregation.Rows> aggregations = new HashMap<>();
  private final StringBuilder out = new StringBuilder();
  private final List<Runnable> pending = new ArrayList<>();
  private List<Runnable> recorded = new ArrayList<>();
  private @Nullable SlowEvent event;

  /** Division by zero: the clause is over, and what it recorded is gone. */
  private static final class Faulted extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  SlowMachine(SlowProgram program) {
    this.program = program;
    program.aggregations().forEach(one -> aggregations.put(one.name(), new SlowAggregation.Rows()));
  }

  String output(List<SlowEvent> events) {
    fire("BEGIN", SlowProgram.NO_EVENT);
    events.forEach(one -> fire("event", one));
    fire("END", SlowProgram.NO_EVENT);
    out.append('\n');
    for (SlowAggregation one : program.aggregations()) {
      if (!rows(one).isPrinted()) {
        out.append(one.table(rows(one)));
      }
    }
    return out.toString();
  }

  private SlowAggregation.Rows rows(SlowAggregation of) {
    return aggregations.getOrDefault(of.name(), new SlowAggregation.Rows());
  }

  private void fire(String probe, SlowEvent next) {
    event = next;
    variables.keySet().removeIf(key -> key.getFirst().toString().startsWith("this->"));
    for (SlowProgram.Clause clause : program.clauses()) {
      if (clause.probe().equals(probe)) {
        recorded = new ArrayList<>();
        try {
          if (clause.predicate().isEmpty() || isTrue(clause.predicate().get())) {
            clause.statements().forEach(this::run);
          }
          pending.addAll(recorded);
        } catch (Faulted e) {
          // The next clause goes on.
        }
      }
    }
    pending.forEach(Runnable::run);
    pending.clear();
  }

  private void run(SlowStatement statement) {
    switch (statement) {
      case SlowStatement.Effect effect -> value(effect.expression());
      case SlowStatement.If choice ->
          (isTrue(choice.condition()) ? choice.then() : choice.otherwise()).forEach(this::run);
      case SlowStatement.Print print -> print(print);
      case SlowStatement.Add add -> {
        List<Object> keys = new ArrayList<>();
        add.keys().forEach(key -> keys.add(kept(key.type(), value(key))));
        List<BigInteger> numbers = new ArrayList<>();
        add.values().forEach(one -> numbers.add(SlowType.wide(number(one), true)));
        BigInteger number = numbers.isEmpty() ? ONE : numbers.getFirst();
        rows(add.to()).add(keys, number, numbers.size() < 2 ? 1 : numbers.get(1).longValue());
      }
      case SlowStatement.Change change -> {
        SlowAggregation of = change.of();
        recorded.add(() -> out.append(of.changed(rows(of), change.action(), change.by())));
      }
    }
  }

  private void print(SlowStatement.Print print) {
    Object value = kept(print.value().type(), value(print.value()));
    String text =
        value instanceof BigInteger number
            ? print.conversion().text(number, print.value().type())
            : print.conversion().text(value.toString());
    recorded.add(() -> out.append(text).append('\n'));
  }

  private static Object kept(SlowType type, Object value) {
    return value instanceof BigInteger number ? type.cut(number) : cut(value.toString());
  }

  private static String cut(String text) {
    return text.substring(0, Math.min(text.length(), SlowProgram.STRING_SIZE - 1));
  }

  private boolean isTrue(SlowExpression expression) {
    return SlowType.wide(number(expression), true).signum() != 0;
  }

  private BigInteger number(SlowExpression expression) {
    return (BigInteger) value(expression);
  }

  private String string(SlowExpression expression) {
    return (String) value(expression);
  }

  /** Returns the value: a number of 64 bits, with sign, or a string. */
  private Object value(SlowExpression expression) {
    return switch (expression) {
      case SlowExpression.Number number -> BigInteger.valueOf(number.value());
      case SlowExpression.Text text -> text.value();
      case SlowExpression.Variable variable -> load(variable, place(variable));
      case SlowExpression.Builtin builtin -> builtin(builtin.text());
      case SlowExpression.Unary unary -> SlowType.wide(unary(unary), true);
      case SlowExpression.Binary binary -> binary(binary);
      case SlowExpression.Sequence sequence -> {
        value(sequence.first());
        yield value(sequence.second());
      }
      case SlowExpression.Choice choice ->
          value(isTrue(choice.condition()) ? choice.then() : choice.otherwise());
      case SlowExpression.Cast cast -> SlowType.wide(cast.type().cut(number(cast.operand())), true);
      case SlowExpression.Assignment assignment -> assigned(assignment);
      case SlowExpression.Step step -> {
        List<Object> place = place(step.target());
        BigInteger before = (BigInteger) load(step.target(), place);
        BigInteger after = before.add(step.isMore() ? ONE : ONE.negate());
        Object stored = store(step.target(), place, after);
        yield step.isBefore() ? stored : before;
      }
      case SlowExpression.Call call -> call(call);
    };
  }

  private Object builtin(String name) {
    SlowEvent current = event;
    if (current == null) {
      throw new IllegalStateException("no event");
    }
    return switch (name) {
      case "arg0" -> BigInteger.valueOf(current.first());
      case "arg1" -> BigInteger.valueOf(current.second());
      case "pid" -> BigInteger.valueOf(current.process());
      case "tid" -> BigInteger.valueOf(current.thread());
      default -> current.name();
    };
  }

  private List<Object> place(SlowExpression.Variable variable) {
    List<Object> place = new ArrayList<>();
    place.add(variable.name());
    if (variable.name().startsWith("self->")) {
      place.add(builtin("tid"));
    }
    variable.keys().forEach(key -> place.add(value(key)));
    return place;
  }

  private Object load(SlowExpression.Variable variable, List<Object> place) {
    Object none = variable.type() == SlowType.STRING ? "" : ZERO;
    return variables.getOrDefault(place, none);
  }

  private Object store(SlowExpression.Variable variable, List<Object> place, Object value) {
    Object kept =
        value instanceof BigInteger number
            ? SlowType.wide(variable.type().cut(number), true)
            : cut((String) value);
    variables.put(place, kept);
    return kept;
  }

  private Object assigned(SlowExpression.Assignment assignment) {
    SlowExpression.Variable target = assignment.target();
    if (assignment.operator().isEmpty()) {
      Object value = value(assignment.value());
      return store(target, place(target), value);
    }
    List<Object> place = place(target);
    BigInteger before = (BigInteger) load(target, place);
    BigInteger result =
        result(
            assignment.operator(),
            before,
            number(assignment.value()),
            target.type(),
            assignment.value().type());
    return store(target, place, result);
  }

  private BigInteger unary(SlowExpression.Unary unary) {
    BigInteger value = number(unary.operand());
    return switch (unary.operator()) {
      case "-" -> value.negate();
      case "~" -> value.not();
      case "!" -> value.signum() == 0 ? ONE : ZERO;
      default -> value;
    };
  }

  private BigInteger binary(SlowExpression.Binary binary) {
    SlowExpression left = binary.left();
    SlowExpression right = binary.right();
    return switch (binary.operator()) {
      case "&&" -> truth(isTrue(left) && isTrue(right));
      case "||" -> truth(isTrue(left) || isTrue(right));
      case "^^" -> truth(isTrue(left) ^ isTrue(right));
      default -> compared(binary.operator(), left, right);
    };
  }

  private static BigInteger truth(boolean is) {
    return is ? ONE : ZERO;
  }

  private BigInteger compared(String operator, SlowExpression left, SlowExpression right) {
    if (left.type() == SlowType.STRING) {
      String one = string(left);
      return holds(operator, one.compareTo(string(right)));
    }
    BigInteger one = number(left);
    return result(operator, one, number(right), left.type(), right.type());
  }

  private static BigInteger holds(String operator, int order) {
    boolean holds =
        switch (operator) {
          case "==" -> order == 0;
          case "!=" -> order != 0;
          case "<" -> order < 0;
          case "<=" -> order <= 0;
          case ">" -> order > 0;
          default -> order >= 0;
        };
    return holds ? ONE : ZERO;
  }

  private static BigInteger result(
      String operator, BigInteger left, BigInteger right, SlowType leftType, SlowType rightType) {
    boolean isSigned = SlowType.common(leftType, rightType).isSigned();
    BigInteger one = SlowType.wide(left, isSigned);
    BigInteger other = SlowType.wide(right, isSigned);
    BigInteger result =
        switch (operator) {
          case "+" -> one.add(other);
          case "-" -> one.subtract(other);
          case "*" -> one.multiply(other);
          case "/" -> one.divide(divisor(other));
          case "%" -> one.remainder(divisor(other));
          case "&" -> one.and(other);
          case "|" -> one.or(other);
          case "^" -> one.xor(other);
          case "<<" -> left.shiftLeft(other.intValue() & 63);
          case ">>" -> SlowType.wide(left, leftType.isSigned()).shiftRight(other.intValue() & 63);
          default -> holds(operator, one.compareTo(other));
        };
    return SlowType.wide(result, true);
  }

  private static BigInteger divisor(BigInteger value) {
    if (value.signum() == 0) {
      throw new Faulted();
    }
    return value;
  }

  private Object call(SlowExpression.Call call) {
    List<Object> values = new ArrayList<>();
    call.arguments().forEach(one -> values.add(value(one)));
    String text = values.getFirst() instanceof String first ? first : "";
    return switch (call.function()) {
      case "strlen" -> BigInteger.valueOf(text.length());
      case "strjoin" -> cut(text + values.get(1));
      case "toupper" -> text.toUpperCase(Locale.ROOT);
      case "tolower" -> text.toLowerCase(Locale.ROOT);
      case "lltostr" -> values.getFirst().toString();
      case "index" -> BigInteger.valueOf(text.indexOf((String) values.get(1)));
      case "rindex" -> BigInteger.valueOf(text.lastIndexOf((String) values.get(1)));
      case "substr" ->
          part(
              text,
              (BigInteger) values.get(1),
              values.size() > 2 ? (BigInteger) values.get(2) : null);
      default -> throw new IllegalStateException(call.function());
    };
  }

  private static String part(String text, BigInteger from, @Nullable BigInteger length) {
    BigInteger size = BigInteger.valueOf(text.length());
    BigInteger begin = from.signum() < 0 ? from.add(size) : from;
    BigInteger end =
        length == null ? size : length.signum() < 0 ? size.add(length) : begin.add(length);
    if (begin.signum() < 0 && length != null && length.signum() < 0) {
      return "";
    }
    int first = begin.max(ZERO).min(size).intValue();
    int last = end.max(ZERO).min(size).intValue();
    return first >= last ? "" : text.substring(first, last);
  }
}
