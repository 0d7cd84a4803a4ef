package io.ntrail.formats.decoration;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A name, or a part of one. Immutable. */
sealed interface Name {
  /** Parts with {@code ::} between them, the outermost first. */
  record Qualified(List<Name> parts) implements Name {
    public Qualified {
      parts = List.copyOf(parts);
    }

    Name last() {
      return parts.getLast();
    }
  }

  /** As it is written. */
  record Plain(String text) implements Name {}

  /** What the language or the compiler calls it: {@code operator+}, {@code `vftable'}. */
  record Special(String text) implements Name {}

  /**
   * One that is told a second time by its number.
   *
   * @param text as llvm-undname writes it
   */
  record Recalled(Name name, String text) implements Name {}

  /** A base class among the data on types. */
  record BaseClass(List<Long> at) implements Name {
    public BaseClass {
      at = List.copyOf(at);
    }
  }

  /** A template with what it is used with. */
  record Template(Name name, List<Argument> arguments) implements Name {
    public Template {
      arguments = List.copyOf(arguments);
    }
  }

  /** A constructor or destructor; what it is called is the class's matter. */
  record Structor(boolean destructor, @Nullable Name of) implements Name {}

  /** {@code operator TYPE}. */
  record Conversion(@Nullable Type to) implements Name {}

  /** A scope inside of a function. */
  record Local(Symbol in, long number) implements Name {}

  /** What initialises or destroys a variable: {@code what} is the text in front of it. */
  record Dynamic(String what, Symbol of) implements Name {}

  /** An argument of a template. */
  sealed interface Argument {
    /** A type. */
    record OfType(Type type) implements Argument {}

    /** A name alone. */
    record OfName(Name name) implements Argument {}

    /** Text that was understood. */
    record OfText(String text) implements Argument {}

    /**
     * A function or variable, or a pointer to a member with numbers.
     *
     * @param pointer whether its address is meant
     */
    record OfSymbol(@Nullable Symbol symbol, boolean pointer, List<Long> offsets)
        implements Argument {
      public OfSymbol {
        offsets = List.copyOf(offsets);
      }
    }
  }
}
