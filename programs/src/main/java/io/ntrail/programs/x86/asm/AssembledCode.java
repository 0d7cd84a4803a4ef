package io.ntrail.programs.x86.asm;

import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.asm.operands.Label;
import java.util.List;

/**
 * Assembled code: its bytes, the offsets of its labels, and what to change in it when it is put
 * somewhere. Immutable.
 */
public final class AssembledCode {
  private final CodeSize size;
  private final byte[] bytes;
  private final int alignment;
  private final List<Relocation> relocations;
  private final CodeLayout layout;

  AssembledCode(
      CodeSize size, byte[] bytes, int alignment, List<Relocation> relocations, CodeLayout layout) {
    this.size = size;
    this.bytes = bytes;
    this.alignment = alignment;
    this.relocations = List.copyOf(relocations);
    this.layout = layout;
  }

  /** Number of bytes. */
  public int length() {
    return bytes.length;
  }

  /** Returns the required alignment of its address. */
  public int alignment() {
    return alignment;
  }

  /**
   * Returns the offset of a label.
   *
   * @throws IllegalArgumentException if it was bound after the code was assembled, or belongs to
   *     other code
   */
  public int offset(Label label) {
    return layout.offset(label);
  }

  /** Returns the fields that depend on the code's address, in the order of the bytes. */
  public List<Relocation> relocations() {
    return relocations;
  }

  /**
   * Returns the bytes of code that does not depend on its address.
   *
   * @throws IllegalStateException if it does
   */
  public byte[] bytes() {
    if (!relocations.isEmpty()) {
      throw new IllegalStateException(
          relocations.size() + " places depend on where the code lies: ask for its bytes at one");
    }
    return bytes.clone();
  }

  /** The bytes with zeros where {@link #relocations} have to be written. */
  public byte[] template() {
    return bytes.clone();
  }

  /**
   * The bytes for an address.
   *
   * @throws IllegalArgumentException if the address is not a multiple of {@link #alignment}, or
   *     something outside is too far away
   */
  public byte[] bytesAt(long base) {
    if ((base & (alignment - 1)) != 0) {
      throw new IllegalArgumentException("0x%x is not a multiple of %d".formatted(base, alignment));
    }
    byte[] placed = bytes.clone();
    for (Relocation relocation : relocations) {
      long value = relocation.valueAt(base);
      if (!fits(relocation, value)) {
        throw new IllegalArgumentException(
            "at +0x%x of code at 0x%x: 0x%x does not fit into %d byte(s)"
                .formatted(relocation.offset(), base, value, relocation.bytes()));
      }
      CodeLayout.put(placed, relocation.offset(), value, relocation.bytes());
    }
    return placed;
  }

  private boolean fits(Relocation relocation, long value) {
    int bits = 8 * relocation.bytes();
    if (relocation.kind() == Relocation.Kind.ADDRESS) {
      return Immediates.fitsUnsigned(value, bits);
    }
    // In 32-bit code everything can be reached: addresses wrap around.
    return Immediates.fitsSigned(
        size == CodeSize.BITS32 ? Immediates.signExtended(value, 32) : value, bits);
  }
}
