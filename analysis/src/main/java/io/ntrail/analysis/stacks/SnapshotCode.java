package io.ntrail.analysis.stacks;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.programs.unwind.FrameRegisters;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.InstructionDecoder;
import io.ntrail.programs.x86.IntelSyntax;
import io.ntrail.programs.x86.Operand;
import io.ntrail.programs.x86.OperandReader;
import io.ntrail.programs.x86.Operands;
import io.ntrail.programs.x86.Register;
import io.ntrail.programs.x86.RegisterClass;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Instructions in the memory of a snapshot. For one thread. */
public final class SnapshotCode {
  /** Bytes before an instruction that are decoded to show those before it. */
  private static final int MOST_BEFORE = 1 << 14;

  /**
   * Instruction at an address.
   *
   * @param bytes in hexadecimal
   * @param text in Intel syntax
   */
  public record Line(long address, String bytes, String text) {}

  /** Register that an instruction names, with its value. */
  public record Value(String register, long value) {}

  private final ProcessSnapshot process;
  private final InstructionDecoder decoder;
  private final OperandReader reader;
  private final Instruction instruction = new Instruction();
  private final Operands operands = new Operands();

  /** Creates a decoder of the code of a process. */
  public SnapshotCode(ProcessSnapshot process) {
    this.process = process;
    this.decoder = InstructionDecoder.of(process.is64Bit() ? CodeSize.BITS64 : CodeSize.BITS32);
    this.reader = OperandReader.of(decoder);
  }

  /** Returns the instruction at an address; empty if its bytes are not there or are none. */
  public Optional<Line> at(long address) {
    Bytes bytes = process.memory().readUpTo(address, InstructionDecoder.LONGEST);
    return decode(bytes, 0) ? Optional.of(line(bytes, 0, address)) : Optional.empty();
  }

  private boolean decode(Bytes bytes, int at) {
    if (at >= bytes.length()) {
      return false;
    }
    decoder.decode(bytes, at, bytes.length(), instruction);
    return instruction.isValid() && reader.read(instruction, operands);
  }

  private Line line(Bytes bytes, int at, long address) {
    StringBuilder hex = new StringBuilder();
    for (byte b : bytes.array(at, instruction.length())) {
      hex.append(hex.isEmpty() ? "" : " ")
          .append(Integer.toHexString(0x100 | b & 0xFF).substring(1));
    }
    return new Line(address, hex.toString(), IntelSyntax.text(instruction, operands, address));
  }

  /**
   * Returns the general registers that the instruction at an address names and whose values are
   * known: those of its address in memory first, each once.
   */
  public List<Value> operands(long address, FrameRegisters registers) {
    Bytes bytes = process.memory().readUpTo(address, InstructionDecoder.LONGEST);
    if (!decode(bytes, 0)) {
      return List.of();
    }
    Set<Register> named = new LinkedHashSet<>();
    List<Operand> list = operands.list();
    for (Operand operand : list) {
      if (operand instanceof Operand.InMemory memory) {
        memory.base().ifPresent(named::add);
        memory.index().ifPresent(named::add);
      }
    }
    for (Operand operand : list) {
      if (operand instanceof Operand.InRegister(Register register)) {
        named.add(register);
      }
    }
    List<Value> values = new ArrayList<>();
    for (Register register : named) {
      Register whole = register.whole();
      if (isGeneral(whole) && registers.isKnown(whole.number())) {
        String name = process.is64Bit() ? whole.toString() : name32(whole.number());
        Value value = new Value(name, registers.get(whole.number()));
        if (!values.contains(value)) {
          values.add(value);
        }
      }
    }
    return values;
  }

  private static String name32(int number) {
    return Register.of(RegisterClass.GENERAL32, number).toString();
  }

  private boolean isGeneral(Register register) {
    return register.type() == RegisterClass.GENERAL64
        && register.number() < (process.is64Bit() ? 16 : 8);
  }

  /**
   * Returns the instructions around one.
   *
   * @param begin address at which an instruction begins before it, such as that of its function;
   *     the address itself if none is known: then there are none before it
   * @param before how many before it, at most
   * @param after how many after it, at most
   */
  public List<Line> around(long begin, long address, int before, int after) {
    Deque<Line> lines = new ArrayDeque<>();
    long at = address - begin > MOST_BEFORE || begin > address ? address : begin;
    int length = (int) (address - at) + (after + 1) * InstructionDecoder.LONGEST;
    Bytes bytes = process.memory().readUpTo(at, length);
    int place = 0;
    int behind = 0;
    while (behind <= after && decode(bytes, place)) {
      long here = at + place;
      if (here < address && here + instruction.length() > address) {
        // What begins there is not what ran here.
        return begin == address ? List.of() : around(address, address, before, after);
      }
      lines.add(line(bytes, place, here));
      behind += here >= address ? 1 : 0;
      if (here < address && lines.size() > before) {
        lines.remove();
      }
      place += instruction.length();
    }
    return List.copyOf(lines);
  }
}
