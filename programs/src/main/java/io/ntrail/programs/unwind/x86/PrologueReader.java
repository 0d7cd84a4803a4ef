package io.ntrail.programs.unwind.x86;

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
   * Follows a prologue up to the instruction at an address, or that contains it: the call of a
   * helper.
   *
   * @param start address of the first instruction
   * @param length bytes up to the address
   * @return empty if its bytes are not at hand, or if it branches or calls
   */
  Optional<Prologue> read(long start, int length) {
    Bytes bytes = code.read(start, length + InstructionDecoder.LONGEST);
    if (bytes.length() < length) {
      return Optional.empty();
    }
    SymbolicState state = SymbolicState.initial();
    int at = 0;
    while (at < length) {
      if (decoder.decode(bytes, at, bytes.length(), instruction) == 0
          || !reader.read(instruction, operands)) {
        return Optional.empty();
      }
      at += instruction.length();
      if (at <= length) {
        if (instruction.flowClass() != FlowClass.NEXT) {
          return Optional.empty();
        }
        state.apply(instruction, operands);
      }
    }
    return Optional.of(new Prologue(state));
  }
}
