package io.ntrail.analysis.probe.compile;

import io.ntrail.analysis.probe.engine.FieldReference;
import io.ntrail.analysis.probe.engine.Run;
import io.ntrail.analysis.probe.engine.Value;
import io.ntrail.analysis.probe.syntax.CompileError;
import io.ntrail.analysis.probe.syntax.Expression;
import io.ntrail.analysis.probe.syntax.Place;
import io.ntrail.analysis.probe.types.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Fields of events in expressions: {@code args[0]->Name}, {@code args[0]->List[2]}, {@code
 * args[0]->List[i].Member}, {@code args[0]->List_count}.
 */
final class FieldPaths {
  /** End of the name of the field that counts the elements of a list. */
  private static final String COUNT = "_count";

  private final Environment environment;
  private final ExpressionCompiler compiler;

  FieldPaths(Environment environment, ExpressionCompiler compiler) {
    this.environment = environment;
    this.compiler = compiler;
  }

  /**
   * Way to a field from an argument.
   *
   * @param argument its number
   * @param type of what it leads to
   * @param names of the field, and the steps from it on
   * @param elements of lists, one for each step to one
   */
  record Path(int argument, Type type, List<String> names, List<Value> elements, Place place) {
    Path to(Type next, String step, List<Value> more, Place at) {
      List<String> all = new ArrayList<>(names);
      all.add(step);
      List<Value> indices = new ArrayList<>(elements);
      indices.addAll(more);
      return new Path(argument, next, all, indices, at);
    }
  }

  /** Returns the way to a field; empty if an expression is none of an event. */
  Optional<Path> path(Expression expression) {
    return switch (expression) {
      case Expression.Member member ->
          path(member.struct())
              .filter(path -> path.type instanceof Type.Fields)
              .map(path -> member(path, member));
      case Expression.Index(Expression.Name name, _, Place place) when isArguments(name) -> {
        Value argument = compiler.compile(expression);
        yield argument.type() instanceof Type.Fields
            ? Optional.of(
                new Path(
                    (int) argument.constant().orElse(0),
                    argument.type(),
                    List.of(),
                    List.of(),
                    place))
            : Optional.empty();
      }
      case Expression.Index index when index.keys().size() == 1 ->
          path(index.array())
              .filter(path -> path.type instanceof Type.Elements)
              .map(path ->
                  path.to(
                      ((Type.Elements) path.type).of(),
                      FieldReference.ELEMENT,
                      List.of(compiler.number(index.keys().getFirst())),
                      index.place()));
      default -> Optional.empty();
    };
  }

  private static boolean isArguments(Expression.Name name) {
    return name.scope() == Expression.Scope.GLOBAL && name.name().equals("args");
  }

  private static Path member(Path path, Expression.Member member) {
    Type.Fields fields = (Type.Fields) path.type;
    Type.Fields.Field field =
        fields
            .field(member.name())
            .orElseThrow(() ->
                new CompileError(
                    "D_UNKNOWN",
                    member.place(),
                    "%s has no field %s; its fields: %s"
                        .formatted(
                            fields.name(), member.name(), ExpressionCompiler.names(fields))));
    if (field.type() instanceof Type.Nothing) {
      throw new CompileError(
          "D_OP_INCOMPAT",
          member.place(),
          "%s is a string in some of these events, and a number in others: name one event"
              .formatted(field.name()));
    }
    String list = field.name().endsWith(COUNT) ? counted(fields, field.name()) : "";
    return list.isEmpty()
        ? path.to(field.type(), field.name(), List.of(), member.place())
        : path.to(field.type(), list, List.of(), member.place())
            .to(field.type(), FieldReference.COUNT, List.of(), member.place());
  }

  /** Returns the list whose elements a field counts; empty if it is another field. */
  private static String counted(Type.Fields fields, String name) {
    String list = name.substring(0, name.length() - COUNT.length());
    return fields.fields().stream()
            .anyMatch(one -> one.name().equals(list) && one.type() instanceof Type.Elements)
        ? list
        : "";
  }

  /** Returns the value at the end of a way. */
  Value value(Path path) {
    if (path.type instanceof Type.Fields || path.type instanceof Type.Elements) {
      // Of no use by itself: whoever records it tells what is needed.
      return Value.number(path.type, _ -> 0);
    }
    FieldReference reference =
        new FieldReference(
            path.argument, path.names.getFirst(), path.names.subList(1, path.names.size()));
    Value[] elements = path.elements.toArray(Value[]::new);
    if (elements.length == 0) {
      return path.type instanceof Type.Text
          ? environment.limited(run -> bytes(run.fieldText(reference)))
          : Value.number(path.type, run -> run.field(reference));
    }
    return path.type instanceof Type.Text
        ? environment.limited(run -> bytes(run.fieldText(reference.at(indices(elements, run)))))
        : Value.number(path.type, run -> run.field(reference.at(indices(elements, run))));
  }

  private static @Nullable String bytes(@Nullable String text) {
    return text == null ? null : Builtins.bytes(text);
  }

  private static long[] indices(Value[] elements, Run run) {
    long[] indices = new long[elements.length];
    for (int i = 0; i < indices.length; i++) {
      indices[i] = elements[i].number().get(run);
    }
    return indices;
  }
}
