package io.ntrail.programs.kernelcode;

import java.util.Map;
import java.util.TreeMap;

/**
 * The page of thunks that a kernel with retpolines maps right behind the image of each driver. The
 * page is part of the running kernel, so its bytes are not known from any file of the driver: this
 * one is synthetic. It has at each known offset (kernels of 2019) code with the known effect: a
 * call over an int3, {@code mov [rsp], target}, a return, which is how a Processor Trace shows it.
 * All other bytes of the page are missing. Left out: the check of the import thunk whether the
 * image is allowed to, after which it may leave by {@code jmp r10}.
 *
 * <p>The switch thunks are entered by the call at the site, over the int3 behind it, and so have no
 * call of their own: otherwise a return address would be left on the stack of the jump.
 */
final class RetpolinePage {
  /** Bytes of the page. */
  static final int SIZE = 0x1000;

  /** Thunk for a target in rax that control flow guard checks. */
  static final int CHECKED = 0x2A0;

  /** Thunk for a target in rax. */
  static final int POINTER = 0x2E0;

  /** Thunk for the address of an import, in r10. */
  static final int IMPORT = 0x420;

  private static final int SWITCHES = 0xA0;
  private static final int SWITCH = 0x20;
  private static final int REGISTERS = 16;
  private static final int RAX = 0;
  private static final int RSP = 4;
  private static final int R10 = 10;

  private RetpolinePage() {}

  /** Returns the RVA of the page of an image. */
  static long rva(long sizeOfImage) {
    return sizeOfImage + SIZE - 1 & -SIZE;
  }

  /**
   * Returns the offset of the thunk for a jump through a register.
   *
   * @param register its number, rax is 0
   * @return -1 if there is none: no table is indexed into rsp
   */
  static int switchThunk(int register) {
    return register < 0 || register >= REGISTERS || register == RSP
        ? -1
        : SWITCHES + SWITCH * register;
  }

  /** Returns the code of the thunks by their offsets. */
  static Map<Integer, byte[]> thunks() {
    Map<Integer, byte[]> thunks = new TreeMap<>();
    for (int register = 0; register < REGISTERS; register++) {
      if (register != RSP) {
        thunks.put(
            switchThunk(register),
            new byte[] {rex(register), (byte) 0x89, operand(register), 0x24, (byte) 0xC3});
      }
    }
    thunks.put(CHECKED, calling(RAX));
    thunks.put(POINTER, calling(RAX));
    thunks.put(IMPORT, calling(R10));
    return thunks;
  }

  /** {@code call over; int3; over: mov [rsp], register; ret}. */
  private static byte[] calling(int register) {
    return new byte[] {
      (byte) 0xE8,
      1,
      0,
      0,
      0,
      (byte) 0xCC,
      rex(register),
      (byte) 0x89,
      operand(register),
      0x24,
      (byte) 0xC3
    };
  }

  private static byte rex(int register) {
    return (byte) (register < 8 ? 0x48 : 0x4C);
  }

  private static byte operand(int register) {
    return (byte) (0x04 | (register & 7) << 3);
  }
}
