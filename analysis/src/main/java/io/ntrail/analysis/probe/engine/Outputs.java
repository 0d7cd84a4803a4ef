package io.ntrail.analysis.probe.engine;

import io.ntrail.analysis.probe.aggregation.Aggregation;
import io.ntrail.analysis.probe.engine.CompiledClause.Step;
import io.ntrail.analysis.probe.syntax.CompileError;
import io.ntrail.analysis.probe.syntax.Place;
import io.ntrail.analysis.probe.types.StructType;
import io.ntrail.analysis.probe.types.Type;
import io.ntrail.analysis.probe.types.Types;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Steps that record something to be printed. */
public final class Outputs {
  private Outputs() {}

  /** Prints a value by its type and size. */
  public static Step trace(Value value) {
    boolean isBytes =
        value.type() instanceof StructType
            || value.type() instanceof Type.Array array && array.of().size() != 1;
    if (isBytes) {
      int size = value.type().size();
      return run -> bytes(run, run.memory().read(value.number().get(run), size));
    }
    if (value.type() instanceof Type.Array characters) {
      return run ->
          characters(run, run.memory().read(value.number().get(run), characters.length()));
    }
    return run -> {
      Argument argument = Argument.of(value, run);
      run.record(
          argument.size(),
          to ->
              to.print(
                  argument.value() instanceof List<?> frames
                      ? StackText.of(frames, to.options().get("stackindent"))
                      : traced(argument, to.isQuiet())));
    };
  }

  /** Prints characters up to their NUL, or all bytes if not all of them can be printed. */
  private static void characters(Run run, byte[] bytes) {
    int end = 0;
    while (end < bytes.length && isPrintable(bytes[end])) {
      end++;
    }
    for (int i = end; i < bytes.length; i++) {
      if (bytes[i] != 0) {
        bytes(run, bytes);
        return;
      }
    }
    Argument argument =
        new Argument(Types.TEXT, new String(bytes, 0, end, StandardCharsets.ISO_8859_1));
    run.record(bytes.length, to -> to.print(traced(argument, to.isQuiet())));
  }

  private static boolean isPrintable(byte c) {
    return c >= ' ' && c < 0x7F || c >= '\007' && c <= '\r';
  }

  private static void bytes(Run run, byte[] bytes) {
    run.record(bytes.length, to -> to.print(HexDump.text(bytes)));
  }

  private static String traced(Argument argument, boolean isQuiet) {
    if (argument.value() instanceof Long number) {
      String digits =
          argument.type().isUnsigned() ? Long.toUnsignedString(number) : Long.toString(number);
      // As wide as the digits of the greatest number with a sign.
      int width =
          switch (argument.type().size()) {
            case 1 -> 3;
            case 2 -> 5;
            case 4 -> 10;
            default -> 19;
          };
      return isQuiet ? digits : " " + " ".repeat(Math.max(0, width - digits.length())) + digits;
    }
    String text = String.valueOf(argument.value());
    return isQuiet ? text : "  %-33s".formatted(text);
  }

  /** Prints bytes at an address. */
  public static Step memory(Value address, long most, Optional<Value> size) {
    return run -> {
      long wanted = size.isPresent() ? size.get().number().get(run) : most;
      long length = wanted < 0 || wanted > most ? most : wanted;
      byte[] all = run.memory().read(address.number().get(run), length);
      if (length > 0) {
        bytes(run, all);
      } else {
        run.record(_ -> {});
      }
    };
  }

  /** Prints a value with its type. */
  public static Step print(Value value) {
    return run -> {
      String text = TypedText.of(value, run) + "\n";
      run.record(text.length(), to -> to.print(text));
    };
  }

  /** Prints values by a format. */
  public static Step printf(String format, List<Value> values, Place place) {
    FormatString compiled = new FormatString(format, place);
    if (compiled.hasAggregation()) {
      throw new CompileError("D_PRINTF_AGG_CONV", place, "%@ is of printa()");
    }
    String conversions = compiled.conversions();
    compiled.check(values.stream().map(Value::type).toList(), place);
    return run -> {
      List<Argument> arguments = new ArrayList<>(values.size());
      for (int i = 0; i < values.size(); i++) {
        boolean isCode = conversions.charAt(i) == 'a' || conversions.charAt(i) == 'A';
        Argument argument = Argument.of(values.get(i), run);
        arguments.add(isCode ? argument.asCode(run) : argument);
      }
      int size = 8;
      for (Argument argument : arguments) {
        size += argument.size();
      }
      run.record(size, to -> to.print(compiled.text(arguments)));
    };
  }

  /** Prints aggregations, by a format or as a table. */
  public static Step printa(List<Aggregation> all, Optional<String> format, Place place) {
    Optional<FormatString> compiled = format.map(text -> new FormatString(text, place));
    compiled.ifPresent(one -> one.checkKeys(all.getFirst().keyTypes(), place));
    return run ->
        run.record(to -> {
          all.forEach(Aggregation::printed);
          if (compiled.isEmpty()) {
            to.print("\n");
          }
          to.printer().print(all, compiled.map(one -> (AggregationPrinter.Format) one));
        });
  }

  /** Makes the values of an aggregation those before the first event. */
  public static Step clear(Aggregation of) {
    return run -> run.record(_ -> of.clear());
  }

  /** Removes values of an aggregation but the largest or smallest. */
  public static Step trunc(Aggregation of, Optional<Value> keep) {
    return run -> {
      long count = keep.isPresent() ? keep.get().number().get(run) : 0;
      run.record(to -> of.trunc(count, to.options().order().withoutReverse().of(of)));
    };
  }

  /** Divides the values of an aggregation where they are printed. */
  public static Step normalize(Aggregation of, Value by) {
    return run -> {
      long divisor = by.number().get(run);
      if (divisor == 0) {
        throw new Fault(Fault.Kind.DIVZERO, 0);
      }
      run.record(_ -> of.normalize(divisor));
    };
  }

  /** Sets an option. */
  public static Step option(String name, Optional<String> value, Place place) {
    Optional<String> refusal = new Options().set(name, value);
    if (refusal.isPresent()) {
      throw new CompileError("D_SETOPT", place, refusal.get());
    }
    return run ->
        run.record(to -> {
          Optional<String> failure = to.options().set(name, value);
          assert failure.isEmpty();
        });
  }
}
