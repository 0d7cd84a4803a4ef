package io.ntrail.programs.x86;

/** Classes of registers, by purpose and width. */
public enum RegisterClass {
  /** AL, CL, DL, BL, SPL, BPL, SIL, DIL, R8B to R15B. */
  GENERAL8(8, 16),
  /** AH, CH, DH, BH. */
  HIGH8(8, 4),
  /** AX to R15W. */
  GENERAL16(16, 16),
  /** EAX to R15D. */
  GENERAL32(32, 16),
  /** RAX to R15. */
  GENERAL64(64, 16),
  /** EIP, RIP: base of a relative address. */
  POINTER(64, 2),
  /** ES, CS, SS, DS, FS, GS. */
  SEGMENT(16, 6),
  /** CR0 to CR15. */
  CONTROL(64, 16),
  /** DR0 to DR15. */
  DEBUG(64, 16),
  /** ST(0) to ST(7). */
  X87(80, 8),
  /** MM0 to MM7. */
  MMX(64, 8),
  /** XMM0 to XMM31. */
  XMM(128, 32),
  /** YMM0 to YMM31. */
  YMM(256, 32),
  /** ZMM0 to ZMM31. */
  ZMM(512, 32),
  /** K0 to K7. */
  MASK(64, 8),
  /** TMM0 to TMM7. */
  TILE(8192, 8),
  /** BND0 to BND3. */
  BOUND(128, 4);

  private static final RegisterClass[] VALUES = values();

  private final int bits;
  private final int count;

  RegisterClass(int bits, int count) {
    this.bits = bits;
    this.count = count;
  }

  /** Width in bits. Control and debug registers have 32 outside 64-bit code. */
  public int bits() {
    return bits;
  }

  /** Returns the number of registers. */
  public int count() {
    return count;
  }

  static RegisterClass at(int ordinal) {
    return VALUES[ordinal];
  }
}
