package io.ntrail.programs.x86.asm;

/**
 * A field whose value depends on where the code lies.
 *
 * @param offset where it is in the code
 * @param bytes its width
 * @param kind what it holds
 * @param value for an address: its distance from the beginning of the code; for what is relative:
 *     what it would hold in code at address 0
 */
public record Relocation(int offset, int bytes, Kind kind, long value) {
  /** What a field holds. */
  public enum Kind {
    /** An address inside the code: the code's own is added to {@link Relocation#value}. */
    ADDRESS,
    /** The distance to an address outside: the code's own is subtracted. */
    RELATIVE
  }

  /** What the field holds in code at {@code base}. */
  public long valueAt(long base) {
    return kind == Kind.ADDRESS ? base + value : value - base;
  }
}
