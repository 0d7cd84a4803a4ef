package io.ntrail.analysis.probe.compile;

import io.ntrail.analysis.probe.aggregation.Aggregation;
import io.ntrail.analysis.probe.aggregation.KeyRoom;
import io.ntrail.analysis.probe.engine.Memory;
import io.ntrail.analysis.probe.engine.Options;
import io.ntrail.analysis.probe.engine.Probe;
import io.ntrail.analysis.probe.engine.Value;
import io.ntrail.analysis.probe.syntax.CompileError;
import io.ntrail.analysis.probe.syntax.Expression.Scope;
import io.ntrail.analysis.probe.syntax.Place;
import io.ntrail.analysis.probe.syntax.Program;
import io.ntrail.analysis.probe.types.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Names of a program that is being compiled: variables, aggregations, inlines. */
final class Environment {
  final Options options;
  final Memory memory;
  final Map<String, Variable> variables = new HashMap<>();
  final Map<String, Aggregation> aggregations = new LinkedHashMap<>();
  final Map<String, Program.Inline> inlines = new HashMap<>();
  final List<Integer> clauseSlots = new ArrayList<>();
  final KeyRoom room;

  private int slots;

  /** Probes of the clause that is compiled. */
  List<Probe> probes = List.of();

  /**
   * Variable of a program.
   *
   * @param slot its number
   * @param address of a struct or array; 0: it is none
   * @param keys types of the keys of an associative array; null: it is none
   */
  record Variable(
      Scope scope, String name, Type type, int slot, long address, @Nullable List<Type> keys) {
    /** Returns true if it has a value for each key or thread. */
    boolean isDynamic() {
      return keys != null || scope == Scope.THREAD;
    }
  }

  Environment(Options options, Memory memory) {
    this.options = options;
    this.memory = memory;
    this.room = new KeyRoom(options.get("aggsize"));
  }

  /** Returns how many variables there are. */
  int slots() {
    return slots;
  }

  /** Returns a string as variables keep it: no longer than strings may be. */
  Value limited(Value.Textual text) {
    int most = Math.max(0, options.size("strsize") - 1);
    return Value.text(run -> {
      String value = text.get(run);
      return value == null || value.length() <= most ? value : value.substring(0, most);
    });
  }

  static String key(Scope scope, String name) {
    return scope + " " + name;
  }

  /** Adds a variable. */
  Variable declare(Scope scope, String name, Type type, @Nullable List<Type> keys, Place place) {
    boolean isMemory = !type.isNumber() && !(type instanceof Type.Text);
    boolean isDynamic = keys != null || scope == Scope.THREAD;
    long address = isMemory && !isDynamic ? memory.variable(type.size()) : 0;
    if (isMemory && !isDynamic && address == 0) {
      throw new CompileError(
          "D_DECL_OVERSIZE", place, "there is no more room for variables: " + name);
    }
    Variable variable = new Variable(scope, name, type, slots++, address, keys);
    variables.put(key(scope, name), variable);
    if (scope == Scope.CLAUSE) {
      clauseSlots.add(variable.slot);
    }
    return variable;
  }
}
