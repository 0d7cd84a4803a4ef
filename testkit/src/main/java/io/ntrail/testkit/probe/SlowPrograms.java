package io.ntrail.testkit.probe;

import io.ntrail.testkit.Property.Gen;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Draws random programs and the events that they run over. */
public final class SlowPrograms {
  private static final List<SlowType> NUMBERS =
      List.of(
          SlowType.INT,
          SlowType.LLONG,
          SlowType.UINT,
          SlowType.ULLONG,
          SlowType.CHAR,
          SlowType.UCHAR,
          SlowType.SHORT,
          SlowType.USHORT,
          SlowType.LONG);

  private static final String[] WORDS = {"", "a", "Ab", "abc", "bca", "XYZ", "longer than others"};

  private final Gen gen;
  private final boolean hasStrings;
  private final Map<String, SlowExpression.Variable> variables = new LinkedHashMap<>();
  private final List<String> declarations = new ArrayList<>();
  private final Map<String, SlowAggregation> aggregations = new LinkedHashMap<>();
  private final List<SlowAggregation> used = new ArrayList<>();
  private final Map<String, List<SlowType>> keys = new LinkedHashMap<>();

  private SlowPrograms(Gen gen, boolean hasStrings) {
    this.gen = gen;
    this.hasStrings = hasStrings;
  }

  /**
   * Draws a program.
   *
   * @param hasStrings with strings and associative arrays
   */
  public static SlowProgram draw(Gen gen, boolean hasStrings) {
    SlowPrograms drawn = new SlowPrograms(gen, hasStrings);
    drawn.declare();
    List<SlowProgram.Clause> clauses = new ArrayList<>();
    int count = 1 + gen.length(5);
    for (int i = 0; i < count; i++) {
      String probe = gen.oneOf("event", "event", "event", "BEGIN", "END");
      Optional<SlowExpression> predicate =
          gen.below(3) == 0 ? Optional.of(drawn.number(2)) : Optional.empty();
      List<SlowStatement> statements = drawn.statements(1 + gen.length(6), 2);
      clauses.add(new SlowProgram.Clause(probe, predicate, statements));
    }
    return new SlowProgram(drawn.declarations, clauses, drawn.used);
  }

  /** Draws events. */
  public static List<SlowEvent> events(Gen gen) {
    return gen.list(
        20,
        one ->
            new SlowEvent(
                one.flag() ? one.below(20) - 10 : one.scaled(),
                one.below(5),
                100 + one.below(3),
                1 + one.below(3),
                one.oneOf("app.exe", "svc.exe", "x")));
  }

  private void declare() {
    for (int i = 0; i < 5; i++) {
      SlowType type = gen.oneOf(NUMBERS.toArray(SlowType[]::new));
      variable(gen.oneOf("", "", "self->", "this->"), "v" + i, type, List.of());
    }
    if (hasStrings) {
      variable("", "s0", SlowType.STRING, List.of());
      variable("self->", "s1", SlowType.STRING, List.of());
      variable("", "a0", SlowType.INT, List.of(SlowType.LLONG));
      variable("", "a1", SlowType.LLONG, List.of(SlowType.STRING, SlowType.INT));
      variable("self->", "a2", SlowType.SHORT, List.of(SlowType.INT));
      variable("", "a3", SlowType.STRING, List.of(SlowType.INT));
    }
    for (int i = 0; i < 4; i++) {
      String function =
          gen.oneOf("count", "sum", "min", "max", "avg", "stddev", "quantize", "lquantize");
      List<SlowType> keyTypes = new ArrayList<>();
      for (int k = gen.below(3); k > 0; k--) {
        keyTypes.add(
            hasStrings && gen.flag()
                ? SlowType.STRING
                : gen.oneOf(NUMBERS.toArray(SlowType[]::new)));
      }
      int base = gen.oneOf(0, -10, 3);
      List<Integer> range =
          function.equals("lquantize")
              ? List.of(base, base + gen.oneOf(20, 7), gen.oneOf(1, 5, 3))
              : List.of();
      aggregations.put("x" + i, new SlowAggregation("x" + i, function, keyTypes, range));
    }
  }

  private void variable(String scope, String name, SlowType type, List<SlowType> keyTypes) {
    variables.put(name, new SlowExpression.Variable(scope + name, List.of(), type));
    keys.put(name, keyTypes);
    String at =
        keyTypes.isEmpty()
            ? ""
            : "[" + String.join(", ", keyTypes.stream().map(SlowType::text).toList()) + "]";
    String owner = scope.isEmpty() ? "" : scope.substring(0, scope.length() - 2) + " ";
    declarations.add(owner + type.text() + " " + name + at + ";");
  }

  private List<SlowStatement> statements(int count, int depth) {
    List<SlowStatement> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(statement(depth));
    }
    return all;
  }

  private SlowStatement statement(int depth) {
    return switch (gen.below(depth > 0 ? 6 : 5)) {
      case 0 -> print();
      case 1 -> new SlowStatement.Effect(change(3));
      case 2 -> add();
      case 3 -> hasStrings ? new SlowStatement.Effect(keep()) : print();
      case 4 -> used.isEmpty() ? print() : aside();
      default ->
          new SlowStatement.If(
              number(2),
              statements(1 + gen.below(2), depth - 1),
              statements(gen.below(2), depth - 1));
    };
  }

  private SlowStatement print() {
    return hasStrings && gen.flag()
        ? new SlowStatement.Print(conversion('s'), string(3))
        : new SlowStatement.Print(conversion(gen.oneOf('d', 'x', 'u', 'o', 'i', 'X')), number(4));
  }

  private SlowConversion conversion(char letter) {
    boolean isPlain = gen.below(3) > 0;
    String flags = isPlain ? "" : gen.oneOf("", "-", "0", "+", " ", "#", "-+", "0#", "-#", "+0");
    String fitting = letter == 's' ? flags.replaceAll("[^-]", "") : flags;
    return isPlain
        ? new SlowConversion("", 0, 0, letter)
        : new SlowConversion(fitting, gen.below(14), gen.below(6), letter);
  }

  private SlowStatement aside() {
    SlowAggregation of = used.get(gen.below(used.size()));
    String action = gen.oneOf("printa", "trunc", "normalize", "denormalize", "clear");
    int by = action.equals("trunc") ? gen.below(7) - 3 : 1 + gen.below(5);
    return new SlowStatement.Change(of, action, by);
  }

  private SlowStatement add() {
    SlowAggregation to = aggregations.get("x" + gen.below(4));
    if (to == null) {
      throw new IllegalStateException("no aggregation");
    }
    if (!used.contains(to)) {
      used.add(to);
    }
    List<SlowExpression> at = new ArrayList<>();
    for (SlowType type : to.keyTypes()) {
      at.add(type == SlowType.STRING ? string(1) : new SlowExpression.Cast(type, number(1)));
    }
    // Small values, so that sums of distributions are exact in floating point, too.
    SlowExpression value =
        to.function().equals("quantize") || to.function().equals("stddev")
            ? new SlowExpression.Cast(SlowType.SHORT, number(2))
            : number(2);
    return new SlowStatement.Add(
        to, at, to.function().equals("count") ? List.of() : List.of(value));
  }

  /** Draws a variable, or an element of one. */
  private SlowExpression.Variable place(boolean isString, int depth) {
    List<String> fitting =
        variables.entrySet().stream()
            .filter(one -> (one.getValue().type() == SlowType.STRING) == isString)
            .map(Map.Entry::getKey)
            .toList();
    String name = fitting.get(gen.below(fitting.size()));
    SlowExpression.Variable variable = variables.get(name);
    if (variable == null) {
      throw new IllegalStateException(name);
    }
    List<SlowExpression> at = new ArrayList<>();
    for (SlowType type : keys.getOrDefault(name, List.of())) {
      at.add(
          type == SlowType.STRING
              ? string(Math.min(depth, 1))
              : new SlowExpression.Cast(type, number(Math.min(depth, 1))));
    }
    return new SlowExpression.Variable(variable.name(), at, variable.type());
  }

  private SlowExpression change(int depth) {
    SlowExpression.Variable target = place(false, depth - 1);
    if (gen.below(3) == 0) {
      return new SlowExpression.Step(target, gen.flag(), gen.flag());
    }
    String operator = gen.oneOf("", "", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>");
    SlowExpression value = isShift(operator) ? shift() : number(depth - 1);
    return new SlowExpression.Assignment(target, operator, value);
  }

  private SlowExpression keep() {
    return new SlowExpression.Assignment(place(true, 1), "", string(2));
  }

  private static boolean isShift(String operator) {
    return operator.equals("<<") || operator.equals(">>");
  }

  private SlowExpression shift() {
    return new SlowExpression.Number(gen.below(32), SlowType.INT);
  }

  private SlowExpression leaf() {
    return switch (gen.below(4)) {
      case 0 -> new SlowExpression.Number(gen.below(10), SlowType.INT);
      case 1 -> {
        SlowType type = gen.oneOf(SlowType.INT, SlowType.UINT, SlowType.LLONG, SlowType.ULLONG);
        int bits = 8 * type.bytes() - (type.isSigned() ? 1 : 0);
        yield new SlowExpression.Number(gen.scaled() >>> Long.SIZE - bits, type);
      }
      case 2 -> place(false, 0);
      default ->
          gen.oneOf(
              new SlowExpression.Builtin("arg0", SlowType.LLONG),
              new SlowExpression.Builtin("arg1", SlowType.LLONG),
              new SlowExpression.Builtin("pid", SlowType.INT),
              new SlowExpression.Builtin("tid", SlowType.INT));
    };
  }

  private SlowExpression number(int depth) {
    if (depth <= 0) {
      return leaf();
    }
    return switch (gen.below(hasStrings ? 11 : 9)) {
      case 0, 1 -> leaf();
      case 2 -> new SlowExpression.Unary(gen.oneOf("-", "~", "!", "+"), number(depth - 1));
      case 3 -> {
        String operator = gen.oneOf("+", "-", "*", "&", "|", "^");
        yield new SlowExpression.Binary(operator, number(depth - 1), number(depth - 1));
      }
      case 4 -> quotient(depth);
      case 5 -> new SlowExpression.Binary(gen.oneOf("<<", ">>"), number(depth - 1), shift());
      case 6 -> {
        String operator = gen.oneOf("==", "!=", "<", "<=", ">", ">=", "&&", "||", "^^");
        yield new SlowExpression.Binary(operator, number(depth - 1), number(depth - 1));
      }
      case 7 ->
          gen.below(8) == 0
              ? new SlowExpression.Sequence(number(depth - 1), number(depth - 1))
              : gen.flag()
                  ? new SlowExpression.Cast(
                      gen.oneOf(NUMBERS.toArray(SlowType[]::new)), number(depth - 1))
                  : new SlowExpression.Choice(
                      number(depth - 1), number(depth - 1), number(depth - 1));
      case 8 -> change(depth);
      case 9 -> {
        String operator = gen.oneOf("==", "!=", "<", "<=", ">", ">=");
        yield new SlowExpression.Binary(operator, string(depth - 1), string(depth - 1));
      }
      default ->
          gen.flag()
              ? new SlowExpression.Call("strlen", List.of(string(depth - 1)), SlowType.ULLONG)
              : new SlowExpression.Call(
                  gen.oneOf("index", "rindex"),
                  List.of(string(depth - 1), string(depth - 1)),
                  SlowType.INT);
    };
  }

  private SlowExpression quotient(int depth) {
    SlowExpression left = number(depth - 1);
    SlowExpression right = number(depth - 1);
    // A compiler may refuse a constant that is divided by zero.
    SlowExpression divisor =
        left.isConstant() && right.isConstant()
            ? new SlowExpression.Number(1 + gen.below(9), SlowType.INT)
            : right;
    return new SlowExpression.Binary(gen.oneOf("/", "%"), left, divisor);
  }

  private SlowExpression string(int depth) {
    if (depth <= 0 || gen.below(3) == 0) {
      return switch (gen.below(3)) {
        case 0 -> new SlowExpression.Text(gen.oneOf(WORDS));
        case 1 -> place(true, 0);
        default -> new SlowExpression.Builtin("execname", SlowType.STRING);
      };
    }
    return switch (gen.below(6)) {
      case 0 ->
          new SlowExpression.Call(
              "strjoin", List.of(string(depth - 1), string(depth - 1)), SlowType.STRING);
      case 1 ->
          new SlowExpression.Call(
              gen.oneOf("toupper", "tolower"), List.of(string(depth - 1)), SlowType.STRING);
      case 2 -> new SlowExpression.Call("lltostr", List.of(number(depth - 1)), SlowType.STRING);
      case 3 -> {
        List<SlowExpression> arguments = new ArrayList<>();
        arguments.add(string(depth - 1));
        arguments.add(small());
        if (gen.flag()) {
          arguments.add(small());
        }
        yield new SlowExpression.Call("substr", arguments, SlowType.STRING);
      }
      case 4 -> new SlowExpression.Choice(number(depth - 1), string(depth - 1), string(depth - 1));
      default -> place(true, depth - 1);
    };
  }

  private SlowExpression small() {
    SlowExpression number = new SlowExpression.Number(gen.below(6), SlowType.INT);
    return gen.flag() ? new SlowExpression.Unary("-", number) : number;
  }
}
