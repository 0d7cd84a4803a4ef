package io.ntrail.analysis.probe.compile;

import io.ntrail.analysis.probe.compile.Environment.Variable;
import io.ntrail.analysis.probe.engine.Memory;
import io.ntrail.analysis.probe.engine.Run;
import io.ntrail.analysis.probe.engine.Value;
import io.ntrail.analysis.probe.syntax.Expression.Scope;
import io.ntrail.analysis.probe.types.StructType;
import io.ntrail.analysis.probe.types.Type;
import io.ntrail.analysis.probe.types.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Places of variables and of what lies in memory. */
final class VariableTargets {
  private final Environment environment;

  VariableTargets(Environment environment) {
    this.environment = environment;
  }

  /** Returns the place of a variable; of an array with keys, that of an element. */
  Target of(Variable variable, List<Value> keys) {
    if (variable.address() != 0) {
      long address = variable.address();
      return memory(variable.type(), _ -> address);
    }
    if (variable.isDynamic()) {
      return dynamic(variable, keys);
    }
    int slot = variable.slot();
    if (variable.type() instanceof Type.Text) {
      int most = environment.options.size("strsize") - 1;
      return Target.text(
          kept(run -> run.variables().text(slot)),
          (run, value) -> run.variables().set(slot, cut(value, most)));
    }
    return Target.number(
        Value.number(variable.type(), run -> run.variables().number(slot)),
        (run, value) -> run.variables().set(slot, value));
  }

  /** Returns a string of a variable: one that was never set has no characters. */
  static Value kept(Value.Textual text) {
    return Value.text(
        new Value.Textual() {
          @Override
          public @Nullable String get(Run run) {
            return text.get(run);
          }

          @Override
          public String string(Run run) {
            String value = text.get(run);
            return value == null ? "" : value;
          }
        });
  }

  private static @Nullable String cut(@Nullable String text, int most) {
    return text == null || text.length() <= most ? text : text.substring(0, most);
  }

  private Target dynamic(Variable variable, List<Value> keys) {
    Function<Run, Object> key = key(variable, keys);
    if (variable.type() instanceof StructType || variable.type() instanceof Type.Array) {
      int size = variable.type().size();
      return memory(
          variable.type(), run -> run.variables().block(key.apply(run), size, run.memory()));
    }
    if (variable.type() instanceof Type.Text) {
      int most = environment.options.size("strsize") - 1;
      return Target.text(
          kept(run -> (String) run.variables().dynamic(key.apply(run))),
          (run, value) -> run.variables().setDynamic(key.apply(run), cut(value, most)));
    }
    return Target.cell(
        variable.type(),
        new Target.Cell() {
          @Override
          public Object locate(Run run) {
            return key.apply(run);
          }

          @Override
          public long get(Run run, Object at) {
            return run.variables().dynamic(at) instanceof Long number ? number : 0;
          }

          @Override
          public void set(Run run, Object at, long value) {
            run.variables().setDynamic(at, value);
          }
        });
  }

  /** Returns what makes the key of a value: the variable, the thread, the keys. */
  private static Function<Run, Object> key(Variable variable, List<Value> keys) {
    Integer slot = variable.slot();
    boolean isThread = variable.scope() == Scope.THREAD;
    return run -> {
      List<Object> all = new ArrayList<>(keys.size() + 2);
      all.add(slot);
      if (isThread) {
        all.add(run.event().threadId());
      }
      for (Value one : keys) {
        all.add(one.isText() ? one.string(run) : (Object) one.number().get(run));
      }
      return all;
    };
  }

  /** Returns a place in memory. */
  static Target memory(Type type, Value.Numeric address) {
    if (type.isNumber()) {
      int bytes = type.size();
      boolean isSigned = !type.isUnsigned();
      return Target.cell(
          type,
          new Target.Cell() {
            @Override
            public Object locate(Run run) {
              return address.get(run);
            }

            @Override
            public long get(Run run, Object at) {
              return run.memory().number((long) at, bytes, isSigned);
            }

            @Override
            public void set(Run run, Object at, long value) {
              run.memory().set((long) at, bytes, value);
            }
          });
    }
    if (type instanceof Type.Text) {
      return Target.text(
          Value.text(run -> run.memory().text(address.get(run), Types.TEXT.size())),
          (run, value) -> store(run.memory(), address.get(run), value == null ? "" : value));
    }
    int size = type.size();
    return Target.number(
        Value.number(type, address),
        (run, from) -> run.memory().write(address.get(run), run.memory().read(from, size)));
  }

  private static void store(Memory memory, long address, String text) {
    int length = Math.min(text.length(), Types.TEXT.size() - 1);
    byte[] bytes = new byte[length + 1];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) text.charAt(i);
    }
    memory.write(address, bytes);
  }

  /** Returns the place of a member. */
  static Target member(StructType.Member member, Value.Numeric address) {
    int offset = member.offset();
    Value.Numeric at = run -> address.get(run) + offset;
    if (member.bits() == 0) {
      return memory(member.type(), at);
    }
    int size = member.type().size();
    int unused = 64 - member.bits();
    int shift = member.shift();
    boolean isUnsigned = member.type().isUnsigned();
    long mask = -1L >>> unused << shift;
    return Target.cell(
        member.type(),
        new Target.Cell() {
          @Override
          public Object locate(Run run) {
            return at.get(run);
          }

          @Override
          public long get(Run run, Object place) {
            long bits = run.memory().number((long) place, size, false) >>> shift << unused;
            return isUnsigned ? bits >>> unused : bits >> unused;
          }

          @Override
          public void set(Run run, Object place, long value) {
            long before = run.memory().number((long) place, size, false);
            run.memory().set((long) place, size, before & ~mask | value << shift & mask);
          }
        });
  }
}
