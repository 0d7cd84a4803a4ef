package io.ntrail.testkit.probe;

import java.util.List;
import java.util.stream.Collectors;

/** Statement of a random program. */
sealed interface SlowStatement {
  /** Returns the text with its end. */
  String text();

  /** Expression for its effect. */
  record Effect(SlowExpression expression) implements SlowStatement {
    @Override
    public String text() {
      return expression.text() + ";";
    }
  }

  /** Choice of statements. */
  record If(SlowExpression condition, List<SlowStatement> then, List<SlowStatement> otherwise)
      implements SlowStatement {
    @Override
    public String text() {
      String text = "if (" + condition.text() + ") { " + all(then) + " }";
      return otherwise.isEmpty() ? text : text + " else { " + all(otherwise) + " }";
    }

    private static String all(List<SlowStatement> statements) {
      return statements.stream().map(SlowStatement::text).collect(Collectors.joining(" "));
    }
  }

  /** One value, printed by a conversion and a line break. */
  record Print(SlowConversion conversion, SlowExpression value) implements SlowStatement {
    @Override
    public String text() {
      return "printf(\"%s\\n\", %s);".formatted(conversion.format(), SlowExpression.in(value, 1));
    }
  }

  /** Value that is added to an aggregation; the keys have the types of the aggregation. */
  record Add(SlowAggregation to, List<SlowExpression> keys, List<SlowExpression> values)
      implements SlowStatement {
    @Override
    public String text() {
      String at =
          keys.isEmpty()
              ? ""
              : keys.stream().map(SlowExpression::text).collect(Collectors.joining(", ", "[", "]"));
      List<String> arguments = values.stream().map(one -> SlowExpression.in(one, 1)).toList();
      String value = arguments.isEmpty() ? "" : arguments.getFirst();
      String weight = arguments.size() < 2 ? "" : arguments.get(1);
      return "@" + to.name() + at + " = " + to.call(value, weight) + ";";
    }
  }

  /** Something that is done to an aggregation when it is printed: {@code clear}. */
  record Change(SlowAggregation of, String action, int by) implements SlowStatement {
    @Override
    public String text() {
      return switch (action) {
        case "trunc", "normalize" -> "%s(@%s, %d);".formatted(action, of.name(), by);
        case "printa" -> "printa(\"%s\", @%s);".formatted(of.format(), of.name());
        default -> "%s(@%s);".formatted(action, of.name());
      };
    }
  }
}
