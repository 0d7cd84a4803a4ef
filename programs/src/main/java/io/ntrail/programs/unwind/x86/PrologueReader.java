package io.ntrail.programs.unwind.x86;

import static io.ntrail.programs.unwind.FrameRegisters.SP;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.programs.x86.FlowClass;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.InstructionDecoder;
import io.ntrail.programs.x86.OperandReader;
import io.ntrail.programs.x86.Operands;
import java.util.Optional;

/** Follows prologues of functions. Not for several threads. */
final class PrologueReader {
  private final CodeReader code;
  private final InstructionDecoder decoder;
  private final OperandReader reader;
  private final Instruction instruction = new Instruction();
  private final Operands operands = new Operands();

  PrologueReader(CodeReader code) {
    this.code = code;
    this.decoder = code.decoder();
    this.reader = OperandReader.of(decoder);
  }

  /**
   * Follows a prologue.
   *
   * @param start address of the first instruction
   * @param length bytes of it that were executed
   * @return empty if its bytes are not at hand, it branches or calls, or does not say where the
   *     stack pointer is
   */
  Optional<Prologue> read(long start, int length) {
    Bytes bytes = code.read(start, length);
    if (bytes.length() < length) {
      return Optional.empty();
    }
    SymbolicState state = SymbolicState.initial();
    int at = 0;
    while (at < length) {
      if (decoder.decode(bytes, at, length, instruction) == 0
          || instruction.flowClass() != FlowClass.NEXT
          || !reader.read(instruction, operands)) {
        return Optional.empty();
      }
      state.apply(instruction, operands);
      at += instruction.length();
    }
    SymbolicValue top = state.get(SP);
    return top.isSum() && top.base() == SP && top.offset() <= 0
        ? Optional.of(new Prologue(-top.offset(), state))
        : Optional.empty();
  }
}
