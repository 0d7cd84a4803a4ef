package io.ntrail.programs.x86.asm.operands;

/**
 * Target of a far jump or call of 32-bit code.
 *
 * @param segment the selector, 16 bits without a sign
 * @param offset the offset in it, 32 bits without a sign
 */
public record FarPointer(int segment, long offset) implements AssemblerOperand {
  /**
   * Checks its parts.
   *
   * @throws IllegalArgumentException if one does not fit
   */
  public FarPointer {
    if (segment >>> 16 != 0 || offset >>> 32 != 0) {
      throw new IllegalArgumentException("far pointer 0x%x:0x%x".formatted(segment, offset));
    }
  }

  @Override
  public String toString() {
    return "0x%x:0x%x".formatted(segment, offset);
  }
}
