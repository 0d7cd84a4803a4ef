package io.ntrail.programs.x86.asm;

import io.ntrail.programs.x86.asm.operands.Label;
import org.jspecify.annotations.Nullable;

/** Label of one assembler's code, with its place once it is bound. */
final class CodeLabel extends Label {
  private static final int UNBOUND = -1;

  private final Assembler owner;
  private int at = UNBOUND;
  private int elasticBefore;

  CodeLabel(Assembler owner, String name) {
    super(name);
    this.owner = owner;
  }

  /**
   * Returns the label as one of an assembler's code.
   *
   * @throws IllegalArgumentException if it belongs to another assembler
   */
  static CodeLabel of(Label label, Assembler owner) {
    if (label instanceof CodeLabel own && own.owner == owner) {
      return own;
    }
    throw new IllegalArgumentException("label of other code: " + label);
  }

  /** Checks that a label, if there is one, belongs to an assembler. */
  static void check(@Nullable Label label, Assembler owner) {
    if (label != null) {
      of(label, owner);
    }
  }

  boolean isBound() {
    return at != UNBOUND;
  }

  /** Binds it after {@code at} fixed bytes and {@code elasticBefore} relaxable fragments. */
  void bind(int at, int elasticBefore) {
    this.at = at;
    this.elasticBefore = elasticBefore;
  }

  int at() {
    return at;
  }

  int elasticBefore() {
    return elasticBefore;
  }
}
