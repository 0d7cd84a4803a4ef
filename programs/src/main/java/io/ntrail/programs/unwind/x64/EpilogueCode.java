package io.ntrail.programs.unwind.x64;

import io.ntrail.formats.bytes.Bytes;
import java.util.function.LongPredicate;

/**
 * Test whether code is the rest of an epilogue, by its bytes, as Windows does it for version 1 of
 * unwind data:
 *
 * <pre>
 * once     48 83 C4 ib        add rsp, imm8       48 81 C4 id         add rsp, imm32
 *          4x 8D 6x ib        lea rsp, [frame + disp8]      4x 8D Ax id   disp32; only with the frame register
 * any      58+r, 4x 58+r      pop
 * maybe    F2                 bnd
 * last     C3, C2 iw, F3 C3   ret
 *          EB ib, E9 id       jmp: out of the function, or to its start
 *          FF 25 id           jmp [rip + disp32]
 *          48-4F FF /4        jmp through a register or memory; REX.W, of no other use, marks it
 * </pre>
 */
final class EpilogueCode {
  /** Answers of the test. */
  enum Answer {
    EPILOGUE,
    BODY,
    /** The bytes end before it is clear. */
    CUT
  }

  private static final int REX_W = 0x48;
  private static final int LEA = 0x8D;
  private static final int RSP_DISP8 = 0x60;
  private static final int RSP_DISP32 = 0xA0;

  private final Bytes code;
  private final long rva;
  private final int frameRegister;

  /** True if a jump to an RVA leaves the function. */
  private final LongPredicate leaves;

  private int at;

  /**
   * @param code from the address in question on
   * @param rva of its first byte
   * @param frameRegister 0 if there is none
   */
  EpilogueCode(Bytes code, long rva, int frameRegister, LongPredicate leaves) {
    this.code = code;
    this.rva = rva;
    this.frameRegister = frameRegister;
    this.leaves = leaves;
  }

  /** Tests, and gives the effects of its instructions but the last one to a rule. */
  Answer read(UnwindRuleBuilder rule) {
    if (!stackAdjustment(rule)) {
      return Answer.CUT;
    }
    pops(rule);
    return last();
  }

  private int u8(int distance) {
    return code.has(at + distance, 1) ? code.u8(at + distance) : -1;
  }

  /** Returns false if it cannot be told whether there is one. */
  private boolean stackAdjustment(UnwindRuleBuilder rule) {
    int first = u8(0);
    int second = u8(1);
    int third = u8(2);
    if (first == REX_W && (second == 0x83 || second == 0x81)) {
      int length = second == 0x83 ? 4 : 7;
      if (third == 0xC4 && code.has(at, length)) {
        rule.doMove(length == 4 ? (byte) code.u8(at + 3) : code.i32(at + 3));
        at += length;
        return true;
      }
      return third >= 0 && third != 0xC4;
    }
    if ((first & 0xFE) == REX_W && second == LEA) {
      int base = (first & 1) << 3 | third & 7;
      int kind = third & 0xF8;
      if (third >= 0 && (base == 0 || base != frameRegister || !isLea(kind))) {
        return true;
      }
      int length = kind == RSP_DISP8 ? 4 : 7;
      if (third < 0 || !code.has(at, length)) {
        return false;
      }
      rule.doSetStack(base, -(length == 4 ? (byte) code.u8(at + 3) : (long) code.i32(at + 3)));
      at += length;
    }
    return true;
  }

  private static boolean isLea(int kind) {
    return kind == RSP_DISP8 || kind == RSP_DISP32;
  }

  private void pops(UnwindRuleBuilder rule) {
    while (true) {
      int first = u8(0);
      int second = u8(1);
      if ((first & 0xF8) == 0x58) {
        rule.doPopByCode(first & 7);
        at += 1;
      } else if ((first & 0xF0) == 0x40 && second >= 0 && (second & 0xF8) == 0x58) {
        rule.doPopByCode((first & 1) << 3 | second & 7);
        at += 2;
      } else {
        return;
      }
    }
  }

  private Answer last() {
    if (u8(0) == 0xF2) {
      at++;
    }
    int first = u8(0);
    int second = u8(1);
    if (first == 0xC3 || first == 0xC2) {
      return Answer.EPILOGUE;
    }
    boolean needsMore =
        first < 0
            || second < 0 && (first == 0xF3 || first == 0xEB || first == 0xFF || isRexW(first))
            || first == 0xE9 && !code.has(at, 5)
            || isRexW(first) && second == 0xFF && u8(2) < 0;
    if (needsMore) {
      return Answer.CUT;
    }
    boolean is =
        switch (first) {
          case 0xF3 -> second == 0xC3;
          case 0xEB -> jumpsOut(2, (byte) second);
          case 0xE9 -> jumpsOut(5, code.i32(at + 1));
          case 0xFF -> second == 0x25;
          default -> isRexW(first) && second == 0xFF && (u8(2) & 0x38) == 0x20;
        };
    return is ? Answer.EPILOGUE : Answer.BODY;
  }

  private static boolean isRexW(int first) {
    return (first & 0xF8) == REX_W;
  }

  private boolean jumpsOut(int length, int distance) {
    return leaves.test(rva + at + length + distance);
  }
}
