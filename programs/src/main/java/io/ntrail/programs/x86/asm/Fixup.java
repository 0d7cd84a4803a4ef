package io.ntrail.programs.x86.asm;

import io.ntrail.programs.x86.asm.operands.Label;
import org.jspecify.annotations.Nullable;

/**
 * A field of the code whose value is known only when the places of the labels are.
 *
 * @param kind what it holds
 * @param at where it is: number of fixed bytes before it
 * @param elasticBefore number of elastic items before it
 * @param bytes its width
 * @param label what it refers to; null for an address outside
 * @param origin from where a distance is counted
 * @param addend what is added to it, or the address outside
 * @param behind for what is relative to the next instruction: fixed bytes before that one
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
  /** What a field holds. */
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

  /** The same elsewhere: with {@code more} fixed bytes before it. */
  Fixup moved(int more, int elastic) {
    return new Fixup(kind, at + more, elastic, bytes, label, origin, addend, behind + more);
  }

  /** The same with the next instruction behind {@code end} fixed bytes. */
  Fixup endingAt(int end) {
    return new Fixup(kind, at, elasticBefore, bytes, label, origin, addend, end);
  }
}
