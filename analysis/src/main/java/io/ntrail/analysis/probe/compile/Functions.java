package io.ntrail.analysis.probe.compile;

import io.ntrail.analysis.probe.engine.Fault;
import io.ntrail.analysis.probe.engine.Run;
import io.ntrail.analysis.probe.engine.Value;
import io.ntrail.analysis.probe.syntax.CompileError;
import io.ntrail.analysis.probe.syntax.Expression;
import io.ntrail.analysis.probe.types.Type;
import io.ntrail.analysis.probe.types.Types;
import java.util.List;
import java.util.Locale;
import java.util.function.LongUnaryOperator;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Functions that have a value and no effect but on memory of their own. */
final class Functions {
  private static final int MOST_PART = 1 << 20;

  private final Environment environment;

  Functions(Environment environment) {
    this.environment = environment;
  }

  /** Call that is being compiled. */
  private record Arguments(Expression.Call call, ExpressionCompiler compiler) {
    Arguments count(int least, int most) {
      int count = call.arguments().size();
      if (count < least || count > most) {
        String wanted = least == most ? Integer.toString(least) : least + " to " + most;
        throw new CompileError(
            "D_PROTO_LEN",
            call.place(),
            "%s() takes %s arguments, not %d".formatted(call.function(), wanted, count));
      }
      return this;
    }

    boolean has(int index) {
      return index < call.arguments().size();
    }

    Value text(int index) {
      return compiler.text(call.arguments().get(index));
    }

    Value number(int index) {
      return compiler.number(call.arguments().get(index));
    }

    Value any(int index) {
      return compiler.compile(call.arguments().get(index));
    }
  }

  /** Returns the value of a call. */
  Value call(Expression.Call call, ExpressionCompiler compiler) {
    Arguments arguments = new Arguments(call, compiler);
    return switch (call.function()) {
      case "strlen" -> {
        Value text = arguments.count(1, 1).text(0);
        yield Value.number(Types.UINT64, run -> text.string(run).length());
      }
      case "strjoin" -> {
        Value left = arguments.count(2, 2).text(0);
        Value right = arguments.text(1);
        yield limited(run -> left.string(run) + right.string(run));
      }
      case "substr" -> part(arguments.count(2, 3));
      case "index", "rindex" -> index(arguments.count(2, 3), call.function().equals("index"));
      case "strchr", "strrchr" ->
          character(arguments.count(2, 2), call.function().equals("strchr"));
      case "strstr" -> {
        Value text = arguments.count(2, 2).text(0);
        Value wanted = arguments.text(1);
        yield Value.text(
            run -> from(text.string(run), text.string(run).indexOf(wanted.string(run))));
      }
      case "strtok" -> token(arguments.count(2, 2));
      case "toupper" -> mapped(arguments.count(1, 1), text -> text.toUpperCase(Locale.ROOT));
      case "tolower" -> mapped(arguments.count(1, 1), text -> text.toLowerCase(Locale.ROOT));
      case "basename" -> mapped(arguments.count(1, 1), Texts::baseName);
      case "dirname" -> mapped(arguments.count(1, 1), Texts::folder);
      case "cleanpath" -> mapped(arguments.count(1, 1), Texts::clean);
      case "lltostr" -> {
        Value number = arguments.count(1, 2).number(0);
        Value base = arguments.has(1) ? arguments.number(1) : Value.constant(Types.INT, 10);
        yield Value.text(run -> Texts.number(number.number().get(run), base.number().get(run)));
      }
      case "strtoll" -> {
        Value text = arguments.count(1, 2).text(0);
        Value base = arguments.has(1) ? arguments.number(1) : Value.constant(Types.INT, 10);
        yield Value.number(
            Types.INT64, run -> Texts.parse(text.string(run), base.number().get(run)));
      }
      case "json" -> {
        Value text = arguments.count(2, 2).text(0);
        Value path = arguments.text(1);
        yield Value.text(run -> JsonPath.value(text.string(run), path.string(run)));
      }
      case "htons", "ntohs" ->
          swapped(arguments.count(1, 1), 2, v -> Short.reverseBytes((short) v) & 0xFFFFL);
      case "htonl", "ntohl" ->
          swapped(arguments.count(1, 1), 4, v -> Integer.reverseBytes((int) v) & 0xFFFF_FFFFL);
      case "htonll", "ntohll" -> swapped(arguments.count(1, 1), 8, Long::reverseBytes);
      case "rand" -> {
        arguments.count(0, 0);
        yield Value.number(Types.INT, Run::nextRandom);
      }
      case "speculation" -> {
        arguments.count(0, 0);
        yield Value.number(Types.INT, Run::beginSpeculation);
      }
      case "progenyof" -> {
        Value of = arguments.count(1, 1).number(0);
        yield Value.number(
            Types.INT,
            run -> {
              long wanted = of.number().get(run);
              return wanted == run.event().processId() || wanted == run.event().parentId() ? 1 : 0;
            });
      }
      case "alloca" -> {
        Value size = arguments.count(1, 1).number(0);
        yield Value.number(Types.ADDRESS, run -> run.memory().allocate(size.number().get(run)));
      }
      case "copyin" -> {
        Value from = arguments.count(2, 2).number(0);
        Value size = arguments.number(1);
        yield Value.number(
            Types.ADDRESS,
            run -> {
              byte[] bytes = run.memory().read(from.number().get(run), size.number().get(run));
              long to = run.memory().allocate(bytes.length);
              run.memory().write(to, bytes);
              return to;
            });
      }
      case "copyinstr" -> {
        Value from = arguments.count(1, 2).number(0);
        Value most = arguments.has(1) ? arguments.number(1) : Value.constant(Types.INT, MOST_PART);
        int room = environment.options.size("strsize") - 1;
        yield Value.text(run ->
            run.memory().text(from.number().get(run), Math.clamp(most.number().get(run), 0, room)));
      }
      case "bcopy" -> {
        Value from = arguments.count(3, 3).number(0);
        Value to = arguments.number(1);
        Value size = arguments.number(2);
        yield Value.number(
            Types.VOID,
            run -> {
              run.memory()
                  .write(
                      to.number().get(run),
                      run.memory().read(from.number().get(run), size.number().get(run)));
              return 0;
            });
      }
      case "inet_ntoa" -> {
        Value address = arguments.count(1, 1).any(0);
        yield Value.text(run -> {
          byte[] bytes = run.memory().read(address.number().get(run), 4);
          return "%d.%d.%d.%d"
              .formatted(bytes[0] & 0xFF, bytes[1] & 0xFF, bytes[2] & 0xFF, bytes[3] & 0xFF);
        });
      }
      case "stack", "ustack", "jstack" -> stack(arguments.count(0, 2));
      case "sym", "usym", "func", "ufunc", "mod", "umod", "uaddr" -> place(arguments.count(1, 1));
      default ->
          throw new CompileError(
              "D_PROTO_UNKNOWN",
              call.place(),
              "there is no function %s()".formatted(call.function()));
    };
  }

  private Value limited(Value.Textual text) {
    int most = environment.options.size("strsize") - 1;
    return Value.text(run -> {
      String value = text.get(run);
      return value == null || value.length() <= most ? value : value.substring(0, most);
    });
  }

  private static Value mapped(Arguments arguments, UnaryOperator<String> by) {
    Value text = arguments.text(0);
    return Value.text(run -> by.apply(text.string(run)));
  }

  private static Value swapped(Arguments arguments, int size, LongUnaryOperator by) {
    Value number = arguments.number(0);
    return Value.number(
        Types.integral(size, false), run -> by.applyAsLong(number.number().get(run)));
  }

  private static Value part(Arguments arguments) {
    Value text = arguments.text(0);
    Value from = arguments.number(1);
    Value length = arguments.has(2) ? arguments.number(2) : Value.constant(Types.INT64, MOST_PART);
    return Value.text(
        run -> Texts.part(text.string(run), from.number().get(run), length.number().get(run)));
  }

  private static Value index(Arguments arguments, boolean isFirst) {
    Value text = arguments.text(0);
    Value wanted = arguments.text(1);
    Value from =
        arguments.has(2)
            ? arguments.number(2)
            : Value.constant(Types.INT, isFirst ? 0 : Integer.MAX_VALUE);
    return Value.number(
        Types.INT,
        isFirst
            ? run -> Texts.index(text.string(run), wanted.string(run), from.number().get(run))
            : run -> Texts.lastIndex(text.string(run), wanted.string(run), from.number().get(run)));
  }

  private static Value character(Arguments arguments, boolean isFirst) {
    Value text = arguments.text(0);
    Value wanted = arguments.number(1);
    return Value.text(run -> {
      String all = text.string(run);
      int c = (int) wanted.number().get(run) & 0xFF;
      return from(all, isFirst ? all.indexOf(c) : all.lastIndexOf(c));
    });
  }

  private static @Nullable String from(String text, int at) {
    return at < 0 ? null : text.substring(at);
  }

  private static Value token(Arguments arguments) {
    Value text = arguments.text(0);
    Value delimiters = arguments.text(1);
    return Value.text(run -> {
      String given = text.text().get(run);
      String rest = given != null ? given : run.unfinishedTokens();
      String ends = delimiters.string(run);
      if (rest == null) {
        throw new Fault(Fault.Kind.BADADDR, 0);
      }
      int begin = 0;
      while (begin < rest.length() && ends.indexOf(rest.charAt(begin)) >= 0) {
        begin++;
      }
      if (begin == rest.length()) {
        run.setUnfinishedTokens("");
        return null;
      }
      int end = begin;
      while (end < rest.length() && ends.indexOf(rest.charAt(end)) < 0) {
        end++;
      }
      // What ends a token begins the rest: other ends may be asked for next.
      run.setUnfinishedTokens(rest.substring(end));
      return rest.substring(begin, end);
    });
  }

  private Value stack(Arguments arguments) {
    boolean isUser = !arguments.call.function().equals("stack");
    long frames =
        arguments.has(0)
            ? arguments.compiler.constant(arguments.call.arguments().getFirst())
            : environment.options.get(isUser ? "ustackframes" : "stackframes");
    int most = Math.clamp(frames, 0, 1024);
    return Value.code(
        arguments.call.function(),
        run -> {
          List<String> stack = run.event().stack(isUser);
          return stack.size() <= most ? stack : List.copyOf(stack.subList(0, most));
        });
  }

  private static Value place(Arguments arguments) {
    Value address = arguments.number(0);
    String kind = arguments.call.function();
    boolean isModule = kind.endsWith("mod");
    boolean isFunction = kind.endsWith("func");
    return Value.code(
        kind,
        run -> {
          var name = run.event().code(address.number().get(run));
          if (isModule || name.function().isEmpty()) {
            return name.module().isEmpty()
                ? "0x%x".formatted(address.number().get(run))
                : name.module();
          }
          String function =
              name.module().isEmpty() ? name.function() : name.module() + "`" + name.function();
          return isFunction || name.offset() == 0
              ? function
              : function + "+0x%x".formatted(name.offset());
        });
  }

  /** Returns true for a type that is recorded as a stack. */
  static boolean isStack(Type type) {
    return type instanceof Type.Code code && code.name().endsWith("stack");
  }
}
