package io.ntrail.analysis.probe.compile;

import io.ntrail.analysis.probe.engine.Probe;
import io.ntrail.analysis.probe.engine.Value;
import io.ntrail.analysis.probe.engine.Value.Numeric;
import io.ntrail.analysis.probe.syntax.CompileError;
import io.ntrail.analysis.probe.syntax.Expression;
import io.ntrail.analysis.probe.syntax.Expression.Scope;
import io.ntrail.analysis.probe.syntax.Place;
import io.ntrail.analysis.probe.types.Type;
import io.ntrail.analysis.probe.types.Types;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Variables that every program has: what its event is, and where it fired. */
final class Builtins {
  /** Characters of a name that the kernel of Windows keeps of a program. */
  private static final int NAME = 14;

  /** Variables that other programs do not know: one of their own may have such a name. */
  private static final Set<String> EXTENSIONS = Set.of("duration", "exception", "execpath");

  /**
   * Constants of the arguments of io and proc, as io.d and signal.d of DTrace have them; those that
   * a program declares count.
   */
  private static final Map<String, Integer> CONSTANTS =
      Map.ofEntries(
          Map.entry("B_BUSY", 0x1),
          Map.entry("B_DONE", 0x2),
          Map.entry("B_ERROR", 0x4),
          Map.entry("B_PAGEIO", 0x10),
          Map.entry("B_PHYS", 0x20),
          Map.entry("B_READ", 0x40),
          Map.entry("B_WRITE", 0x100),
          Map.entry("B_ASYNC", 0x400),
          Map.entry("CLD_EXITED", 1),
          Map.entry("CLD_KILLED", 2),
          Map.entry("CLD_DUMPED", 3));

  private static final List<String> NAMES =
      List.of(
          "timestamp",
          "walltimestamp",
          "vtimestamp",
          "cpu",
          "pid",
          "ppid",
          "tid",
          "id",
          "epid",
          "duration",
          "exception",
          "irql",
          "errno",
          "uid",
          "gid",
          "stackdepth",
          "ustackdepth",
          "curthread",
          "caller",
          "ucaller",
          "execname",
          "execpath",
          "execargs",
          "zonename",
          "probeprov",
          "probemod",
          "probefunc",
          "probename",
          "args",
          "arg0",
          "arg1");

  private final Environment environment;

  Builtins(Environment environment) {
    this.environment = environment;
  }

  private static Optional<Value> number(Type type, Numeric value) {
    return Optional.of(Value.number(type, value));
  }

  private Optional<Value> text(Value.Textual value) {
    return Optional.of(environment.limited(value));
  }

  /** Returns the variable of a name; empty if there is none. */
  Optional<Value> of(Expression.Name name) {
    if (name.scope() != Scope.GLOBAL) {
      return Optional.empty();
    }
    String word = name.name();
    if (word.matches("arg\\d")) {
      int argument = word.charAt(3) - '0';
      return number(Types.INT64, run -> run.event().argument(argument));
    }
    return switch (word) {
      case "timestamp" -> number(Types.UINT64, run -> run.event().timestamp());
      case "walltimestamp" -> number(Types.INT64, run -> run.event().wallTimestamp());
      case "vtimestamp" -> number(Types.UINT64, run -> run.event().virtualTimestamp());
      case "cpu" -> number(Types.INT, run -> run.event().cpu());
      case "pid" -> number(Types.INT, run -> run.processId());
      case "ppid" -> number(Types.INT, run -> run.parentId());
      case "tid" -> number(Types.INT, run -> run.event().threadId());
      case "id" ->
          number(new Type.Integral("unsigned int", 4, false), run -> run.enabling().probe().id());
      case "epid" ->
          number(new Type.Integral("unsigned int", 4, false), run -> run.enabling().id());
      case "duration" -> number(Types.INT64, run -> run.event().duration());
      case "exception" -> number(Types.UINT32, run -> run.event().exception());
      case "stackdepth" -> number(Types.UINT32, run -> run.event().stack(false).size());
      case "ustackdepth" -> number(Types.UINT32, run -> run.event().stack(true).size());
      case "execname" -> text(run -> cut(bytes(run.program())));
      case "execpath" -> text(run -> bytes(run.program()));
      case "execargs" -> text(run -> bytes(run.event().commandLine()));
      case "zonename" -> text(_ -> "global");
      case "probeprov" -> text(run -> run.enabling().probe().provider());
      case "probemod" -> text(run -> bytes(run.enabling().probe().module()));
      case "probefunc" -> text(run -> bytes(run.enabling().probe().function()));
      case "probename" -> text(run -> bytes(run.enabling().probe().name()));
      case "NULL" -> Optional.of(Value.constant(Types.ADDRESS, 0));
      case "irql", "errno", "uid", "gid", "curthread", "caller", "ucaller", "uregs" ->
          throw new CompileError(
              "D_VAR_UNSUP",
              name.place(),
              "%s is not known of events: nothing records it".formatted(word));
      default ->
          Optional.ofNullable(CONSTANTS.get(word)).map(value -> Value.constant(Types.INT, value));
    };
  }

  /** Returns true for a variable of DTrace: a program cannot have one with its name. */
  boolean isFixed(Expression.Name name) {
    return !EXTENSIONS.contains(name.name())
        && !CONSTANTS.containsKey(name.name())
        && of(name).isPresent();
  }

  /** Returns the names of all variables. */
  static List<String> names() {
    return NAMES;
  }

  private static String cut(String name) {
    return name.length() <= NAME ? name : name.substring(0, NAME);
  }

  /** Returns the bytes of a text in UTF-8, a character for each. */
  static String bytes(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) >= 0x80) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
      }
    }
    return text;
  }

  /** Returns {@code args[n]}, with the type that the probes of the clause give it. */
  Value argument(List<Expression> keys, ExpressionCompiler compiler, Place place) {
    if (keys.size() != 1) {
      throw new CompileError("D_ARGS_NONE", place, "args has one index");
    }
    int index = Math.clamp(compiler.constant(keys.getFirst()), -1, 1000);
    List<Type> types = new ArrayList<>();
    for (Probe probe : environment.probes) {
      if (index >= 0 && index < probe.arguments().size()) {
        types.add(probe.arguments().get(index));
      }
    }
    if (types.isEmpty()) {
      throw new CompileError(
          "D_ARGS_IDX", place, "the probes of this clause have no args[%d]".formatted(index));
    }
    Type first = types.getFirst();
    if (first instanceof Type.Fields) {
      // Its number is what fields of it are found by.
      return Value.constant(joined(types), index);
    }
    return first instanceof Type.Text
        ? environment.limited(run -> run.event().argumentText(index))
        : Value.number(first, run -> run.event().argument(index));
  }

  /** Returns the fields of all events that a clause may fire for. */
  private static Type.Fields joined(List<Type> types) {
    Map<String, Type.Fields.Field> fields = new LinkedHashMap<>();
    String name = "";
    for (Type type : types) {
      if (type instanceof Type.Fields its) {
        name = name.isEmpty() ? its.name() : name;
        its.fields().forEach(field -> fields.merge(field.name(), field, Builtins::joined));
      }
    }
    return new Type.Fields(name, List.copyOf(fields.values()));
  }

  private static Type.Fields.Field joined(Type.Fields.Field one, Type.Fields.Field other) {
    boolean isSame = one.type() instanceof Type.Text == other.type() instanceof Type.Text;
    return isSame ? one : new Type.Fields.Field(one.name(), Types.VOID);
  }
}
