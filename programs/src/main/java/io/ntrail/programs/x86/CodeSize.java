package io.ntrail.programs.x86;

/** Default operand and address size of code, as given by its code segment. */
public enum CodeSize {
  /** Real mode, virtual 8086 mode and 16-bit segments. */
  BITS16(16),
  /** IA-32. */
  BITS32(32),
  /** x64. */
  BITS64(64);

  private final int bits;

  CodeSize(int bits) {
    this.bits = bits;
  }

  /** 16, 32 or 64. */
  public int bits() {
    return bits;
  }
}
