package io.ntrail.analysis.probe.compile;

import io.ntrail.analysis.probe.engine.Fault;
import io.ntrail.analysis.probe.engine.FieldReference;
import io.ntrail.analysis.probe.engine.Run;
import io.ntrail.analysis.probe.engine.Value;
import io.ntrail.analysis.probe.syntax.CompileError;
import io.ntrail.analysis.probe.syntax.Expression;
import io.ntrail.analysis.probe.syntax.Expression.Scope;
import io.ntrail.analysis.probe.syntax.Place;
import io.ntrail.analysis.probe.types.StructType;
import io.ntrail.analysis.probe.types.Type;
import io.ntrail.analysis.probe.types.Types;
import java.util.List;
import java.util.Optional;

/** Gives expressions a type and makes values of them. */
final class ExpressionCompiler {
  private final Environment environment;
  private final TypeTable types;
  private final Places places;
  private final Builtins builtins;
  private final Functions functions;
  private final Run constants;

  /**
   * @param constants what constants are evaluated with: nothing of it is looked at
   */
  ExpressionCompiler(Environment environment, Run constants) {
    this.environment = environment;
    this.types = new TypeTable(this::constant);
    this.builtins = new Builtins(environment);
    this.places = new Places(environment, builtins, this);
    this.functions = new Functions(environment);
    this.constants = constants;
  }

  TypeTable types() {
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
    Value value = compile(expression);
    if (value.isText()) {
      return value;
    }
    if (value.type() instanceof Type.Pointer pointer && pointer.to().size() <= 1
        || value.type() instanceof Type.Array array && array.of().size() == 1) {
      int most = environment.options.size("strsize") - 1;
      return Value.text(run -> {
        long address = value.number().get(run);
        return address == 0 ? null : run.memory().text(address, most);
      });
    }
    if (value.constant().isPresent() && value.constant().getAsLong() == 0) {
      return Value.text(_ -> null);
    }
    throw new CompileError(
        "D_PROTO_ARG",
        expression.place(),
        "a string is needed here, not a %s".formatted(value.type().text()));
  }

  /** Returns the value of an expression. */
  Value compile(Expression expression) {
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
        yield folded(Operators.binary(binary.operator(), left, right, binary.place()), left, right);
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
      return Value.text(run -> {
        first.object().get(run);
        return second.text().get(run);
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
  private Value folded(Value value, Value... from) {
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
      // A division by zero: it is told when it happens.
      return value;
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
    if (value.type() instanceof Type.Integral) {
      int most = environment.options.size("strsize") - 1;
      return Value.text(run -> run.memory().text(value.number().get(run), most));
    }
    return text(string.operand());
  }

  private Value name(Expression.Name name) {
    Optional<Target> target = places.variable(name, List.of());
    if (target.isPresent()) {
      return target.get().load();
    }
    if (name.scope() == Scope.GLOBAL) {
      Expression inline = environment.inlines.get(name.name());
      if (inline != null) {
        return compile(inline);
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
    throw Places.unknown(name);
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
        yield folded(Value.number(Types.INT, run -> of.number().get(run) == 0 ? 1 : 0), of);
      }
      default -> {
        Value of = number(prefix.operand());
        Type.Integral type = Types.promoted(of.type());
        Value.Numeric number = of.number();
        yield folded(
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
      Value one = text(conditional.then());
      Value other = text(conditional.otherwise());
      return Value.text(run -> (condition.number().get(run) != 0 ? one : other).text().get(run));
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
    return Value.number(
        type, run -> (condition.number().get(run) != 0 ? then : otherwise).number().get(run));
  }

  private Value index(Expression.Index index) {
    if (index.array() instanceof Expression.Name name) {
      if (name.scope() == Scope.GLOBAL && name.name().equals("args")) {
        return builtins.argument(index.keys(), this, index.place());
      }
      if (places.isAssociative(name)) {
        Optional<Target> element = places.variable(name, places.keys(index.keys()));
        return element.orElseThrow(() -> Places.unknown(name)).load();
      }
    }
    return places.element(index).load();
  }

  private Value member(Expression.Member member) {
    Value struct = compile(member.struct());
    if (struct.type() instanceof Type.Fields fields) {
      Type.Fields.Field field =
          fields
              .field(member.name())
              .orElseThrow(() ->
                  new CompileError(
                      "D_UNKNOWN",
                      member.place(),
                      "%s has no field %s; its fields: %s"
                          .formatted(
                              fields.name(),
                              member.name(),
                              String.join(
                                  ", ",
                                  fields.fields().stream()
                                      .map(Type.Fields.Field::name)
                                      .toList()))));
      FieldReference reference = new FieldReference(field.name());
      return field.type() instanceof Type.Text
          ? Value.text(run -> run.event().fieldText(reference))
          : Value.number(field.type(), run -> run.event().field(reference));
    }
    return places.memberTarget(member).load();
  }

  private Value cast(Type to, Value value, Place place) {
    if (to instanceof Type.Text) {
      return value.isText()
          ? value
          : Value.text(run -> run.memory().text(value.number().get(run), to.size()));
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
        to instanceof Type.Integral integral
            ? Value.number(to, run -> integral.cut(number.get(run)))
            : Value.number(to, number),
        value);
  }
}
