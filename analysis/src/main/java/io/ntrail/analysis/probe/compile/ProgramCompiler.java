package io.ntrail.analysis.probe.compile;

import io.ntrail.analysis.probe.aggregation.Aggregation;
import io.ntrail.analysis.probe.engine.CompiledClause;
import io.ntrail.analysis.probe.engine.CompiledClause.Step;
import io.ntrail.analysis.probe.engine.Consumer;
import io.ntrail.analysis.probe.engine.Enabling;
import io.ntrail.analysis.probe.engine.Memory;
import io.ntrail.analysis.probe.engine.Options;
import io.ntrail.analysis.probe.engine.Probe;
import io.ntrail.analysis.probe.engine.Run;
import io.ntrail.analysis.probe.engine.Value;
import io.ntrail.analysis.probe.syntax.CompileError;
import io.ntrail.analysis.probe.syntax.Expression;
import io.ntrail.analysis.probe.syntax.ProbeDescription;
import io.ntrail.analysis.probe.syntax.Program;
import io.ntrail.analysis.probe.syntax.Statement;
import io.ntrail.analysis.probe.syntax.TypeName;
import io.ntrail.analysis.probe.types.Type;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Makes a program that runs out of one that was read. */
public final class ProgramCompiler {
  private static final int MOST_ENABLINGS = 1 << 20;

  private final Environment environment;
  private final ExpressionCompiler expressions;
  private final Actions actions;
  private final ProbeMatcher matcher;
  private final List<Enabling> enablings = new ArrayList<>();
  private final List<DescribedClause> clauses = new ArrayList<>();

  /** Finder of probes. */
  @FunctionalInterface
  public interface ProbeMatcher {
    /**
     * Returns the probes that a description means.
     *
     * @throws CompileError if there are none
     */
    List<Probe> matching(ProbeDescription description);
  }

  /**
   * Program that can run.
   *
   * @param enablings in the order of the program
   * @param aggregations in the order in which they appear
   * @param variables number of them
   * @param clauseLocals those that a firing begins without
   * @param clauses in the order of the program
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Compiled(
      List<Enabling> enablings,
      List<Aggregation> aggregations,
      int variables,
      int[] clauseLocals,
      List<DescribedClause> clauses) {}

  /**
   * Clause with the probes that it is for.
   *
   * @param probes as the program describes them
   */
  public record DescribedClause(List<ProbeDescription> probes, CompiledClause clause) {
    /** Copies. */
    public DescribedClause {
      probes = List.copyOf(probes);
    }
  }

  private ProgramCompiler(Options options, Memory memory, ProbeMatcher matcher) {
    this.environment = new Environment(options, memory);
    this.matcher = matcher;
    PrintStream nowhere =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    Consumer none = new Consumer(options, OutputStream.nullOutputStream(), nowhere, List.of());
    Run constants = new Run(options, none, memory, NoEvent.NONE);
    this.expressions = new ExpressionCompiler(environment, constants);
    this.actions = new Actions(environment, expressions);
  }

  /**
   * Compiles a program.
   *
   * @param options are set as the program says
   * @throws CompileError if it makes no sense
   */
  public static Compiled compile(
      Program program, Options options, Memory memory, ProbeMatcher matcher) {
    setOptions(program, options);
    ProgramCompiler compiler = new ProgramCompiler(options, memory, matcher);
    program.items().forEach(compiler::item);
    return new Compiled(
        List.copyOf(compiler.enablings),
        List.copyOf(compiler.environment.aggregations.values()),
        compiler.environment.slots(),
        compiler.environment.clauseSlots.stream().mapToInt(Integer::intValue).toArray(),
        List.copyOf(compiler.clauses));
  }

  /** Sets the options that a program names. */
  static void setOptions(Program program, Options options) {
    for (Program.Item item : program.items()) {
      if (item instanceof Program.Option option) {
        Optional<String> refusal = options.set(option.name(), option.value());
        if (refusal.isPresent()) {
          throw new CompileError("D_PRAGMA_OPTSET", option.place(), refusal.get());
        }
      }
    }
  }

  private void item(Program.Item item) {
    switch (item) {
      case Program.Option _ -> {
        // Set before.
      }
      case Program.Typedef typedef -> typedef.declarators().forEach(expressions.types()::typedef);
      case Program.TypeDeclaration declaration -> expressions.types().of(declaration.type());
      case Program.Inline inline -> expressions.inline(inline);
      case Program.Variables variables ->
          variables.declarators().forEach(one -> declare(variables.scope(), one));
      case Program.Clause clause -> clause(clause);
    }
  }

  private void declare(Expression.Scope scope, TypeName.Declarator declarator) {
    Type type = expressions.types().of(declarator.type());
    @Nullable List<Type> keys =
        declarator
            .keys()
            .map(names -> names.stream().map(expressions.types()::of).toList())
            .orElse(null);
    boolean isKnown =
        environment.variables.containsKey(Environment.key(scope, declarator.name()))
            || expressions.isBuiltin(
                new Expression.Name(declarator.name(), scope, declarator.place()));
    if (isKnown) {
      throw new CompileError(
          "D_DECL_IDRED", declarator.place(), "%s is declared twice".formatted(declarator.name()));
    }
    environment.declare(scope, declarator.name(), type, keys, declarator.place());
  }

  private void clause(Program.Clause clause) {
    List<Probe> probes = new ArrayList<>();
    clause.probes().forEach(description -> probes.addAll(matcher.matching(description)));
    environment.probes = probes;
    Optional<Value> predicate = clause.predicate().map(expressions::condition);
    List<Step> steps = new ArrayList<>();
    clause.body().ifPresent(body -> body.forEach(statement -> steps.add(statement(statement))));
    clause.body().ifPresent(SpeculationRules::check);
    CompiledClause compiled = new CompiledClause(predicate, steps, steps.isEmpty(), clause.text());
    if (enablings.size() + probes.size() > MOST_ENABLINGS) {
      throw new CompileError(
          "D_PDESC_INVAL",
          clause.place(),
          "more than %d probes at all clauses: describe fewer".formatted(MOST_ENABLINGS));
    }
    clauses.add(new DescribedClause(clause.probes(), compiled));
    probes.forEach(probe -> enablings.add(new Enabling(enablings.size() + 1, probe, compiled)));
  }

  private Step statement(Statement statement) {
    return switch (statement) {
      case Statement.If choice -> {
        Value condition = expressions.condition(choice.condition());
        List<Step> then = choice.then().stream().map(this::statement).toList();
        List<Step> otherwise = choice.otherwise().stream().map(this::statement).toList();
        yield run -> {
          for (Step step : run.isMet(condition) ? then : otherwise) {
            step.run(run);
          }
        };
      }
      case Statement.Evaluate evaluate -> step(evaluate.expression());
    };
  }

  private Step step(Expression expression) {
    if (expression
        instanceof
        Expression.Assignment(String operator, Expression.Aggregation to, Expression value, _)) {
      if (!operator.isEmpty()) {
        throw new CompileError("D_AGG_CONTEXT", to.place(), "an aggregation is only assigned to");
      }
      return actions.add(to, value);
    }
    if (expression instanceof Expression.Call call) {
      Optional<Step> action = actions.of(call);
      if (action.isPresent()) {
        return action.get();
      }
    }
    if (expression instanceof Expression.Aggregation alone) {
      throw new CompileError(
          "D_AGG_NULL", alone.place(), "@%s needs a function: = count()".formatted(alone.name()));
    }
    Value value = expressions.compile(expression);
    return value.isText() ? value.text()::get : value.number()::get;
  }
}
