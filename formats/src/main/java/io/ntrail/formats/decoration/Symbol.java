package io.ntrail.formats.decoration;

import org.jspecify.annotations.Nullable;

/** What a whole decorated name stands for. Immutable. */
sealed interface Symbol {
  /** The name. */
  Name name();

  /**
   * A function.
   *
   * @param access {@code public}, {@code protected}, {@code private} or empty
   * @param member {@code static}, {@code virtual} or empty
   * @param externC whether it has C linkage
   * @param thunk what stands behind the name of a thunk; null if it is none
   */
  record Function(
      Name name,
      String access,
      String member,
      boolean externC,
      @Nullable String thunk,
      Type.Function type)
      implements Symbol {}

  /**
   * A variable.
   *
   * @param access as of functions
   * @param isStatic whether it is a static member
   */
  record Variable(Name name, String access, boolean isStatic, Type type) implements Symbol {}

  /**
   * A table of virtual functions or bases.
   *
   * @param target whose it is in the class; null if that is not said
   */
  record Table(Name name, int qualifiers, @Nullable Name target) implements Symbol {}

  /** What has no type: only its name is written. */
  record Untyped(Name name) implements Symbol {}

  /** A type with a text behind it. */
  record Descriptor(Type type, String what) implements Symbol {
    @Override
    public Name name() {
      return new Name.Plain(what);
    }
  }

  /** Text. */
  record Text(String text) implements Symbol {
    @Override
    public Name name() {
      return new Name.Plain(text);
    }
  }
}
