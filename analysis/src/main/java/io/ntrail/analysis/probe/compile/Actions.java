package io.ntrail.analysis.probe.compile;

import io.ntrail.analysis.probe.aggregation.Aggregation;
import io.ntrail.analysis.probe.engine.CompiledClause.Step;
import io.ntrail.analysis.probe.engine.Outputs;
import io.ntrail.analysis.probe.engine.Value;
import io.ntrail.analysis.probe.syntax.CompileError;
import io.ntrail.analysis.probe.syntax.Expression;
import io.ntrail.analysis.probe.syntax.Place;
import io.ntrail.analysis.probe.types.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Calls that record something, or change what is printed. */
final class Actions {
  private static final Set<String> DESTRUCTIVE =
      Set.of(
          "system",
          "stop",
          "raise",
          "copyout",
          "copyoutstr",
          "breakpoint",
          "panic",
          "chill",
          "lkd",
          "etw_trace");

  private final Environment environment;
  private final ExpressionCompiler compiler;

  Actions(Environment environment, ExpressionCompiler compiler) {
    this.environment = environment;
    this.compiler = compiler;
  }

  /** Returns the step of an action; empty if the call is none. */
  Optional<Step> of(Expression.Call call) {
    List<Expression> arguments = call.arguments();
    Place place = call.place();
    if (DESTRUCTIVE.contains(call.function())) {
      throw new CompileError(
          "D_ACT_DESTRUCT",
          place,
          "%s() would change the system: it is not supported".formatted(call.function()));
    }
    return Optional.ofNullable(
        switch (call.function()) {
          case "trace" -> {
            count(call, 1, 1);
            yield Outputs.trace(compiler.compile(arguments.getFirst()));
          }
          case "tracemem" -> memory(call);
          case "print" -> {
            count(call, 1, 1);
            yield Outputs.print(compiler.compile(arguments.getFirst()));
          }
          case "printf" -> {
            count(call, 1, Integer.MAX_VALUE);
            yield Outputs.printf(format(arguments.getFirst()), values(arguments, 1), place);
          }
          case "printa" -> printa(call);
          case "stack",
              "ustack",
              "jstack",
              "sym",
              "usym",
              "func",
              "ufunc",
              "mod",
              "umod",
              "uaddr" ->
              Outputs.trace(compiler.compile(call));
          case "clear" -> Outputs.clear(aggregation(call, 1, 1));
          case "trunc" -> {
            Aggregation of = aggregation(call, 1, 2);
            yield arguments.size() == 1
                ? Outputs.trunc(of, Optional.empty())
                : Outputs.trunc(of, Optional.of(compiler.number(arguments.get(1))));
          }
          case "normalize" ->
              Outputs.normalize(aggregation(call, 2, 2), compiler.number(arguments.get(1)));
          case "denormalize" ->
              Outputs.normalize(aggregation(call, 1, 1), Value.constant(Types.INT, 1));
          case "speculate" -> {
            Value id = one(call);
            yield run -> run.speculate(id.number().get(run));
          }
          case "commit" -> {
            Value id = one(call);
            yield run -> run.commit(id.number().get(run));
          }
          case "discard" -> {
            Value id = one(call);
            yield run -> run.discard(id.number().get(run));
          }
          case "exit" -> {
            Value status = one(call);
            yield run -> run.exit((int) status.number().get(run));
          }
          case "setopt" -> {
            count(call, 1, 2);
            yield Outputs.option(
                text(arguments.getFirst()),
                arguments.size() > 1 ? Optional.of(text(arguments.get(1))) : Optional.empty(),
                place);
          }
          case "freopen", "ftruncate" ->
              throw new CompileError(
                  "D_ACT_UNSUP", place, "%s() is not supported: use -o".formatted(call.function()));
          default -> null;
        });
  }

  private static void count(Expression.Call call, int least, int most) {
    int count = call.arguments().size();
    if (count < least || count > most) {
      throw new CompileError(
          "D_PROTO_LEN",
          call.place(),
          "%s() does not take %d arguments".formatted(call.function(), count));
    }
  }

  private Value one(Expression.Call call) {
    count(call, 1, 1);
    return compiler.number(call.arguments().getFirst());
  }

  private String text(Expression expression) {
    if (expression instanceof Expression.Text text) {
      return text.value();
    }
    throw new CompileError("D_PROTO_ARG", expression.place(), "a string constant is needed here");
  }

  private String format(Expression expression) {
    if (expression instanceof Expression.Text text) {
      return text.value();
    }
    throw new CompileError(
        "D_PRINTF_ARG_FMT", expression.place(), "the format is a string constant");
  }

  private List<Value> values(List<Expression> arguments, int from) {
    List<Value> values = new ArrayList<>();
    for (Expression argument : arguments.subList(from, arguments.size())) {
      values.add(compiler.compile(argument));
    }
    return values;
  }

  private Step memory(Expression.Call call) {
    count(call, 2, 3);
    Value address = compiler.compile(call.arguments().getFirst());
    long most = compiler.constant(call.arguments().get(1));
    Optional<Value> size =
        call.arguments().size() > 2
            ? Optional.of(compiler.number(call.arguments().get(2)))
            : Optional.empty();
    return Outputs.memory(address, most, size);
  }

  /** Returns the aggregation that an action is about. */
  private Aggregation aggregation(Expression.Call call, int least, int most) {
    count(call, least, most);
    return aggregation(call.arguments().getFirst());
  }

  private Aggregation aggregation(Expression expression) {
    if (!(expression instanceof Expression.Aggregation named)) {
      throw new CompileError(
          "D_AGG_SCALAR", expression.place(), "an aggregation is needed here: @name");
    }
    Aggregation known = environment.aggregations.get(named.name());
    if (known == null) {
      throw new CompileError(
          "D_AGG_UNDEF",
          expression.place(),
          "nothing is added to @%s before".formatted(named.name()));
    }
    return known;
  }

  private Step printa(Expression.Call call) {
    count(call, 1, Integer.MAX_VALUE);
    List<Expression> arguments = call.arguments();
    Optional<String> format =
        arguments.getFirst() instanceof Expression.Text text
            ? Optional.of(text.value())
            : Optional.empty();
    List<Aggregation> all = new ArrayList<>();
    for (Expression one : arguments.subList(format.isPresent() ? 1 : 0, arguments.size())) {
      Aggregation its = aggregation(one);
      if (!all.isEmpty() && all.getFirst().keyTypes().size() != its.keyTypes().size()) {
        throw new CompileError(
            "D_PRINTA_AGGPROTO",
            one.place(),
            "@%s has other keys than @%s".formatted(its.name(), all.getFirst().name()));
      }
      all.add(its);
    }
    if (all.isEmpty()) {
      throw new CompileError("D_PRINTA_PROTO", call.place(), "printa() needs an aggregation");
    }
    return Outputs.printa(all, format, call.place());
  }

  /** Returns the step that adds a value to an aggregation. */
  Step add(Expression.Aggregation to, Expression value) {
    return new AggregationCompiler(environment, compiler).add(to, value);
  }

  /** Returns a constant that may be missing. */
  static OptionalLong constant(Optional<Value> value) {
    return value.map(Value::constant).orElse(OptionalLong.empty());
  }
}
