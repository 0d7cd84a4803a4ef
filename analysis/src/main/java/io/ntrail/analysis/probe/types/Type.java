package io.ntrail.analysis.probe.types;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Type of a value in a D program. */
public sealed interface Type
    permits Type.Integral,
        Type.Text,
        Type.Nothing,
        Type.Pointer,
        Type.Array,
        Type.Code,
        Type.Fields,
        Type.Elements,
        StructType {
  /** Bytes of a value. */
  int size();

  /** Returns the name as a program writes it. */
  String text();

  /**
   * Number.
   *
   * @param size 1, 2, 4 or 8 bytes
   * @param names of an enumeration, by number
   */
  record Integral(String name, int size, boolean isSigned, Map<Long, String> names)
      implements Type {
    /** Number that has no names. */
    public Integral(String name, int size, boolean isSigned) {
      this(name, size, isSigned, Map.of());
    }

    @Override
    public String text() {
      return name;
    }

    /** Returns a number cut to the size, with or without sign. */
    public long cut(long value) {
      return switch (size) {
        case 1 -> isSigned ? (byte) value : value & 0xFF;
        case 2 -> isSigned ? (short) value : value & 0xFFFF;
        case 4 -> isSigned ? (int) value : value & 0xFFFF_FFFFL;
        default -> value;
      };
    }
  }

  /** String of bytes, of at most the option strsize. */
  record Text() implements Type {
    @Override
    public int size() {
      return 256;
    }

    @Override
    public String text() {
      return "string";
    }
  }

  /** No value. */
  record Nothing() implements Type {
    @Override
    public int size() {
      return 0;
    }

    @Override
    public String text() {
      return "void";
    }
  }

  /** Address of a value. */
  record Pointer(Type to) implements Type {
    @Override
    public int size() {
      return 8;
    }

    @Override
    public String text() {
      return to.text() + " *";
    }
  }

  /** Values in a row. */
  record Array(Type of, int length) implements Type {
    @Override
    public int size() {
      return of.size() * length;
    }

    @Override
    public String text() {
      return "%s [%d]".formatted(of.text(), length);
    }
  }

  /**
   * Stack or place in code: has a value only where it is recorded.
   *
   * @param name of the action that makes it
   */
  record Code(String name) implements Type {
    @Override
    public int size() {
      return 8;
    }

    @Override
    public String text() {
      return name;
    }

    /** Returns true for stacks. */
    public boolean isStack() {
      return name.endsWith("stack");
    }
  }

  /**
   * Fields of an event, as what describes it names them.
   *
   * @param name of the event
   */
  record Fields(String name, List<Field> fields) implements Type {
    /** Field of an event: a number, a string, fields of a structure, or elements of a list. */
    public record Field(String name, Type type) {}

    @Override
    public int size() {
      return 8;
    }

    @Override
    public String text() {
      return name;
    }

    /** Returns a field by its name, whatever case it is written in if no other one fits better. */
    public Optional<Field> field(String wanted) {
      return fields.stream()
          .filter(field -> field.name.equals(wanted))
          .findFirst()
          .or(() ->
              fields.stream().filter(field -> field.name.equalsIgnoreCase(wanted)).findFirst());
    }
  }

  /**
   * Elements of a list among the fields of an event.
   *
   * @param of a number, a string, or fields of each
   */
  record Elements(Type of) implements Type {
    @Override
    public int size() {
      return 8;
    }

    @Override
    public String text() {
      return of.text() + " []";
    }
  }

  /** Returns true for numbers and addresses. */
  default boolean isNumber() {
    return this instanceof Integral || this instanceof Pointer;
  }

  /** Returns true for what has no sign: unsigned numbers and addresses. */
  default boolean isUnsigned() {
    return this instanceof Integral integral ? !integral.isSigned : true;
  }
}
