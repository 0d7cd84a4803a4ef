package io.ntrail.programs.x86.asm;

import io.ntrail.programs.x86.asm.operands.Label;
import org.jspecify.annotations.Nullable;

/**
 * A field of the code whose value is known only when the labels are placed.
 *
 * @param kind meaning of the field
 * @param at its place: number of fixed bytes before it
 * @param elasticBefore number of relaxable fragments before it
 * @param bytes its width
 * @param label the label it refers to; null for an address outside
 * @param origin the label that a distance is counted from
 * @param addend constant added to it, or the address outside
 * @param behind for fields relative to the next instruction: fixed bytes before that one
 */
record Fixup(
    Kind kind,
    int at,
    int elasticBefore,
    int bytes,
    @Nullable Label label,
    @Nullable Label origin,
    long addend,
    int behind) {
  /** Meanings of a field. */
  enum Kind {
    /** The address of a label. */
    ADDRESS,
    /** The number of bytes from one label to another. */
    DISTANCE,
    /** The number of bytes from the beginning of the code to a label. */
    OFFSET,
    /** The number of bytes from the next instruction to a label or to an address outside. */
    RELATIVE
  }

  /** Returns the fixup moved back by {@code more} fixed bytes. */
  Fixup moved(int more, int elastic) {
    return new Fixup(kind, at + more, elastic, bytes, label, origin, addend, behind + more);
  }

  /** Returns the fixup with the next instruction after {@code end} fixed bytes. */
  Fixup endingAt(int end) {
    return new Fixup(kind, at, elasticBefore, bytes, label, origin, addend, end);
  }
}
