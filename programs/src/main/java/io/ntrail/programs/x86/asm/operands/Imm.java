package io.ntrail.programs.x86.asm.operands;

import org.jspecify.annotations.Nullable;

/**
 * A number in an instruction, where it is more than a {@code long}: one whose field has to be of a
 * certain width, the address of a label, or the distance of two labels.
 *
 * @param value the number, or what is added to the address or distance
 * @param bytes width of the field, or 0 for the narrowest
 * @param label whose address, or null
 * @param origin from where a distance is counted, or null for an address
 */
public record Imm(long value, int bytes, @Nullable Label label, @Nullable Label origin)
    implements AssemblerOperand {
  /** In the narrowest field that the instruction has for it. */
  public static Imm imm(long value) {
    return new Imm(value, 0, null, null);
  }

  /** In a field of one byte. */
  public static Imm imm8(long value) {
    return new Imm(value, 1, null, null);
  }

  /** In a field of two bytes. */
  public static Imm imm16(long value) {
    return new Imm(value, 2, null, null);
  }

  /** In a field of four bytes, though it may fit in one. */
  public static Imm imm32(long value) {
    return new Imm(value, 4, null, null);
  }

  /** In a field of eight bytes, though it may fit in four. */
  public static Imm imm64(long value) {
    return new Imm(value, 8, null, null);
  }

  /** The address of a label: 8 bytes in 64-bit code, 4 in 32-bit code. */
  public static Imm address(Label label) {
    return new Imm(0, 0, label, null);
  }

  /** The number of bytes from {@code from} to {@code to}, in 4 bytes. */
  public static Imm distance(Label from, Label to) {
    return new Imm(0, 4, to, from);
  }

  /** Returns the number with {@code more} added. */
  public Imm plus(long more) {
    return new Imm(value + more, bytes, label, origin);
  }

  @Override
  public String toString() {
    if (label == null) {
      return Long.toString(value);
    }
    return label + (origin == null ? "" : " - " + origin) + (value == 0 ? "" : " + " + value);
  }
}
