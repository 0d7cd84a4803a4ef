package io.ntrail.programs.unwind;

import java.util.Arrays;

/**
 * Registers in one frame: the values that they had when control was in it, as far as they are
 * known. A register that a callee may have changed and did not save is unknown in its callers.
 *
 * <p>General registers have the numbers by which instructions encode them: 0 to 7 for ax, cx, dx,
 * bx, sp, bp, si, di, and 8 to 15 for r8 to r15 (x64 only). Values of 32-bit registers are
 * zero-extended. Not safe for several threads, except that copies may go to other threads.
 */
public final class FrameRegisters {
  /** Number of ax. */
  public static final int AX = 0;

  /** Number of cx. */
  public static final int CX = 1;

  /** Number of dx. */
  public static final int DX = 2;

  /** Number of bx. */
  public static final int BX = 3;

  /** Number of the stack pointer. */
  public static final int SP = 4;

  /** Number of bp. */
  public static final int BP = 5;

  /** Number of si. */
  public static final int SI = 6;

  /** Number of di. */
  public static final int DI = 7;

  private static final int VECTORS = 16;
  private static final long LOW_HALF = 0xFFFF_FFFFL;

  private final boolean is64Bit;
  private final long[] general;

  /** Low and high half of each XMM register. */
  private long[] vectors;

  /** True while copies have the same array: few frames change it. */
  private boolean vectorsShared;

  private long ip;
  private int known;
  private int knownVectors;

  private FrameRegisters(boolean is64Bit, long[] general, long[] vectors) {
    this.is64Bit = is64Bit;
    this.general = general;
    this.vectors = vectors;
  }

  /** Returns the registers of an x64 frame, none of which is known. */
  public static FrameRegisters x64() {
    return new FrameRegisters(true, new long[16], new long[2 * VECTORS]);
  }

  /** Returns the registers of an x86 frame, none of which is known; XMM registers stay unknown. */
  public static FrameRegisters x86() {
    return new FrameRegisters(false, new long[8], new long[0]);
  }

  /** Returns true for x64, false for x86. */
  public boolean is64Bit() {
    return is64Bit;
  }

  /** Returns an independent copy. */
  public FrameRegisters copy() {
    FrameRegisters copy = new FrameRegisters(is64Bit, general.clone(), vectors);
    vectorsShared = true;
    copy.vectorsShared = true;
    copy.ip = ip;
    copy.known = known;
    copy.knownVectors = knownVectors;
    return copy;
  }

  /** Copies all values of registers of the same architecture. */
  public void set(FrameRegisters other) {
    System.arraycopy(other.general, 0, general, 0, general.length);
    vectors = other.vectors;
    vectorsShared = true;
    other.vectorsShared = true;
    ip = other.ip;
    known = other.known;
    knownVectors = other.knownVectors;
  }

  /** Returns the number of general registers: 16 or 8. */
  public int count() {
    return general.length;
  }

  /** Returns the instruction pointer; in the frame of a caller, the return address. */
  public long ip() {
    return ip;
  }

  /** Sets the instruction pointer. */
  public void setIp(long value) {
    ip = is64Bit ? value : value & LOW_HALF;
  }

  /** Returns the stack pointer; 0 if it is unknown. */
  public long sp() {
    return general[SP];
  }

  /** Sets the stack pointer. */
  public void setSp(long value) {
    set(SP, value);
  }

  /** Returns true if the value of a general register is known. */
  public boolean isKnown(int number) {
    return (known & 1 << number) != 0;
  }

  /** Returns the value of a general register; 0 if it is unknown. */
  public long get(int number) {
    return general[number];
  }

  /** Sets a general register, which is known then. */
  public void set(int number, long value) {
    general[number] = is64Bit ? value : value & LOW_HALF;
    known |= 1 << number;
  }

  /** Makes a general register unknown. */
  public void forget(int number) {
    general[number] = 0;
    known &= ~(1 << number);
  }

  /**
   * Makes all registers unknown but those of two masks, in which bit n is register n.
   *
   * @param generals general registers that stay as they are
   * @param xmms XMM registers that stay as they are
   */
  public void keepOnly(int generals, int xmms) {
    int gone = known & ~generals;
    known &= generals;
    knownVectors &= xmms;
    for (; gone != 0; gone &= gone - 1) {
      general[Integer.numberOfTrailingZeros(gone)] = 0;
    }
  }

  /** Returns true if the value of an XMM register is known. */
  public boolean isVectorKnown(int number) {
    return (knownVectors & 1 << number) != 0;
  }

  /** Returns bits 0 to 63 of an XMM register; 0 if it is unknown. */
  public long vectorLow(int number) {
    return isVectorKnown(number) ? vectors[2 * number] : 0;
  }

  /** Returns bits 64 to 127 of an XMM register; 0 if it is unknown. */
  public long vectorHigh(int number) {
    return isVectorKnown(number) ? vectors[2 * number + 1] : 0;
  }

  /** Sets an XMM register of x64, which is known then. */
  public void setVector(int number, long low, long high) {
    if (vectorsShared) {
      vectors = vectors.clone();
      vectorsShared = false;
    }
    vectors[2 * number] = low;
    vectors[2 * number + 1] = high;
    knownVectors |= 1 << number;
  }

  /** Makes an XMM register unknown. */
  public void forgetVector(int number) {
    knownVectors &= ~(1 << number);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FrameRegisters that
        && is64Bit == that.is64Bit
        && ip == that.ip
        && known == that.known
        && knownVectors == that.knownVectors
        && Arrays.equals(general, that.general)
        && hasEqualVectors(that);
  }

  private boolean hasEqualVectors(FrameRegisters that) {
    for (int left = knownVectors; left != 0; left &= left - 1) {
      int at = 2 * Integer.numberOfTrailingZeros(left);
      if (vectors[at] != that.vectors[at] || vectors[at + 1] != that.vectors[at + 1]) {
        return false;
      }
    }
    return true;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(ip) * 31 + Arrays.hashCode(general);
  }
}
