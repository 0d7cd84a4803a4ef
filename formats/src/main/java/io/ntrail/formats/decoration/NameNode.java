package io.ntrail.formats.decoration;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A name, or a part of one. Immutable. */
sealed interface NameNode {
  /** Parts with {@code ::} between them, the outermost first. */
  record Qualified(List<NameNode> parts) implements NameNode {
    public Qualified {
      parts = List.copyOf(parts);
    }

    NameNode last() {
      return parts.getLast();
    }
  }

  /** A name as it is written. */
  record Plain(String text) implements NameNode {}

  /** A name of the language or the compiler: {@code operator+}, {@code `vftable'}. */
  record Special(String text) implements NameNode {}

  /**
   * A back reference to a name by its number.
   *
   * @param text as llvm-undname writes it
   */
  record Recalled(NameNode name, String text) implements NameNode {}

  /** A base class among the data on types. */
  record BaseClass(List<Long> at) implements NameNode {
    public BaseClass {
      at = List.copyOf(at);
    }
  }

  /** A template with what it is used with. */
  record Template(NameNode name, List<Argument> arguments) implements NameNode {
    public Template {
      arguments = List.copyOf(arguments);
    }
  }

  /** A constructor or destructor; what it is called is the class's matter. */
  record Structor(boolean destructor, @Nullable NameNode of) implements NameNode {}

  /** {@code operator TYPE}. */
  record Conversion(@Nullable TypeNode to) implements NameNode {}

  /** A scope inside of a function. */
  record Local(SymbolNode in, long number) implements NameNode {}

  /** The initializer or destructor of a variable: {@code what} is the text in front of it. */
  record Dynamic(String what, SymbolNode of) implements NameNode {}

  /** An argument of a template. */
  sealed interface Argument {
    /** A type. */
    record OfType(TypeNode type) implements Argument {}

    /** A name alone. */
    record OfName(NameNode name) implements Argument {}

    /** Text that was understood. */
    record OfText(String text) implements Argument {}

    /**
     * A function or variable, or a pointer to a member with numbers.
     *
     * @param pointer whether its address is meant
     */
    record OfSymbol(@Nullable SymbolNode symbol, boolean pointer, List<Long> offsets)
        implements Argument {
      public OfSymbol {
        offsets = List.copyOf(offsets);
      }
    }
  }
}
