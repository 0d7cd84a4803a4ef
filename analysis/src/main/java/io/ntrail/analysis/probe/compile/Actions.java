package io.ntrail.analysis.probe.compile;

import io.ntrail.analysis.probe.aggregation.Aggregation;
import io.ntrail.analysis.probe.engine.CompiledClause.Step;
import io.ntrail.analysis.probe.engine.Outputs;
import io.ntrail.analysis.probe.engine.Value;
import io.ntrail.analysis.probe.syntax.CompileError;
import io.ntrail.analysis.probe.syntax.Expression;
import io.ntrail.analysis.probe.syntax.Place;
import io.ntrail.analysis.probe.types.Type;
import io.ntrail.analysis.probe.types.Types;
import io.ntrail.formats.bytes.SpellingSuggestion;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
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
            yield Outputs.trace(compiler.recorded(arguments.getFirst()));
          }
          case "tracemem" -> memory(call);
          case "print" -> {
            count(call, 1, 1);
            yield Outputs.print(compiler.recorded(arguments.getFirst()));
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
      values.add(compiler.recorded(argument));
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
    return aggregation(call.function(), call.arguments().getFirst());
  }

  /** Returns DTrace's tag for a mistake in a call: D_TRUNC_AGGARG. */
  private static String tag(String action, String what) {
    String name =
        switch (action) {
          case "normalize" -> "NORM";
          case "denormalize" -> "DENORM";
          default -> action.toUpperCase(Locale.ROOT);
        };
    return "D_%s_%s".formatted(name, what);
  }

  private Aggregation aggregation(String action, Expression expression) {
    if (!(expression instanceof Expression.Aggregation named)) {
      throw new CompileError(
          tag(action, "AGGARG"), expression.place(), "an aggregation is needed here: @name");
    }
    Aggregation known = environment.aggregations.get(named.name());
    if (known == null) {
      String near = SpellingSuggestion.of(named.name(), environment.aggregations.keySet());
      throw new CompileError(
          tag(action, "AGGBAD"),
          expression.place(),
          "nothing is added to @%s before%s"
              .formatted(
                  named.name(), near.isEmpty() ? "" : "; did you mean @%s?".formatted(near)));
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
      Aggregation its = aggregation("printa", one);
      List<Type> keys = its.keyTypes();
      List<Type> wanted = all.isEmpty() ? keys : all.getFirst().keyTypes();
      for (int i = 0; i < keys.size() && i < wanted.size(); i++) {
        if (!Types.areAlike(keys.get(i), wanted.get(i))) {
          throw new CompileError(
              "D_PRINTA_AGGKEY",
              one.place(),
              "key %d of @%s is a %s, and that of @%s a %s"
                  .formatted(
                      i + 1,
                      its.name(),
                      keys.get(i).text(),
                      all.getFirst().name(),
                      wanted.get(i).text()));
        }
      }
      if (keys.size() != wanted.size()) {
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
}
