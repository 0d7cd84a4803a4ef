package io.ntrail.live.plan;

import io.ntrail.analysis.image.ImageFunction;
import io.ntrail.analysis.x86.CodeSize;
import io.ntrail.analysis.x86.Instruction;
import io.ntrail.analysis.x86.InstructionDecoder;
import io.ntrail.analysis.x86.Operand;
import io.ntrail.analysis.x86.OperandReader;
import io.ntrail.analysis.x86.OperandType;
import io.ntrail.analysis.x86.Operands;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.pe.FunctionTable;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.RuntimeFunction;
import io.ntrail.formats.pe.UnwindCode;
import io.ntrail.formats.pe.UnwindInfo;
import java.util.Optional;

/**
 * Finds functions that look at their own return address: they would see that of a slot.
 *
 * <p>The unwind data says how far the return address is from the stack pointer or the frame
 * register behind the prologue; an instruction that reads what lies there, or takes its address, is
 * one. The instructions in front of the first that does not belong to the prologue are not looked
 * at.
 */
final class ReturnAddressReads {
  private static final int MOST_BYTES = 1 << 16;
  private static final String[] FRAME = {
    "", "rcx", "rdx", "rbx", "", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
    "r15"
  };

  private final PeImage image;
  private final FunctionTable table;
  private final InstructionDecoder decoder = InstructionDecoder.of(CodeSize.BITS64);
  private final OperandReader reader = OperandReader.of(decoder);
  private final Instruction instruction = new Instruction();
  private final Operands operands = new Operands();

  ReturnAddressReads(PeImage image, FunctionTable table) {
    this.image = image;
    this.table = table;
  }

  /** Whether a function does. */
  boolean in(ImageFunction function) {
    Optional<RuntimeFunction> entry = table.find(function.rva());
    long distance = 0;
    long fromFrame = 0;
    int prologue = 0;
    String frame = "";
    if (entry.isPresent()) {
      UnwindInfo info = UnwindInfo.read(image.view(), entry.get().unwindInfo());
      prologue = info.prologSize();
      long beforeFrame = 0;
      // Codes are the last first: what comes behind SET_FPREG here happened before it.
      for (UnwindCode code : info.prologCodes()) {
        switch (code.operation()) {
          case UWOP_PUSH_NONVOL -> distance += 8;
          case UWOP_ALLOC_SMALL, UWOP_ALLOC_LARGE -> distance += code.value();
          case UWOP_SET_FPREG -> beforeFrame = distance;
          case UWOP_PUSH_MACHFRAME -> {
            return false;
          }
          default -> {}
        }
      }
      if (info.frameRegister() != 0) {
        frame = FRAME[info.frameRegister() & 0xF];
        fromFrame = distance - beforeFrame - info.frameOffset();
      }
    }
    return reads(function, prologue, distance, frame, fromFrame);
  }

  private boolean reads(
      ImageFunction function, int prologue, long distance, String frame, long fromFrame) {
    Bytes code = image.view().window(function.rva(), Math.min(MOST_BYTES, function.size()));
    for (int at = 0; at < code.length(); ) {
      int size = decoder.decode(code, at, code.length(), instruction);
      if (size == 0) {
        return false;
      }
      if (at >= prologue
          && !HookPrologue.is(code, at, size)
          && reader.read(instruction, operands)) {
        int operand = operands.memoryOperand();
        if (operand >= 0 && operands.type(operand) == OperandType.MEMORY) {
          Operand.InMemory memory = operands.memory(operand);
          String base = memory.base().map(Object::toString).orElse("");
          if (memory.index().isEmpty()
              && (base.equalsIgnoreCase("rsp") && memory.displacement() == distance
                  || !frame.isEmpty()
                      && base.equalsIgnoreCase(frame)
                      && memory.displacement() == fromFrame)) {
            return true;
          }
        }
      }
      at += size;
    }
    return false;
  }
}
