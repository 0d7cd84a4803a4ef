package io.ntrail.analysis.flow.recorded;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.InstructionDecoder;
import java.util.HashMap;
import java.util.Map;

/**
 * Recognises dispatchers of control flow guard: the code comes to a jump through rax before any
 * call or return.
 */
final class DispatcherCheck {
  /** Knowledge of whether code is a dispatcher. */
  enum Answer {
    YES,
    NO,
    /** The code is not at hand. */
    UNKNOWN
  }

  /** Instructions that are looked at: those of Windows have some twenty. */
  private static final int MOST = 48;

  private static final int JUMP_RAX = 0xE0FF;

  private final AddressSpace code;
  private final Map<Long, Answer> known = new HashMap<>();
  private final InstructionDecoder decoder = InstructionDecoder.of(CodeSize.BITS64);
  private final Instruction instruction = new Instruction();

  DispatcherCheck(AddressSpace code) {
    this.code = code;
  }

  /** Returns whether there is a dispatcher at an address. */
  Answer at(long address) {
    return known.computeIfAbsent(address, this::look);
  }

  private Answer look(long address) {
    long at = address;
    for (int i = 0; i < MOST; i++) {
      Bytes bytes = code.readUpTo(at, InstructionDecoder.LONGEST);
      int length = decoder.decode(bytes, 0, bytes.length(), instruction);
      if (length == 0) {
        return bytes.length() == 0 ? Answer.UNKNOWN : Answer.NO;
      }
      switch (instruction.flowClass()) {
        case INDIRECT_JUMP -> {
          boolean isRax = length >= 2 && bytes.u16(length - 2) == JUMP_RAX;
          return isRax ? Answer.YES : Answer.NO;
        }
        case DIRECT_JUMP -> at = instruction.branchTarget(at);
        case NEXT, CONDITIONAL_BRANCH -> at += length;
        default -> {
          return Answer.NO;
        }
      }
    }
    return Answer.NO;
  }
}
