package io.ntrail.programs.x86.asm;

import java.util.Arrays;

/** Content of the bytes in front of an aligned place. */
public enum Padding {
  /** {@code int3}: where nothing may run into the padding. */
  INT3,
  /** The nops that the vendors recommend, of up to nine bytes: where something runs through it. */
  NOP,
  /** Zeros: between data. */
  ZERO;

  /** The recommended nops by length; they are of no use to 32-bit processors before the P6. */
  private static final byte[][] NOPS = {
    {},
    {(byte) 0x90},
    {0x66, (byte) 0x90},
    {0x0F, 0x1F, 0x00},
    {0x0F, 0x1F, 0x40, 0x00},
    {0x0F, 0x1F, 0x44, 0x00, 0x00},
    {0x66, 0x0F, 0x1F, 0x44, 0x00, 0x00},
    {0x0F, 0x1F, (byte) 0x80, 0, 0, 0, 0},
    {0x0F, 0x1F, (byte) 0x84, 0x00, 0, 0, 0, 0},
    {0x66, 0x0F, 0x1F, (byte) 0x84, 0x00, 0, 0, 0, 0},
  };

  /** Fills {@code length} bytes of {@code target} from {@code at} on. */
  void fill(byte[] target, int at, int length) {
    switch (this) {
      case INT3 -> Arrays.fill(target, at, at + length, (byte) 0xCC);
      case ZERO -> Arrays.fill(target, at, at + length, (byte) 0);
      case NOP -> {
        int done = 0;
        while (done < length) {
          byte[] nop = NOPS[Math.min(length - done, NOPS.length - 1)];
          System.arraycopy(nop, 0, target, at + done, nop.length);
          done += nop.length;
        }
      }
    }
  }
}
