package io.ntrail.programs.x86.asm;

/**
 * A field whose value depends on the address of the code.
 *
 * @param offset of the field in the code
 * @param bytes its width
 * @param kind meaning of the field
 * @param value for an address: its distance from the start of the code; for a relative field: its
 *     value in code at address 0
 */
public record Relocation(int offset, int bytes, Kind kind, long value) {
  /** Meanings of a field. */
  public enum Kind {
    /** An address inside the code: the code's own is added to {@link Relocation#value}. */
    ADDRESS,
    /** The distance to an address outside: the code's own is subtracted. */
    RELATIVE
  }

  /** Returns the value of the field in code at {@code base}. */
  public long valueAt(long base) {
    return kind == Kind.ADDRESS ? base + value : value - base;
  }
}
