package io.ntrail.formats.decoration;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A parsed decorated name. Immutable. */
sealed interface SymbolNode {
  /** The name. */
  NameNode name();

  /**
   * A function.
   *
   * @param access {@code public}, {@code protected}, {@code private} or empty
   * @param member {@code static}, {@code virtual} or empty
   * @param externC whether it has C linkage
   * @param thunk what kind of thunk it is; null if it is none
   */
  record Function(
      NameNode name,
      String access,
      String member,
      boolean externC,
      @Nullable Thunk thunk,
      TypeNode.Function type)
      implements SymbolNode {}

  /**
   * Kind of a thunk, which leads to a function in another way.
   *
   * @param kind {@code adjustor}, {@code vtordisp}, {@code vtordispex} or {@code vcall}
   * @param offsets in the object; of vcall in the table
   */
  record Thunk(String kind, List<Long> offsets) {
    public Thunk {
      offsets = List.copyOf(offsets);
    }

    boolean isVcall() {
      return kind.equals("vcall");
    }
  }

  /**
   * A variable.
   *
   * @param access as of functions
   * @param isStatic whether it is a static member
   * @param storage the qualifiers after the type; of pointers those of the pointee, once more, with
   *     those of the pointer itself
   */
  record Variable(NameNode name, String access, boolean isStatic, TypeNode type, int storage)
      implements SymbolNode {}

  /**
   * A table of virtual functions or bases.
   *
   * @param target the base whose table it is in the class; null if not given
   */
  record Table(NameNode name, int qualifiers, @Nullable NameNode target) implements SymbolNode {}

  /** The guard of a static variable's initialization; index 0 is not written. */
  record Guard(NameNode name, long index) implements SymbolNode {}

  /** A symbol without a type: only its name is written. */
  record Untyped(NameNode name) implements SymbolNode {}

  /** A type followed by a text. */
  record Descriptor(TypeNode type, String what) implements SymbolNode {
    @Override
    public NameNode name() {
      return new NameNode.Plain(what);
    }
  }

  /** A constant string, in quotes. */
  record Literal(String text) implements SymbolNode {
    @Override
    public NameNode name() {
      return new NameNode.Plain(text);
    }
  }

  /** Text. */
  record Text(String text) implements SymbolNode {
    @Override
    public NameNode name() {
      return new NameNode.Plain(text);
    }
  }
}
