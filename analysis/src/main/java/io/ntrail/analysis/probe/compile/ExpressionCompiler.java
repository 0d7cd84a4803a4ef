package io.ntrail.analysis.probe.compile;

import io.ntrail.analysis.probe.engine.Fault;
import io.ntrail.analysis.probe.engine.Run;
import io.ntrail.analysis.probe.engine.Value;
import io.ntrail.analysis.probe.syntax.CompileError;
import io.ntrail.analysis.probe.syntax.Expression;
import io.ntrail.analysis.probe.syntax.Expression.Scope;
import io.ntrail.analysis.probe.syntax.Place;
import io.ntrail.analysis.probe.syntax.Program;
import io.ntrail.analysis.probe.types.StructType;
import io.ntrail.analysis.probe.types.Type;
import io.ntrail.analysis.probe.types.Types;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Gives expressions a type and makes values of them. */
final class ExpressionCompiler {
  /** Expressions of a program at most, those of inlines as often as they are named. */
  private static final int MOST_EXPRESSIONS = 2_000_000;

  /** Expressions that lie in each other at most. */
  private static final int MOST_DEPTH = 600;

  private final Environment environment;
  private final ProgramTypes types;
  private final Places places;
  private final Builtins builtins;
  private final Functions functions;
  private final FieldPaths fieldPaths;
  private final Run constants;
  private int count;
  private int depth;

  /**
   * @param constants what constants are evaluated with: nothing of it is looked at
   */
  ExpressionCompiler(Environment environment, Run constants) {
    this.environment = environment;
    this.types = new ProgramTypes(this::constant);
    this.builtins = new Builtins(environment);
    this.places = new Places(environment, builtins, this);
    this.functions = new Functions(environment);
    this.fieldPaths = new FieldPaths(environment, this);
    this.constants = constants;
  }

  ProgramTypes types() {
    return types;
  }

  /** Returns the value of an expression that is always the same. */
  long constant(Expression expression) {
    return compile(expression)
        .constant()
        .orElseThrow(
            () -> new CompileError("D_OP_INT", expression.place(), "a constant is needed here"));
  }

  /** Returns a number or an address. */
  Value number(Expression expression) {
    Value value = compile(expression);
    if (!value.type().isNumber()) {
      throw new CompileError(
          "D_OP_SCALAR",
          expression.place(),
          "a number is needed here, not a %s".formatted(value.type().text()));
    }
    return value;
  }

  /** Returns a value that can be recorded. */
  Value recorded(Expression expression) {
    Value value = compile(expression);
    if (value.type() instanceof Type.Fields fields) {
      throw new CompileError(
          "D_OP_SCALAR",
          expression.place(),
          "one of its fields is needed here: %s".formatted(names(fields)));
    }
    if (value.type() instanceof Type.Elements) {
      throw new CompileError(
          "D_OP_SCALAR", expression.place(), "one of its elements is needed here: [0]");
    }
    if (value.type() instanceof Type.Nothing) {
      throw new CompileError("D_OP_SCALAR", expression.place(), "this has no value");
    }
    return value;
  }

  static String names(Type.Fields fields) {
    return fields.fields().stream().map(Type.Fields.Field::name).collect(Collectors.joining(", "));
  }

  /** Returns what is zero or not: a number, an address, a string. */
  Value condition(Expression expression) {
    Value value = compile(expression);
    if (!value.type().isNumber() && !value.isText()) {
      throw new CompileError(
          "D_PRED_SCALAR",
          expression.place(),
          "a condition cannot be a %s".formatted(value.type().text()));
    }
    return value;
  }

  /** Returns a string. */
  Value text(Expression expression) {
    return text(compile(expression), expression.place());
  }

  /** Returns a value as a string. */
  Value text(Value value, Place place) {
    if (value.isText()) {
      return value;
    }
    if (value.constant().isPresent() && value.constant().getAsLong() == 0) {
      return Value.text(_ -> null);
    }
    if (isOfCharacters(value)) {
      int most = environment.options.size("strsize") - 1;
      return Value.text(run -> {
        long address = value.number().get(run);
        return address == 0 ? null : run.memory().text(address, most);
      });
    }
    throw new CompileError(
        "D_PROTO_ARG", place, "a string is needed here, not a %s".formatted(value.type().text()));
  }

  static boolean isOfCharacters(Value value) {
    return value.constant().isEmpty()
        && (value.type() instanceof Type.Pointer pointer && pointer.to().size() <= 1
            || value.type() instanceof Type.Array array && array.of().size() == 1);
  }

  /** Returns true for a variable that every program has. */
  boolean isBuiltin(Expression.Name name) {
    return name.scope() == Scope.GLOBAL && builtins.isFixed(name);
  }

  /** Adds a name of an expression, which may have those before it. */
  void inline(Program.Inline inline) {
    // Mistakes are told here, not where it is named.
    valueOf(inline);
    environment.inlines.put(inline.declarator().name(), inline);
  }

  private Value valueOf(Program.Inline inline) {
    Type type = types.of(inline.declarator().type());
    return type instanceof Type.Text
        ? text(inline.value())
        : cast(type, compile(inline.value()), inline.value().place());
  }

  /** Returns the value of an expression. */
  Value compile(Expression expression) {
    if (++count > MOST_EXPRESSIONS || ++depth > MOST_DEPTH) {
      throw new CompileError(
          "D_SYNTAX",
          expression.place(),
          "the program is too large: %d expressions, %d in each other"
              .formatted(MOST_EXPRESSIONS, MOST_DEPTH));
    }
    Value value = compiled(expression);
    depth--;
    return value;
  }

  private Value compiled(Expression expression) {
    return switch (expression) {
      case Expression.Number number ->
          Value.constant(
              number.size() == 8
                  ? number.isSigned()
                      ? new Type.Integral("long long", 8, true)
                      : new Type.Integral("unsigned long long", 8, false)
                  : number.isSigned() ? Types.INT : new Type.Integral("unsigned int", 4, false),
              number.value());
      case Expression.Text text -> {
        String value = stored(text.value());
        yield Value.text(_ -> value);
      }
      case Expression.Name name -> name(name);
      case Expression.Aggregation aggregation ->
          throw new CompileError(
              "D_AGG_CONTEXT",
              aggregation.place(),
              "@%s cannot be read".formatted(aggregation.name()));
      case Expression.Prefix prefix -> prefix(prefix);
      case Expression.Postfix postfix ->
          places.step(postfix.operand(), postfix.operator(), false, postfix.place());
      case Expression.Binary binary when binary.operator().equals(",") -> {
        Value first = compile(binary.left());
        Value second = compile(binary.right());
        yield sequence(first, second);
      }
      case Expression.Binary binary -> {
        Value left = compile(binary.left());
        Value right = compile(binary.right());
        // A string and an address of characters: what is there is compared.
        left = right.isText() && isOfCharacters(left) ? text(left, binary.place()) : left;
        right = left.isText() && isOfCharacters(right) ? text(right, binary.place()) : right;
        yield folded(
            binary.place(),
            Operators.binary(binary.operator(), left, right, binary.place()),
            left,
            right);
      }
      case Expression.Assignment assignment -> places.assignment(assignment);
      case Expression.Conditional conditional -> conditional(conditional);
      case Expression.Call call -> functions.call(call, this);
      case Expression.Index index -> index(index);
      case Expression.Member member -> member(member);
      case Expression.Cast cast ->
          cast(types.of(cast.type()), compile(cast.operand()), cast.place());
      case Expression.SizeOfType size ->
          Value.constant(Types.UINT64, sizeOf(types.of(size.type()), size.place()));
      case Expression.SizeOf size ->
          Value.constant(Types.UINT64, sizeOf(compile(size.operand()).type(), size.place()));
      case Expression.OffsetOf offset -> offsetOf(offset);
      case Expression.StringOf string -> stringOf(string);
    };
  }

  /** Returns a string as a variable keeps it: up to a NUL, and no longer than strings may be. */
  private String stored(String text) {
    int end = text.indexOf('\0');
    int most = environment.options.size("strsize") - 1;
    return text.substring(0, Math.clamp(most, 0, end < 0 ? text.length() : end));
  }

  private static Value sequence(Value first, Value second) {
    if (second.isText()) {
      return Value.chosen(run -> {
        first.object().get(run);
        return second.text();
      });
    }
    return Value.number(
        second.type(),
        run -> {
          first.object().get(run);
          return second.number().get(run);
        });
  }

  /** Returns a value that is always the same as a constant. */
  private Value folded(Place place, Value value, Value... from) {
    for (Value one : from) {
      if (one.constant().isEmpty()) {
        return value;
      }
    }
    try {
      return value.type().isNumber()
          ? Value.constant(value.type(), value.number().get(constants))
          : value;
    } catch (Fault e) {
      throw new CompileError("D_DIV_ZERO", place, "a division by zero");
    }
  }

  private long sizeOf(Type type, Place place) {
    if (type instanceof Type.Nothing || type instanceof StructType struct && !struct.isComplete()) {
      throw new CompileError("D_SIZEOF_TYPE", place, "%s has no size".formatted(type.text()));
    }
    return type instanceof Type.Text ? environment.options.size("strsize") : type.size();
  }

  private Value offsetOf(Expression.OffsetOf offset) {
    if (types.of(offset.type()) instanceof StructType struct) {
      return Value.constant(
          Types.UINT64, Places.memberOf(struct, offset.member(), offset.place()).offset());
    }
    throw new CompileError("D_OFFSETOF_TYPE", offset.place(), "only structs have members");
  }

  private Value stringOf(Expression.StringOf string) {
    Value value = compile(string.operand());
    return value.type() instanceof Type.Integral ? stringOf(value) : text(value, string.place());
  }

  /** Returns the string at an address. */
  private Value stringOf(Value address) {
    int most = environment.options.size("strsize") - 1;
    return Value.text(run -> run.memory().text(address.number().get(run), most));
  }

  private Value name(Expression.Name name) {
    Optional<Target> target = places.variable(name, List.of());
    if (target.isPresent()) {
      return target.get().load();
    }
    if (name.scope() == Scope.GLOBAL) {
      Program.Inline inline = environment.inlines.get(name.name());
      if (inline != null) {
        return valueOf(inline);
      }
      Optional<Long> constant = types.constant(name.name());
      if (constant.isPresent()) {
        return Value.constant(Types.INT, constant.get());
      }
      Optional<Value> builtin = builtins.of(name);
      if (builtin.isPresent()) {
        return builtin.get();
      }
    }
    throw places.unknown(name);
  }

  private Value prefix(Expression.Prefix prefix) {
    Place place = prefix.place();
    return switch (prefix.operator()) {
      case "++", "--" -> places.step(prefix.operand(), prefix.operator(), true, place);
      case "*" -> {
        Value address = compile(prefix.operand());
        yield VariableTargets.memory(Places.pointed(address, place), address.number()).load();
      }
      case "&" -> {
        Value of = compile(prefix.operand());
        if (of.type() instanceof StructType || of.type() instanceof Type.Array) {
          yield Value.number(new Type.Pointer(of.type()), of.number());
        }
        throw new CompileError("D_OP_LVAL", place, "this has no address");
      }
      case "!" -> {
        Value of = condition(prefix.operand());
        yield folded(place, Value.number(Types.INT, run -> of.number().get(run) == 0 ? 1 : 0), of);
      }
      default -> {
        Value of = number(prefix.operand());
        Type.Integral type = Types.integral(of.type());
        Value.Numeric number = of.number();
        yield folded(
            place,
            switch (prefix.operator()) {
              case "~" -> Value.number(type, run -> ~number.get(run));
              case "-" -> Value.number(type, run -> -number.get(run));
              default -> Value.number(type, number);
            },
            of);
      }
    };
  }

  private Value conditional(Expression.Conditional conditional) {
    Value condition = condition(conditional.condition());
    Value then = compile(conditional.then());
    Value otherwise = compile(conditional.otherwise());
    if (then.isText() || otherwise.isText()) {
      Value one = text(then, conditional.place());
      Value other = text(otherwise, conditional.place());
      return Value.chosen(run -> (run.isMet(condition) ? one : other).text());
    }
    if (!then.type().isNumber() || !otherwise.type().isNumber()) {
      throw Operators.mismatch(":", then, otherwise, conditional.place());
    }
    Type type =
        then.type() instanceof Type.Pointer
            ? then.type()
            : otherwise.type() instanceof Type.Pointer
                ? otherwise.type()
                : Types.common(then.type(), otherwise.type());
    return Value.number(type, run -> (run.isMet(condition) ? then : otherwise).number().get(run));
  }

  private Value index(Expression.Index index) {
    if (index.array() instanceof Expression.Name name) {
      if (name.scope() == Scope.GLOBAL && name.name().equals("args")) {
        return builtins.argument(index.keys(), this, index.place());
      }
      if (places.isAssociative(name)) {
        Optional<Target> element = places.variable(name, places.keys(index.keys()));
        return element.orElseThrow(() -> places.unknown(name)).load();
      }
    }
    Optional<FieldPaths.Path> path = fieldPaths.path(index);
    if (path.isPresent()) {
      return fieldPaths.value(path.get());
    }
    return places.element(index).load();
  }

  private Value member(Expression.Member member) {
    Optional<FieldPaths.Path> path = fieldPaths.path(member);
    if (path.isPresent()) {
      return fieldPaths.value(path.get());
    }
    return places.memberTarget(member, compile(member.struct())).load();
  }

  private Value cast(Type to, Value value, Place place) {
    if (to instanceof Type.Text) {
      return value.isText() ? value : stringOf(value);
    }
    if (to instanceof Type.Nothing) {
      return value.as(to);
    }
    if (!to.isNumber() || !value.type().isNumber() && !Places.isAddress(value)) {
      throw new CompileError(
          "D_CAST_INVAL",
          place,
          "a %s cannot become a %s".formatted(value.type().text(), to.text()));
    }
    Value.Numeric number = value.number();
    return folded(
        place,
        to instanceof Type.Integral integral
            ? Value.number(to, run -> integral.cut(number.get(run)))
            : Value.number(to, number),
        value);
  }
}
