package io.ntrail.analysis.etw.events;

import io.ntrail.analysis.model.WrittenTime;
import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.formats.bytes.CannotGoOn;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A condition on the fields of an event: {@code size > 65536 and path =~ '*.db'}.
 *
 * <p>Comparisons are {@code == != < <= > >=} and {@code =~ !~} (glob or {@code /expression/}); they
 * are put together with {@code and or not} (or {@code && || !}) and parentheses. Numbers may be
 * decimal or {@code 0x} hexadecimal, with a unit: {@code KiB MiB GiB TiB} for sizes, {@code ns us
 * ms s} for times; texts are in quotes where they have blanks. A name is that of a field, in any
 * case; {@code a.b} is a member of a structure; {@code pid tid cpu time process provider event id
 * level opcode version dataLength} mean the event itself, {@code fields.id} a field of such a name.
 * {@code time} is in seconds without a unit; a field in ticks of the clock compares with a time as
 * one. Numbers compare as numbers, texts as texts; a hexadecimal literal compares with the bits of
 * a field that has a sign, in the field's width, and a decimal one that is too large for a signed
 * code of a result (NTSTATUS, HRESULT, Win32 error) likewise; a 32-bit fraction compares with the
 * 32-bit fraction next to the literal. {@code ==} also takes the text of a value ({@code ExitStatus
 * == STATUS_SUCCESS}). What cannot be compared with the field's type is an error.
 *
 * <p>What an event does not have, meets no condition and no negation of one: {@code level != 3} and
 * {@code not level == 3} hold for events with another level.
 *
 * <p>Immutable.
 */
public final class FilterExpression {
  /** Values of the fields of one event. */
  public interface Values {
    /** The value of a name; null if the event has none. */
    @Nullable Value value(String name);
  }

  /** Kinds of values, by what they compare with. */
  public enum Kind {
    /** A number. */
    NUMBER,
    /** A number of ticks of the clock: compares with numbers, and by its nanoseconds with times. */
    TICKS,
    /** A time: in seconds with its fraction, and in nanoseconds. */
    TIME,
    /** {@code true} or {@code false}. */
    FLAG,
    /** A text. */
    TEXT
  }

  /** Forms of numbers. */
  public enum Form {
    /** A whole number without a sign. */
    UNSIGNED(0),
    /** A whole number of 8 bits with a sign. */
    SIGNED8(0xFF),
    /** A whole number of 16 bits with a sign. */
    SIGNED16(0xFFFF),
    /** A whole number of 32 bits with a sign. */
    SIGNED32(0xFFFF_FFFFL),
    /** A whole number of 64 bits with a sign. */
    SIGNED64(-1),
    /** The code of a result in 32 bits with a sign, which is also written without one. */
    SIGNED_STATUS(0xFFFF_FFFFL),
    /** A number of 32 bits with a fraction. */
    FLOAT(0),
    /** Another number with a fraction, or none. */
    OTHER(0);

    /** All bits of a whole number with a sign; 0 of others. */
    private final long bits;

    Form(long bits) {
      this.bits = bits;
    }

    /** Returns the form of whole numbers of so many bytes with a sign. */
    static Form signed(int bytes, boolean isStatus) {
      return switch (bytes) {
        case 1 -> SIGNED8;
        case 2 -> SIGNED16;
        case 4 -> isStatus ? SIGNED_STATUS : SIGNED32;
        default -> SIGNED64;
      };
    }

    /** Returns true if a literal without a sign means the bits of a negative number. */
    boolean isMeantAsBits(Literal literal) {
      boolean isTooLarge = this == SIGNED_STATUS && literal.bits() >>> 31 != 0;
      return bits != 0 && !literal.negative() && (literal.hexadecimal() || isTooLarge);
    }
  }

  /**
   * A value to compare with.
   *
   * @param kind what it compares with
   * @param type its type, for messages: {@code UINT32}
   * @param text as text
   * @param meaning the text of the value where it has one beside the number, such as a status name
   * @param named whether values of the field may have such a text, though this one has not
   * @param bits the number
   * @param form its form
   * @param real the number with its fraction
   * @param nanos the nanoseconds of a time or of ticks
   */
  public record Value(
      Kind kind,
      String type,
      String text,
      @Nullable String meaning,
      boolean named,
      long bits,
      Form form,
      double real,
      long nanos) {
    /** Returns whether it is a whole number without a sign. */
    boolean unsigned() {
      return form == Form.UNSIGNED;
    }

    boolean isNumber() {
      return kind == Kind.NUMBER || kind == Kind.TICKS || kind == Kind.TIME;
    }
  }

  /** Results of a condition. */
  enum Truth {
    FALSE,
    /** The event lacks a field. */
    UNKNOWN,
    TRUE;

    static Truth of(boolean holds) {
      return holds ? TRUE : FALSE;
    }
  }

  sealed interface Node {
    Truth of(Values values);
  }

  record Not(Node node) implements Node {
    @Override
    public Truth of(Values values) {
      return switch (node.of(values)) {
        case FALSE -> Truth.TRUE;
        case UNKNOWN -> Truth.UNKNOWN;
        case TRUE -> Truth.FALSE;
      };
    }
  }

  record All(List<Node> nodes) implements Node {
    @Override
    public Truth of(Values values) {
      Truth least = Truth.TRUE;
      for (Node node : nodes) {
        Truth truth = node.of(values);
        if (truth == Truth.FALSE) {
          return truth;
        }
        least = truth == Truth.UNKNOWN ? truth : least;
      }
      return least;
    }
  }

  record Any(List<Node> nodes) implements Node {
    @Override
    public Truth of(Values values) {
      Truth most = Truth.FALSE;
      for (Node node : nodes) {
        Truth truth = node.of(values);
        if (truth == Truth.TRUE) {
          return truth;
        }
        most = truth == Truth.UNKNOWN ? truth : most;
      }
      return most;
    }
  }

  enum Operator {
    EQUAL,
    NOT_EQUAL,
    LESS,
    LESS_OR_EQUAL,
    GREATER,
    GREATER_OR_EQUAL,
    MATCHES,
    MATCHES_NOT
  }

  /**
   * Literal of a condition, understood once in every way that it can be.
   *
   * @param hexadecimal whether it is an integer in hexadecimal
   * @param isTime whether it has a unit of time
   * @param nanos the nanoseconds of a time
   */
  record Literal(
      String text,
      boolean integer,
      boolean negative,
      boolean hexadecimal,
      long bits,
      boolean real,
      double value,
      boolean isTime,
      long nanos) {
    static Literal text(String text) {
      return new Literal(text, false, false, false, 0, false, 0, false, 0);
    }

    static Literal real(String text, double value) {
      return new Literal(text, false, value < 0, false, 0, true, value, false, 0);
    }

    boolean isNumber() {
      return integer || real;
    }

    /** Returns the number as 32 bits have it; where these have only 0 or none for it, itself. */
    double nearestFloat() {
      float nearest = (float) value;
      return nearest == 0 || Float.isInfinite(nearest) ? value : nearest;
    }

    static Literal of(String text) {
      String digits = text.replace(",", "");
      long unit = 1;
      String[] units = {"KiB", "MiB", "GiB", "TiB"};
      for (int i = 0; i < units.length; i++) {
        if (digits.toLowerCase(Locale.ROOT).endsWith(units[i].toLowerCase(Locale.ROOT))) {
          digits = digits.substring(0, digits.length() - 3).strip();
          unit = 1L << 10 * (i + 1);
        }
      }
      try {
        boolean negative = digits.startsWith("-");
        String bare = negative ? digits.substring(1) : digits;
        boolean hexadecimal = bare.startsWith("0x") || bare.startsWith("0X");
        long bits =
            hexadecimal
                ? Long.parseUnsignedLong(bare.substring(2), 16)
                : Long.parseUnsignedLong(bare);
        boolean fits = unit == 1 || bits >= 0 && bits <= Long.MAX_VALUE / unit;
        if (fits) {
          bits *= unit;
          double value = negative || bits >= 0 ? (double) bits : bits + 0x1p64;
          return new Literal(
              text,
              true,
              negative && bits != 0,
              hexadecimal,
              negative ? -bits : bits,
              true,
              negative ? -value : value,
              false,
              0);
        }
      } catch (NumberFormatException e) {
        // Perhaps a fraction.
      }
      try {
        char first = digits.isEmpty() ? 'x' : digits.charAt(0);
        if (Character.isDigit(first) || first == '-' || first == '.') {
          double value = Double.parseDouble(digits) * unit;
          return real(text, value);
        }
      } catch (NumberFormatException e) {
        // A text.
      }
      return timeOrText(text);
    }

    private static Literal timeOrText(String text) {
      try {
        WrittenTime time = WrittenTime.parse(text.toLowerCase(Locale.ROOT));
        if (time.hasUnit()) {
          long nanos = nanos(time);
          return new Literal(text, false, nanos < 0, false, 0, false, 0, true, nanos);
        }
      } catch (NumberFormatException e) {
        // A text.
      }
      return text(text);
    }

    /** Returns the nanoseconds of a time; of one that is out of range the nearest that is not. */
    private static long nanos(WrittenTime time) {
      try {
        return time.nanos();
      } catch (ArithmeticException e) {
        return time.number().signum() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
      }
    }
  }

  record Comparison(String name, Operator operator, Literal literal, NamePattern pattern)
      implements Node {
    @Override
    public Truth of(Values values) {
      Value value = values.value(name);
      return value == null ? Truth.UNKNOWN : Truth.of(holds(value));
    }

    private boolean holds(Value value) {
      return switch (operator) {
        case MATCHES -> matches(value);
        case MATCHES_NOT -> !matches(value);
        case EQUAL -> equal(value);
        case NOT_EQUAL -> !equal(value);
        case LESS -> ordered(value) && order(value) < 0;
        case LESS_OR_EQUAL -> ordered(value) && order(value) <= 0;
        case GREATER -> ordered(value) && order(value) > 0;
        case GREATER_OR_EQUAL -> ordered(value) && order(value) >= 0;
      };
    }

    private boolean matches(Value value) {
      return pattern.matches(value.text) || pattern.matches(value.meaning);
    }

    private boolean equal(Value value) {
      boolean asTime = literal.isTime() && (value.kind == Kind.TIME || value.kind == Kind.TICKS);
      if (asTime || value.isNumber() && literal.isNumber()) {
        return order(value) == 0;
      }
      if (value.kind == Kind.FLAG && literal.integer() && literal.bits() >>> 1 == 0) {
        return value.bits != 0 == (literal.bits() == 1);
      }
      boolean comparable =
          switch (value.kind) {
            case TEXT -> true;
            case FLAG ->
                literal.text().equalsIgnoreCase("true") || literal.text().equalsIgnoreCase("false");
            // A name of a value, of those that have names.
            case NUMBER, TICKS, TIME -> value.named && !literal.isTime();
          };
      if (!comparable) {
        throw incomparable(value);
      }
      return literal.text().equalsIgnoreCase(value.text)
          || literal.text().equalsIgnoreCase(value.meaning);
    }

    /**
     * Returns false if the value is not a number (NaN): it is neither less nor greater than one.
     */
    private boolean ordered(Value value) {
      boolean comparable =
          switch (value.kind) {
            case NUMBER -> literal.isNumber();
            case TICKS, TIME -> literal.isNumber() || literal.isTime();
            case FLAG -> false;
            case TEXT -> !literal.isNumber() && !literal.isTime();
          };
      if (!comparable) {
        throw incomparable(value);
      }
      return !value.isNumber() || !Double.isNaN(value.real);
    }

    private CannotGoOn incomparable(Value value) {
      String next =
          switch (value.kind) {
            case TEXT -> name + " =~ '" + literal.text() + "*'";
            case FLAG -> name + " == true";
            case TIME -> name + " >= 1.5s";
            case NUMBER, TICKS -> name + " > 5";
          };
      return CannotGoOn.of(
          CannotGoOn.Reason.NOT_COMPARABLE,
          "",
          "--where: "
              + name
              + " is "
              + value.type
              + " and cannot be compared with "
              + literal.text(),
          "--where \"" + next + "\"");
    }

    private int order(Value value) {
      if (!value.isNumber()) {
        return value.text.compareToIgnoreCase(literal.text());
      }
      if (literal.isTime()) {
        return Long.compare(value.nanos, literal.nanos());
      }
      if (literal.integer() && value.real == (double) value.bits
          || literal.integer() && value.unsigned()) {
        return whole(value);
      }
      double wanted = value.form == Form.FLOAT ? literal.nearestFloat() : literal.value();
      return value.real < wanted ? -1 : value.real == wanted ? 0 : 1;
    }

    private int whole(Value value) {
      boolean valueNegative = !value.unsigned() && value.bits < 0;
      if (valueNegative != literal.negative()) {
        if (valueNegative && value.form.isMeantAsBits(literal)) {
          return Long.compareUnsigned(value.bits & value.form.bits, literal.bits());
        }
        return valueNegative ? -1 : 1;
      }
      return valueNegative
          ? Long.compare(value.bits, literal.bits())
          : Long.compareUnsigned(value.bits, literal.bits());
    }
  }

  private final String text;
  private final Node root;
  private final List<String> names;

  private FilterExpression(String text, Node root, List<String> names) {
    this.text = text;
    this.root = root;
    this.names = List.copyOf(names);
  }

  /**
   * Reads a condition.
   *
   * @throws IllegalArgumentException if it is none; the message says where
   */
  public static FilterExpression parse(String text) {
    FilterParser parser = new FilterParser(text);
    Node root = parser.any(0);
    parser.end();
    return new FilterExpression(text, root, parser.names());
  }

  /** Returns true if an event meets the condition. */
  public boolean holds(Values values) {
    return of(values) == Truth.TRUE;
  }

  /** Returns whether an event meets the condition, as far as it has the fields. */
  Truth of(Values values) {
    return root.of(values);
  }

  /** Returns the field names in the condition. */
  public List<String> names() {
    return names;
  }

  /**
   * Name that a value is compared with.
   *
   * @param isExact false for a pattern: {@code =~}
   */
  record WantedName(NamePattern pattern, boolean isExact) {
    boolean fits(String name) {
      return isExact ? pattern.toString().equalsIgnoreCase(name) : pattern.matches(name);
    }
  }

  /** Returns the names that a value has to fit, of comparisons that no negation turns round. */
  List<WantedName> wanted(String name) {
    List<WantedName> wanted = new ArrayList<>();
    addWanted(name, root, wanted);
    return wanted;
  }

  private static void addWanted(String name, Node node, List<WantedName> wanted) {
    switch (node) {
      case All all -> all.nodes.forEach(one -> addWanted(name, one, wanted));
      case Any any -> any.nodes.forEach(one -> addWanted(name, one, wanted));
      case Comparison comparison -> {
        boolean isExact = comparison.operator == Operator.EQUAL;
        boolean isText = isExact || comparison.operator == Operator.MATCHES;
        if (isText && comparison.name.equalsIgnoreCase(name)) {
          wanted.add(new WantedName(comparison.pattern, isExact));
        }
      }
      case Not _ -> {}
    }
  }

  @Override
  public String toString() {
    return text;
  }
}
