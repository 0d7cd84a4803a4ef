package io.ntrail.analysis.probe.compile;

import io.ntrail.analysis.probe.engine.Fault;
import io.ntrail.analysis.probe.engine.ProbeEvent;
import io.ntrail.analysis.probe.engine.Run;
import io.ntrail.analysis.probe.engine.Value;
import io.ntrail.analysis.probe.syntax.CompileError;
import io.ntrail.analysis.probe.syntax.Expression;
import io.ntrail.analysis.probe.types.Types;
import io.ntrail.formats.bytes.SpellingSuggestion;
import java.util.List;
import java.util.function.LongUnaryOperator;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Functions that have a value and no effect but on memory of their own. */
final class Functions {
  private static final int MOST_PART = 1 << 20;

  private static final List<String> NAMES =
      List.of(
          "strlen",
          "strjoin",
          "substr",
          "index",
          "rindex",
          "strchr",
          "strrchr",
          "strstr",
          "strtok",
          "toupper",
          "tolower",
          "basename",
          "dirname",
          "cleanpath",
          "lltostr",
          "strtoll",
          "json",
          "htons",
          "htonl",
          "htonll",
          "ntohs",
          "ntohl",
          "ntohll",
          "inet_ntoa",
          "inet_ntoa6",
          "inet_ntop",
          "copyin",
          "copyinstr",
          "copyinto",
          "bcopy",
          "alloca",
          "rand",
          "progenyof",
          "speculation",
          "stack",
          "ustack",
          "jstack",
          "sym",
          "usym",
          "func",
          "ufunc",
          "mod",
          "umod",
          "uaddr",
          "trace",
          "tracemem",
          "print",
          "printf",
          "printa",
          "clear",
          "trunc",
          "normalize",
          "denormalize",
          "speculate",
          "commit",
          "discard",
          "exit",
          "setopt");

  private final Environment environment;

  Functions(Environment environment) {
    this.environment = environment;
  }

  /** Call that is being compiled. */
  record Arguments(Expression.Call call, ExpressionCompiler compiler) {
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
        yield environment.limited(run -> left.string(run) + right.string(run));
      }
      case "substr" -> part(arguments.count(2, 3));
      case "index", "rindex" -> index(arguments.count(2, 3), call.function().equals("index"));
      case "strchr", "strrchr" ->
          character(arguments.count(2, 2), call.function().equals("strchr"));
      case "strstr" -> {
        Value text = arguments.count(2, 2).text(0);
        Value wanted = arguments.text(1);
        yield Value.text(run -> {
          String all = text.string(run);
          return from(all, all.indexOf(wanted.string(run)));
        });
      }
      case "strtok" -> token(arguments.count(2, 2));
      case "toupper" -> mapped(arguments.count(1, 1), Texts::upper);
      case "tolower" -> mapped(arguments.count(1, 1), Texts::lower);
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
              return wanted == run.processId() || wanted == run.parentId() ? 1 : 0;
            });
      }
      case "stack", "ustack", "jstack" -> stack(arguments.count(0, 2));
      case "sym", "usym", "func", "ufunc", "mod", "umod", "uaddr" -> place(arguments.count(1, 1));
      default -> MemoryFunctions.call(arguments, environment).orElseThrow(() -> unknown(call));
    };
  }

  /** Returns the error of a call of nothing. */
  static CompileError unknown(Expression.Call call) {
    String near = SpellingSuggestion.of(call.function(), NAMES);
    return new CompileError(
        "D_PROC_UNDEF",
        call.place(),
        "there is no function %s()%s"
            .formatted(
                call.function(), near.isEmpty() ? "" : "; did you mean %s()?".formatted(near)));
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
      if (c == 0) {
        // What ends a string belongs to it.
        return "";
      }
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
    boolean isAddress = kind.equals("uaddr");
    return Value.code(
        kind,
        run -> {
          long at = address.number().get(run);
          ProbeEvent.CodeName name = run.event().code(at);
          return isModule ? name.moduleOr(at) : isAddress ? name.text(at) : name.functionOr(at);
        });
  }
}
