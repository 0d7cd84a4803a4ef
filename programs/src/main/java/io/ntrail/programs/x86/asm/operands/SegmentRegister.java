package io.ntrail.programs.x86.asm.operands;

/** The segment registers. */
public enum SegmentRegister implements RegisterOperand {
  ES(0x26),
  CS(0x2E),
  SS(0x36),
  DS(0x3E),
  FS(0x64),
  GS(0x65);

  private final int prefix;

  SegmentRegister(int prefix) {
    this.prefix = prefix;
  }

  @Override
  public int number() {
    return ordinal();
  }

  @Override
  public int bits() {
    return 16;
  }

  /** The prefix byte that makes an instruction use this segment. */
  public int prefix() {
    return prefix;
  }

  /** Returns true if 64-bit code has a base address for it; the others are ignored there. */
  public boolean countsIn64Bit() {
    return this == FS || this == GS;
  }
}
