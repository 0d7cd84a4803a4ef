package io.ntrail.live.patch;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.InstructionDecoder;
import java.util.BitSet;

/**
 * Code of a system call in ntdll as Windows and Wine have it: it loads the number of the call,
 * enters the system and returns. Whatever hooks it would run code of its own there.
 */
final class PlainSystemCall {
  /** Size of the code that is looked at. */
  static final int BYTES = 64;

  private static final int MOST_INSTRUCTIONS = 16;

  private final Bytes code;
  private final InstructionDecoder decoder = InstructionDecoder.of(CodeSize.BITS64);
  private final Instruction instruction = new Instruction();
  private final BitSet seen = new BitSet();
  private boolean isEntered;

  private PlainSystemCall(Bytes code) {
    this.code = code;
  }

  /** Returns true if code does nothing but a system call, whichever way it takes. */
  static boolean is(Bytes code) {
    PlainSystemCall call = new PlainSystemCall(code);
    return call.isPlainFrom(0) && call.isEntered;
  }

  private boolean isPlainFrom(int from) {
    int at = from;
    while (true) {
      if (at < 0 || at >= code.length() || seen.cardinality() > MOST_INSTRUCTIONS) {
        return false;
      }
      if (seen.get(at)) {
        return true;
      }
      seen.set(at);
      decoder.decode(code, at, code.length(), instruction);
      if (!instruction.isValid() || instruction.isRipRelative()) {
        return false;
      }
      int next = at + instruction.length();
      switch (instruction.flowClass()) {
        case NEXT -> at = next;
        case SYSTEM_CALL -> {
          isEntered = true;
          at = next;
        }
        // Windows may enter the system by interrupt 2Eh, Wine by a call through a fixed address.
        case INTERRUPT, INDIRECT_CALL -> {
          if (!isSystemInterrupt(at) && !isFixedCall(at, instruction.length())) {
            return false;
          }
          isEntered = true;
          at = next;
        }
        case CONDITIONAL_BRANCH -> {
          int target = (int) instruction.branchTarget(at);
          if (!isPlainFrom(next)) {
            return false;
          }
          at = target;
        }
        case DIRECT_JUMP -> at = (int) instruction.branchTarget(at);
        case RETURN -> {
          return true;
        }
        default -> {
          return false;
        }
      }
    }
  }

  private boolean isSystemInterrupt(int at) {
    return code.u16(at) == 0x2ECD;
  }

  /** Returns true for a call through an address in the page that Wine shares with all programs. */
  private boolean isFixedCall(int at, int length) {
    return length == 7
        && code.u8(at) == 0xFF
        && code.u16(at + 1) == 0x2514
        && (code.u32(at + 3) & 0xFFFF_F000L) == 0x7FFE_1000L;
  }
}
