package io.ntrail.analysis.probe.compile;

import io.ntrail.analysis.probe.compile.Environment.Variable;
import io.ntrail.analysis.probe.engine.Value;
import io.ntrail.analysis.probe.syntax.CompileError;
import io.ntrail.analysis.probe.syntax.Expression;
import io.ntrail.analysis.probe.syntax.Expression.Scope;
import io.ntrail.analysis.probe.syntax.Place;
import io.ntrail.analysis.probe.types.StructType;
import io.ntrail.analysis.probe.types.Type;
import io.ntrail.analysis.probe.types.Types;
import io.ntrail.formats.bytes.SpellingSuggestion;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Finds what names, elements and members stand for, and makes assignments to them. */
final class Places {
  private final Environment environment;
  private final VariableTargets targets;
  private final Builtins builtins;
  private final ExpressionCompiler compiler;

  Places(Environment environment, Builtins builtins, ExpressionCompiler compiler) {
    this.environment = environment;
    this.targets = new VariableTargets(environment);
    this.builtins = builtins;
    this.compiler = compiler;
  }

  static StructType.Member memberOf(StructType struct, String name, Place place) {
    return struct
        .member(name)
        .orElseThrow(() ->
            new CompileError(
                "D_UNKNOWN",
                place,
                "%s has no member %s; its members: %s"
                    .formatted(
                        struct.text(),
                        name,
                        struct.members().stream()
                            .map(StructType.Member::name)
                            .collect(Collectors.joining(", ")))));
  }

  CompileError unknown(Expression.Name name) {
    if (name.name().contains("`")) {
      return new CompileError(
          "D_SYM_NOTYPES",
          name.place(),
          "symbols of images are not known here: %s".formatted(name.name()));
    }
    Set<String> known = new TreeSet<>(Builtins.names());
    environment.variables.values().stream()
        .map(
            variable -> shown(new Expression.Name(variable.name(), variable.scope(), name.place())))
        .forEach(known::add);
    known.addAll(environment.inlines.keySet());
    String near = SpellingSuggestion.of(shown(name), known);
    return new CompileError(
        "D_IDENT_UNDEF",
        name.place(),
        "%s is not known: nothing before assigns to it%s"
            .formatted(shown(name), near.isEmpty() ? "" : "; did you mean %s?".formatted(near)));
  }

  private static String shown(Expression.Name name) {
    return switch (name.scope()) {
      case GLOBAL -> name.name();
      case THREAD -> "self->" + name.name();
      case CLAUSE -> "this->" + name.name();
    };
  }

  /** Returns the place of a variable that is known. */
  Optional<Target> variable(Expression.Name name, List<Value> keys) {
    Variable variable = environment.variables.get(Environment.key(name.scope(), name.name()));
    if (variable == null) {
      return Optional.empty();
    }
    List<Type> wanted = variable.keys();
    if (wanted != null && keys.isEmpty()) {
      throw new CompileError(
          "D_OP_ARRFUN", name.place(), "%s needs its keys".formatted(shown(name)));
    }
    if (wanted != null && wanted.size() != keys.size()) {
      throw new CompileError(
          "D_PROTO_LEN",
          name.place(),
          "%s has %d keys, not %d".formatted(shown(name), wanted.size(), keys.size()));
    }
    for (int i = 0; wanted != null && i < wanted.size(); i++) {
      if (wanted.get(i) instanceof Type.Text != keys.get(i).isText()) {
        throw new CompileError(
            "D_PROTO_ARG",
            name.place(),
            "key %d of %s is a %s, not a %s"
                .formatted(i + 1, shown(name), wanted.get(i).text(), keys.get(i).type().text()));
      }
    }
    return Optional.of(targets.of(variable, keys));
  }

  /** Returns the place that an expression means; a new variable gets the type of its value. */
  private Target target(Expression expression, @Nullable Value value) {
    return switch (expression) {
      case Expression.Name name -> {
        if (name.scope() == Scope.GLOBAL && builtins.isFixed(name)) {
          throw new CompileError(
              "D_OP_WRITE", name.place(), "%s cannot be assigned to".formatted(name.name()));
        }
        yield variable(name, List.of())
            .orElseGet(() -> {
              environment.declare(name.scope(), name.name(), stored(value), null, name.place());
              return variable(name, List.of()).orElseThrow();
            });
      }
      case Expression.Index(Expression.Name name, List<Expression> keys, Place _)
          when isAssociative(name) -> {
        List<Value> compiled = keys(keys);
        yield variable(name, compiled)
            .orElseGet(() -> {
              List<Type> keyTypes = compiled.stream().map(Value::type).toList();
              environment.declare(name.scope(), name.name(), stored(value), keyTypes, name.place());
              return variable(name, compiled).orElseThrow();
            });
      }
      case Expression.Index index -> element(index);
      case Expression.Member member -> memberTarget(member, compiler.compile(member.struct()));
      case Expression.Prefix(String operator, Expression operand, Place place)
          when operator.equals("*") -> {
        Value address = compiler.compile(operand);
        yield VariableTargets.memory(pointed(address, place), address.number());
      }
      default ->
          throw new CompileError("D_OP_LVAL", expression.place(), "this cannot be assigned to");
    };
  }

  private static Type stored(@Nullable Value value) {
    if (value == null) {
      return Types.INT64;
    }
    return value.type() instanceof Type.Array array ? new Type.Pointer(array.of()) : value.type();
  }

  boolean isAssociative(Expression.Name name) {
    Variable known = environment.variables.get(Environment.key(name.scope(), name.name()));
    return known == null || known.keys() != null;
  }

  List<Value> keys(List<Expression> keys) {
    List<Value> values = new ArrayList<>();
    for (Expression key : keys) {
      Value value = compiler.compile(key);
      if (!value.type().isNumber() && !value.isText()) {
        throw new CompileError(
            "D_KEY_TYPE",
            key.place(),
            "a key is a number or a string, not a %s".formatted(value.type().text()));
      }
      values.add(value);
    }
    return values;
  }

  Value assignment(Expression.Assignment assignment) {
    Place place = assignment.place();
    Value value = compiler.compile(assignment.value());
    Target target = target(assignment.target(), value);
    if (target.type() instanceof Type.Text) {
      boolean isString =
          value.isText() || ExpressionCompiler.isOfCharacters(value) || isNull(value);
      if (!isString) {
        throw mismatch(target, value, place);
      }
      Value text = compiler.text(value, place);
      if (!assignment.operator().isEmpty()) {
        throw Operators.mismatch(assignment.operator() + "=", target.load(), text, place);
      }
      return VariableTargets.kept(run -> {
        String stored = text.text().get(run);
        target.textStore().set(run, stored);
        return stored;
      });
    }
    boolean isStruct = target.type() instanceof StructType;
    if (isStruct
        ? !target.type().equals(value.type())
        : !value.type().isNumber() && !isAddress(value)) {
      throw mismatch(target, value, place);
    }
    if (assignment.operator().isEmpty()) {
      return stored(target, value.number());
    }
    // What it is before is read before the right side has an effect.
    return target.changed(before -> Operators.binary(assignment.operator(), before, value, place));
  }

  private static boolean isNull(Value value) {
    return value.constant().isPresent() && value.constant().getAsLong() == 0;
  }

  private static CompileError mismatch(Target target, Value value, Place place) {
    return new CompileError(
        "D_OP_INCOMPAT",
        place,
        "a %s cannot be assigned to a %s".formatted(value.type().text(), target.type().text()));
  }

  static boolean isAddress(Value value) {
    return value.type() instanceof Type.Array;
  }

  private static Value stored(Target target, Value.Numeric value) {
    return Value.number(
        target.type(),
        run -> {
          long stored = target.cut(value.get(run));
          target.store().set(run, stored);
          return stored;
        });
  }

  Value step(Expression operand, String operator, boolean isBefore, Place place) {
    Target target = target(operand, null);
    if (!target.type().isNumber()) {
      throw new CompileError("D_OP_INT", place, "%s needs a number".formatted(operator));
    }
    long by =
        (operator.equals("++") ? 1 : -1)
            * (target.type() instanceof Type.Pointer pointer
                ? Math.max(1, pointer.to().size())
                : 1L);
    return isBefore
        ? target.changed(
            before -> Value.number(target.type(), run -> before.number().get(run) + by))
        : target.stepped(by);
  }

  static Type pointed(Value address, Place place) {
    return switch (address.type()) {
      case Type.Pointer pointer when !(pointer.to() instanceof Type.Nothing) -> pointer.to();
      case Type.Array array -> array.of();
      default ->
          throw new CompileError(
              "D_OP_PTR",
              place,
              "a %s points to nothing that has a type".formatted(address.type().text()));
    };
  }

  Target element(Expression.Index index) {
    Value array = compiler.compile(index.array());
    if (index.keys().size() != 1) {
      throw new CompileError("D_OP_ARRAY", index.place(), "an element has one index");
    }
    Value at = compiler.number(index.keys().getFirst());
    Type type = pointed(array, index.place());
    long size = Math.max(1, type.size());
    return VariableTargets.memory(
        type, run -> array.number().get(run) + at.number().get(run) * size);
  }

  Target memberTarget(Expression.Member member, Value struct) {
    Type type =
        member.isPointer() && struct.type() instanceof Type.Pointer pointer
            ? pointer.to()
            : struct.type();
    if (!(type instanceof StructType its) || !its.isComplete()) {
      throw new CompileError(
          "D_OP_SOU", member.place(), "a %s has no members".formatted(struct.type().text()));
    }
    return VariableTargets.member(memberOf(its, member.name(), member.place()), struct.number());
  }
}
