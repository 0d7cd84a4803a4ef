package io.ntrail.formats.decoration;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A type, as a decorated name has it. Immutable. */
sealed interface TypeNode {
  /** Returns the type with further qualifiers. */
  TypeNode with(int qualifiers);

  /** A type of the language. */
  record Basic(String text, int qualifiers) implements TypeNode {
    @Override
    public TypeNode with(int more) {
      return new Basic(text, qualifiers | more);
    }
  }

  /**
   * A class, structure, union or enumeration.
   *
   * @param kind the keyword; empty where none is written
   */
  record Tag(String kind, NameNode name, int qualifiers) implements TypeNode {
    @Override
    public TypeNode with(int more) {
      return new Tag(kind, name, qualifiers | more);
    }
  }

  /**
   * A pointer or a reference.
   *
   * @param sign {@code *}, {@code &} or {@code &&}; of managed objects {@code ^} or {@code %}
   * @param of the class, of pointers to members
   */
  record Pointer(String sign, TypeNode to, @Nullable NameNode of, int qualifiers)
      implements TypeNode {
    @Override
    public TypeNode with(int more) {
      return new Pointer(sign, to, of, qualifiers | more);
    }

    /** Returns the pointer with further qualifiers of its target. */
    Pointer toWith(int more) {
      return new Pointer(sign, to.with(more), of, qualifiers);
    }
  }

  /**
   * An array; a dimension of 0 is not written.
   *
   * @param elements the qualifiers that are written with its elements, not with the array
   */
  record Array(List<Long> dimensions, TypeNode of, int qualifiers, int elements)
      implements TypeNode {
    public Array {
      dimensions = List.copyOf(dimensions);
    }

    @Override
    public TypeNode with(int more) {
      return new Array(dimensions, of, qualifiers | more, elements);
    }
  }

  /**
   * A C++/CLI type that is written as a template.
   *
   * @param name {@code cli::array} or {@code cli::pin_ptr}
   * @param rank of arrays, else 1
   * @param sign {@code ^} of arrays, else empty
   */
  record Managed(String name, TypeNode of, int rank, String sign, int qualifiers)
      implements TypeNode {
    @Override
    public TypeNode with(int more) {
      return new Managed(name, of, rank, sign, qualifiers | more);
    }
  }

  /**
   * A function.
   *
   * @param result nothing for constructors and destructors
   * @param convention how it is called, or nothing
   * @param hasParameters whether they are known
   * @param variadic whether {@code ...} follows them
   * @param reference {@code &} or {@code &&} of members, else empty
   * @param qualifiers of members
   */
  record Function(
      @Nullable TypeNode result,
      String convention,
      boolean hasParameters,
      List<TypeNode> parameters,
      boolean variadic,
      boolean isNoexcept,
      String reference,
      int qualifiers)
      implements TypeNode {
    public Function {
      parameters = List.copyOf(parameters);
    }

    @Override
    public TypeNode with(int more) {
      return new Function(
          result,
          convention,
          hasParameters,
          parameters,
          variadic,
          isNoexcept,
          reference,
          qualifiers | more);
    }
  }
}
