package io.ntrail.analysis.probe.compile;

import io.ntrail.analysis.probe.engine.Options;
import io.ntrail.analysis.probe.syntax.CompileError;
import io.ntrail.analysis.probe.syntax.Expression;
import io.ntrail.analysis.probe.syntax.Expression.Scope;
import io.ntrail.analysis.probe.syntax.Place;
import io.ntrail.analysis.probe.syntax.Program;
import io.ntrail.analysis.probe.syntax.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Memory that a program copies of the arguments of functions: {@code copyin()}, {@code copyinto()},
 * {@code copyinstr()}. When the program runs over functions that are called meanwhile, it has to be
 * known before they are called.
 */
public final class CopiedArguments {
  private static final int MOST_ARGUMENT = 9;
  private static final int MOST_LENGTH = 1 << 20;

  private final Options options;
  private final ProgramTypes types = new ProgramTypes(this::constant);
  private final Map<Start, Copy> copies = new LinkedHashMap<>();

  /** Begin of a copy. */
  private record Start(int argument, int offset) {}

  /**
   * Memory that an argument points to.
   *
   * @param argument its number, from 0
   * @param offset of the first byte from where the argument points to
   * @param length bytes
   * @param isText true if nothing behind the first NUL is wanted
   * @param place where it is asked for
   */
  public record Copy(int argument, int offset, int length, boolean isText, Place place) {}

  private CopiedArguments(Options options) {
    this.options = options;
  }

  /**
   * Returns what a program copies, each place once.
   *
   * @param options are set as the program says
   * @throws CompileError if it copies other memory, or not at an entry
   */
  public static List<Copy> of(Program program, Options options) {
    ProgramCompiler.setOptions(program, options);
    CopiedArguments found = new CopiedArguments(options);
    program.items().forEach(found::item);
    return List.copyOf(found.copies.values());
  }

  private void item(Program.Item item) {
    switch (item) {
      case Program.Typedef typedef -> typedef.declarators().forEach(types::typedef);
      case Program.TypeDeclaration declaration -> types.of(declaration.type());
      case Program.Inline inline -> expression(inline.value(), true);
      case Program.Clause clause -> clause(clause);
      case Program.Variables _, Program.Option _ -> {
        // Nothing is copied there.
      }
    }
  }

  private void clause(Program.Clause clause) {
    boolean isEntry = clause.probes().stream().allMatch(one -> one.name().equals("entry"));
    clause.predicate().ifPresent(predicate -> expression(predicate, isEntry));
    clause.body().ifPresent(body -> statements(body, isEntry));
  }

  private void statements(List<Statement> statements, boolean isEntry) {
    for (Statement statement : statements) {
      switch (statement) {
        case Statement.Evaluate evaluate -> expression(evaluate.expression(), isEntry);
        case Statement.If choice -> {
          expression(choice.condition(), isEntry);
          statements(choice.then(), isEntry);
          statements(choice.otherwise(), isEntry);
        }
      }
    }
  }

  private void expression(Expression expression, boolean isEntry) {
    if (expression instanceof Expression.Call call) {
      switch (call.function()) {
        case "copyin", "copyinto" -> copy(call, isEntry, false);
        case "copyinstr" -> copy(call, isEntry, true);
        default -> {
          // It copies nothing itself.
        }
      }
    }
    parts(expression).forEach(part -> expression(part, isEntry));
  }

  private static List<Expression> parts(Expression expression) {
    return switch (expression) {
      case Expression.Number _,
          Expression.Text _,
          Expression.Name _,
          Expression.SizeOfType _,
          Expression.SizeOf _,
          Expression.OffsetOf _ ->
          List.of();
      case Expression.Aggregation aggregation -> aggregation.keys();
      case Expression.Prefix prefix -> List.of(prefix.operand());
      case Expression.Postfix postfix -> List.of(postfix.operand());
      case Expression.Binary binary -> List.of(binary.left(), binary.right());
      case Expression.Assignment assignment -> List.of(assignment.target(), assignment.value());
      case Expression.Conditional choice ->
          List.of(choice.condition(), choice.then(), choice.otherwise());
      case Expression.Call call -> call.arguments();
      case Expression.Index index -> {
        List<Expression> all = new ArrayList<>(index.keys());
        all.add(index.array());
        yield all;
      }
      case Expression.Member member -> List.of(member.struct());
      case Expression.Cast cast -> List.of(cast.operand());
      case Expression.StringOf text -> List.of(text.operand());
    };
  }

  private void copy(Expression.Call call, boolean isEntry, boolean isText) {
    if (!isEntry) {
      throw new CompileError(
          "D_PROTO_ARG",
          call.place(),
          ("%s() of a program that runs copies what the arguments of a function point to when it is"
                  + " entered: use it at probes of entry")
              .formatted(call.function()));
    }
    List<Expression> given = call.arguments();
    if (given.size() < (isText ? 1 : 2)) {
      // Told when it is compiled.
      return;
    }
    Start start = start(call, given.getFirst());
    int room = options.size("strsize") - 1;
    long wanted =
        isText
            ? given.size() > 1 ? constantOr(given.get(1), room) : room
            : length(call, given.get(1));
    int length = Math.clamp(wanted, 0, isText ? room : MOST_LENGTH);
    copies.merge(
        start,
        new Copy(start.argument, start.offset, length, isText, call.place()),
        (one, other) ->
            new Copy(
                start.argument,
                start.offset,
                Math.max(one.length, other.length),
                one.isText && other.isText,
                other.place));
  }

  private Start start(Expression.Call call, Expression address) {
    Optional<Integer> argument = argument(address);
    if (argument.isPresent()) {
      return new Start(argument.get(), 0);
    }
    if (address
        instanceof Expression.Binary(String operator, Expression left, Expression right, _)) {
      boolean isSum = operator.equals("+");
      if (isSum && argument(right).isPresent() && offset(left).isPresent()) {
        return new Start(argument(right).get(), offset(left).get());
      }
      if ((isSum || operator.equals("-"))
          && argument(left).isPresent()
          && offset(right).isPresent()) {
        int offset = offset(right).get();
        return new Start(argument(left).get(), isSum ? offset : -offset);
      }
    }
    throw new CompileError(
        "D_PROTO_ARG",
        address.place(),
        ("%s() of a program that runs copies what arguments point to, when the function is entered:"
                + " arg0 to arg9, or one of them plus a constant")
            .formatted(call.function()));
  }

  /** Returns the number of an argument, whatever type it is converted to. */
  private static Optional<Integer> argument(Expression expression) {
    return switch (expression) {
      case Expression.Cast cast -> argument(cast.operand());
      case Expression.Name(String name, Scope scope, _)
          when scope == Scope.GLOBAL
              && name.length() == 4
              && name.startsWith("arg")
              && name.charAt(3) >= '0'
              && name.charAt(3) <= '0' + MOST_ARGUMENT ->
          Optional.of(name.charAt(3) - '0');
      default -> Optional.empty();
    };
  }

  private Optional<Integer> offset(Expression expression) {
    long value = constantOr(expression, Long.MAX_VALUE);
    return Math.abs(value) <= MOST_LENGTH ? Optional.of((int) value) : Optional.empty();
  }

  private long length(Expression.Call call, Expression expression) {
    long length = constantOr(expression, -1);
    if (length < 0) {
      throw new CompileError(
          "D_PROTO_ARG",
          expression.place(),
          "%s() of a program that runs needs a constant number of bytes"
              .formatted(call.function()));
    }
    return length;
  }

  private long constantOr(Expression expression, long other) {
    try {
      return constant(expression);
    } catch (CompileError e) {
      return other;
    }
  }

  /** Returns the value of a constant, as far as sizes need it. */
  private long constant(Expression expression) {
    return switch (expression) {
      case Expression.Number number -> number.value();
      case Expression.Cast cast -> constant(cast.operand());
      case Expression.SizeOfType size -> types.of(size.type()).size();
      case Expression.Name name when types.constant(name.name()).isPresent() ->
          types.constant(name.name()).get();
      case Expression.Binary(String operator, Expression left, Expression right, Place place) ->
          switch (operator) {
            case "+" -> constant(left) + constant(right);
            case "-" -> constant(left) - constant(right);
            case "*" -> constant(left) * constant(right);
            default -> throw new CompileError("D_OP_INT", place, "a constant is needed here");
          };
      default ->
          throw new CompileError("D_OP_INT", expression.place(), "a constant is needed here");
    };
  }
}
