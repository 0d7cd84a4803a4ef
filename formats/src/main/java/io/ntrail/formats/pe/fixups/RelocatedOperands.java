package io.ntrail.formats.pe.fixups;

/**
 * Applies entries to bytes of an image; an operand that is not wholly among them is skipped.
 *
 * <p>Source: "PE Format" of Microsoft's documentation; the encodings of ARM's and MIPS's manuals.
 */
final class RelocatedOperands {
  private final byte[] bytes;
  private final long first;
  private final long delta;
  private final RelocationFamily family;

  RelocatedOperands(byte[] bytes, long first, long delta, int machine) {
    this.bytes = bytes;
    this.first = first;
    this.delta = delta;
    this.family = RelocationFamily.of(machine);
  }

  /** Bytes of an operand, 0 for a type that is not applied. */
  int width(int type) {
    return switch (type) {
      case Relocations.HIGH, Relocations.LOW, Relocations.HIGHADJ -> 2;
      case Relocations.HIGHLOW -> 4;
      case Relocations.DIR64 -> 8;
      case 5 -> family == RelocationFamily.ARM ? 8 : family == RelocationFamily.MIPS ? 4 : 0;
      case 7 -> family == RelocationFamily.ARM ? 8 : 0;
      default -> 0;
    };
  }

  boolean apply(long rva, int type, int low) {
    int at = (int) (rva - first);
    if (at < 0 || at > bytes.length - width(type)) {
      return false;
    }
    switch (type) {
      case Relocations.HIGH -> put(at, 2, get(at, 2) + (delta >>> 16));
      case Relocations.LOW -> put(at, 2, get(at, 2) + delta);
      case Relocations.HIGHADJ -> put(at, 2, (get(at, 2) << 16) + low + delta + 0x8000 >> 16);
      case Relocations.HIGHLOW -> put(at, 4, get(at, 4) + delta);
      case Relocations.DIR64 -> put(at, 8, get(at, 8) + delta);
      case 5 -> {
        if (family == RelocationFamily.MIPS) {
          jump(at);
        } else {
          putArm(at, getArm(at) + delta);
        }
      }
      default -> putThumb(at, getThumb(at) + delta);
    }
    return true;
  }

  private long get(int at, int width) {
    long value = 0;
    for (int i = width - 1; i >= 0; i--) {
      value = value << 8 | bytes[at + i] & 0xFF;
    }
    return value;
  }

  private void put(int at, int width, long value) {
    for (int i = 0; i < width; i++) {
      bytes[at + i] = (byte) (value >>> 8 * i);
    }
  }

  /** The 26-bit word address of a MIPS jump. */
  private void jump(int at) {
    long code = get(at, 4);
    long target = ((code & 0x3FF_FFFF) << 2) + delta;
    put(at, 4, code & ~0x3FF_FFFFL | target >>> 2 & 0x3FF_FFFF);
  }

  /** Returns the number that an ARM MOVW and the MOVT after it load: 4 bits at 16, 12 bits at 0. */
  private long getArm(int at) {
    long low = get(at, 4);
    long high = get(at + 4, 4);
    return (low >>> 4 & 0xF000 | low & 0xFFF) | (high >>> 4 & 0xF000 | high & 0xFFF) << 16;
  }

  private void putArm(int at, long value) {
    putArmHalf(at, value & 0xFFFF);
    putArmHalf(at + 4, value >>> 16 & 0xFFFF);
  }

  private void putArmHalf(int at, long half) {
    put(at, 4, get(at, 4) & ~0xF_0FFFL | (half & 0xF000) << 4 | half & 0xFFF);
  }

  /**
   * Returns the number that a Thumb MOVW and MOVT load, whose halves are split in four: imm4, i,
   * imm3, imm8.
   */
  private long getThumb(int at) {
    return getThumbHalf(at) | getThumbHalf(at + 4) << 16;
  }

  private long getThumbHalf(int at) {
    long first = get(at, 2);
    long second = get(at + 2, 2);
    return (first & 0xF) << 12 | (first >>> 10 & 1) << 11 | second >>> 4 & 0x700 | second & 0xFF;
  }

  private void putThumb(int at, long value) {
    putThumbHalf(at, value & 0xFFFF);
    putThumbHalf(at + 4, value >>> 16 & 0xFFFF);
  }

  private void putThumbHalf(int at, long half) {
    put(at, 2, get(at, 2) & ~0x40FL | half >>> 12 | (half >>> 11 & 1) << 10);
    put(at + 2, 2, get(at + 2, 2) & ~0x70FFL | (half & 0x700) << 4 | half & 0xFF);
  }
}
