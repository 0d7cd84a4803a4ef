package io.ntrail.analysis.probe.compile;

import io.ntrail.analysis.probe.aggregation.Aggregate;
import io.ntrail.analysis.probe.aggregation.Aggregation;
import io.ntrail.analysis.probe.aggregation.Buckets;
import io.ntrail.analysis.probe.engine.CompiledClause.Step;
import io.ntrail.analysis.probe.engine.Run;
import io.ntrail.analysis.probe.engine.Value;
import io.ntrail.analysis.probe.syntax.CompileError;
import io.ntrail.analysis.probe.syntax.Expression;
import io.ntrail.analysis.probe.syntax.Place;
import io.ntrail.analysis.probe.types.Type;
import io.ntrail.analysis.probe.types.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Aggregations: functions with their parameters, and what adds values to them. */
final class AggregationCompiler {
  private static final int MOST_LEVELS = 65_535;

  private static final List<String> FUNCTIONS =
      List.of("count", "sum", "min", "max", "avg", "stddev", "quantize", "lquantize", "llquantize");

  private final Environment environment;
  private final ExpressionCompiler compiler;

  AggregationCompiler(Environment environment, ExpressionCompiler compiler) {
    this.environment = environment;
    this.compiler = compiler;
  }

  /** Returns the step that adds a value. */
  Step add(Expression.Aggregation to, Expression value) {
    if (!(value instanceof Expression.Call call)) {
      throw new CompileError(
          "D_AGG_FUNC",
          value.place(),
          "an aggregation gets a function: count(), sum(x), quantize(x)");
    }
    List<Value> keys = new ArrayList<>();
    List<Type> keyTypes = new ArrayList<>();
    for (Expression key : to.keys()) {
      Value compiled = compiler.compile(key);
      boolean isKey =
          compiled.type().isNumber() || compiled.isText() || compiled.type() instanceof Type.Code;
      if (!isKey) {
        throw new CompileError(
            "D_KEY_TYPE", key.place(), "a %s cannot be a key".formatted(compiled.type().text()));
      }
      keys.add(compiled);
      keyTypes.add(compiled.type());
    }
    Aggregate function = function(call);
    Aggregation aggregation = declared(to, function, keyTypes);
    boolean isBuckets = function instanceof Buckets;
    int parameters =
        function instanceof Buckets.Linear ? 4 : function instanceof Buckets.LogLinear ? 5 : 1;
    Value argument =
        function == Aggregate.Scalar.COUNT
            ? Value.constant(Types.INT, 1)
            : scalar(call.arguments().getFirst());
    Value weight =
        isBuckets && call.arguments().size() > parameters
            ? scalar(call.arguments().get(parameters))
            : Value.constant(Types.INT, 1);
    return step(aggregation, keys, argument, weight);
  }

  private Value scalar(Expression argument) {
    Value value = compiler.compile(argument);
    if (!value.type().isNumber()) {
      throw new CompileError(
          "D_AGG_SCALAR",
          argument.place(),
          "a number is added to an aggregation, not a %s".formatted(value.type().text()));
    }
    return value;
  }

  private static Step step(
      Aggregation aggregation, List<Value> keys, Value argument, Value weight) {
    if (keys.isEmpty()) {
      Object[] none = {};
      Object key = Aggregation.key(none);
      return run ->
          run.add(aggregation, key, none, argument.number().get(run), weight.number().get(run));
    }
    return run -> {
      Object[] values = new Object[keys.size()];
      for (int i = 0; i < values.length; i++) {
        values[i] = key(keys.get(i), run);
      }
      run.add(
          aggregation,
          Aggregation.key(values),
          values,
          argument.number().get(run),
          weight.number().get(run));
    };
  }

  private static Object key(Value value, Run run) {
    if (value.isText()) {
      return value.string(run);
    }
    if (value.type() instanceof Type.Code) {
      return value.object().get(run);
    }
    long number = value.number().get(run);
    return value.type() instanceof Type.Integral integral ? integral.cut(number) : number;
  }

  private Aggregation declared(Expression.Aggregation to, Aggregate function, List<Type> keyTypes) {
    Aggregation known = environment.aggregations.get(to.name());
    if (known == null) {
      Aggregation made = new Aggregation(to.name(), function, keyTypes, environment.room);
      environment.aggregations.put(to.name(), made);
      return made;
    }
    Place place = to.place();
    if (!known.function().name().equals(function.name())) {
      throw new CompileError(
          "D_AGG_REDEF",
          place,
          "@%s is a %s(), not a %s()"
              .formatted(
                  to.name(),
                  known.function().name().toLowerCase(Locale.ROOT),
                  function.name().toLowerCase(Locale.ROOT)));
    }
    if (!known.function().equals(function)) {
      throw new CompileError(
          ranges(known.function(), function),
          place,
          "@%s has other ranges elsewhere".formatted(to.name()));
    }
    boolean isSame = known.keyTypes().size() == keyTypes.size();
    for (int i = 0; isSame && i < keyTypes.size(); i++) {
      isSame = Types.areAlike(known.keyTypes().get(i), keyTypes.get(i));
    }
    if (!isSame) {
      throw new CompileError(
          "D_AGG_KEY", place, "@%s has other keys elsewhere".formatted(to.name()));
    }
    return known;
  }

  /** Returns DTrace's tag for the first parameter that is another one. */
  private static String ranges(Aggregate known, Aggregate function) {
    if (known instanceof Buckets.Linear one && function instanceof Buckets.Linear other) {
      return one.base() != other.base()
          ? "D_LQUANT_MATCHBASE"
          : one.limit() != other.limit() ? "D_LQUANT_MATCHLIM" : "D_LQUANT_MATCHSTEP";
    }
    if (known instanceof Buckets.LogLinear one && function instanceof Buckets.LogLinear other) {
      return one.factor() != other.factor()
          ? "D_LLQUANT_MATCHFACTOR"
          : one.low() != other.low()
              ? "D_LLQUANT_MATCHLOW"
              : one.high() != other.high() ? "D_LLQUANT_MATCHHIGH" : "D_LLQUANT_MATCHNSTEPS";
    }
    return "D_AGG_REDEF";
  }

  private Aggregate function(Expression.Call call) {
    int count = call.arguments().size();
    Place place = call.place();
    Optional<Aggregate.Scalar> scalar =
        switch (call.function()) {
          case "count" -> Optional.of(Aggregate.Scalar.COUNT);
          case "sum" -> Optional.of(Aggregate.Scalar.SUM);
          case "min" -> Optional.of(Aggregate.Scalar.MIN);
          case "max" -> Optional.of(Aggregate.Scalar.MAX);
          case "avg" -> Optional.of(Aggregate.Scalar.AVG);
          case "stddev" -> Optional.of(Aggregate.Scalar.STDDEV);
          default -> Optional.empty();
        };
    if (scalar.isPresent()) {
      arguments(
          call,
          scalar.get() == Aggregate.Scalar.COUNT ? 0 : 1,
          scalar.get() == Aggregate.Scalar.COUNT ? 0 : 1);
      return scalar.get();
    }
    return switch (call.function()) {
      case "quantize" -> {
        arguments(call, 1, 2);
        yield new Buckets.PowersOfTwo();
      }
      case "lquantize" -> {
        arguments(call, 3, 5);
        long base = parameter(call, 1);
        long limit = parameter(call, 2);
        long step = count > 3 ? parameter(call, 3) : 1;
        yield linear(place, base, limit, step);
      }
      case "llquantize" -> {
        arguments(call, 5, 6);
        yield logLinear(
            place, parameter(call, 1), parameter(call, 2), parameter(call, 3), parameter(call, 4));
      }
      default ->
          throw new CompileError(
              "D_AGG_FUNC",
              place,
              "%s() is no function of aggregations: those are %s"
                  .formatted(call.function(), String.join(", ", FUNCTIONS)));
    };
  }

  private static Buckets linear(Place place, long base, long limit, long step) {
    boolean isInt = base == (int) base && limit == (int) limit;
    if (!isInt || limit < base || step <= 0 || step > MOST_LEVELS) {
      throw new CompileError(
          base != (int) base
              ? "D_LQUANT_BASEVAL"
              : limit != (int) limit
                  ? "D_LQUANT_LIMVAL"
                  : limit < base
                      ? "D_LQUANT_MISMATCH"
                      : step <= 0 ? "D_LQUANT_STEPTYPE" : "D_LQUANT_STEPVAL",
          place,
          "lquantize() needs base < limit in 32 bits, and a step from 1 to " + MOST_LEVELS);
    }
    long levels = (limit - base) / step;
    if (levels == 0) {
      throw new CompileError(
          "D_LQUANT_STEPLARGE",
          place,
          "lquantize() has no level: the step is larger than what is between base and limit");
    }
    if (levels > MOST_LEVELS) {
      throw new CompileError(
          "D_LQUANT_STEPSMALL",
          place,
          "lquantize() has %d levels, more than %d: take a larger step"
              .formatted(levels, MOST_LEVELS));
    }
    return new Buckets.Linear((int) base, (int) limit, (int) step);
  }

  private static Buckets logLinear(Place place, long factor, long low, long high, long steps) {
    boolean fits =
        factor >= 2
            && low >= 0
            && low < high
            && high < 64
            && factor <= MOST_LEVELS
            && steps >= 1
            && steps <= MOST_LEVELS;
    fits = fits && Math.pow((double) factor, high + 1.0) < 0x1p63;
    long power = factor;
    while (fits && power < steps) {
      power *= factor;
    }
    boolean isEven = fits && (factor % steps == 0 || steps % factor == 0 && power % steps == 0);
    if (!isEven) {
      throw new CompileError(
          "D_LLQUANT_FACTORVAL",
          place,
          "llquantize() needs factor >= 2, low < high, and steps that divide factor, or are a multiple of it and divide a power of it");
    }
    return Buckets.LogLinear.of((int) factor, (int) low, (int) high, (int) steps);
  }

  private long parameter(Expression.Call call, int index) {
    return compiler.constant(call.arguments().get(index));
  }

  private static void arguments(Expression.Call call, int least, int most) {
    int count = call.arguments().size();
    if (count < least || count > most) {
      throw new CompileError(
          "D_PROTO_LEN",
          call.place(),
          "%s() does not take %d arguments".formatted(call.function(), count));
    }
  }
}
