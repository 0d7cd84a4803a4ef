package io.ntrail.analysis.probe.syntax;

import java.util.List;
import java.util.Optional;

/**
 * Name of a type in a program.
 *
 * @param words as {@code unsigned}, {@code int}; or one name of a type; with a struct, its keyword
 * @param tag name of a struct, union or enumeration; empty if it has none, or is none
 * @param members of a struct or union that is declared here
 * @param values of an enumeration that is declared here: names
 * @param pointers stars
 * @param lengths of arrays, outermost first; an absent one is 0
 */
public record TypeName(
    List<String> words,
    String tag,
    Optional<List<Declarator>> members,
    Optional<List<EnumValue>> values,
    int pointers,
    List<Expression> lengths,
    Place place) {
  /** Copies the lists. */
  public TypeName {
    words = List.copyOf(words);
    lengths = List.copyOf(lengths);
  }

  /**
   * A name that is declared.
   *
   * @param type of it
   * @param keys types of the keys of an associative array; empty: none
   * @param bits of a bit field; 0: none
   */
  public record Declarator(
      String name, TypeName type, Optional<List<TypeName>> keys, int bits, Place place) {}

  /** Value of an enumeration; without a number, one more than the one before. */
  public record EnumValue(String name, Optional<Expression> value) {}

  /** Returns the type that this many further stars point to, with further arrays. */
  TypeName with(int stars, List<Expression> arrays) {
    return new TypeName(words, tag, members, values, pointers + stars, arrays, place);
  }
}
