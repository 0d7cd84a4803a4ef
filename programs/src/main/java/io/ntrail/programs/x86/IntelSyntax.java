package io.ntrail.programs.x86;

/**
 * Instructions as text, the way Intel's manuals write them: the third depth of decoding.
 *
 * <pre>
 * lock xadd dword ptr [rcx+rax*4-0x10], edx
 * vaddps zmm1{k1}{z}, zmm2, dword ptr [rax]{1to16}
 * vaddps zmm1, zmm2, zmm3, {ru-sae}
 * </pre>
 *
 * <ul>
 *   <li>Small letters; a comma and a space between operands.
 *   <li>Mnemonics are those of the manuals, so that CBW, CWDE and CDQE, or POPF and POPFQ, tell the
 *       operand size.
 *   <li>Memory operands have their width wherever the instruction defines it.
 *   <li>A segment is shown if it is not the one that the base implies, and for the memory that
 *       string instructions have; an address without registers has it always.
 *   <li>RIP-relative memory is shown as the address that it means, without a segment.
 *   <li>A segment of memory that is not written is before the mnemonic.
 *   <li>Numbers are hexadecimal with 0x, or one digit; immediates as the operation sees them:
 *       sign-extended to its width, and then without a sign. Displacements have a sign where there
 *       is a register.
 *   <li>Branches show the address of the target; far pointers segment:offset, or the word far where
 *       they are in memory.
 *   <li>Rounding is after the last register, before an immediate.
 *   <li>Prefixes that mean nothing are not shown.
 * </ul>
 */
public final class IntelSyntax {
  private static final int LONGEST_DIGIT = 9;

  private IntelSyntax() {}

  /**
   * Returns the text of an instruction; that of its refusal if it is not one.
   *
   * @param address of the instruction
   */
  public static String text(Instruction instruction, Operands operands, long address) {
    if (!instruction.isValid()) {
      return "(" + instruction.refusalText() + ")";
    }
    StringBuilder text = new StringBuilder(48);
    append(instruction, operands, address, text);
    return text.toString();
  }

  /** Appends the text of a valid instruction. */
  static void append(Instruction instruction, Operands operands, long address, StringBuilder text) {
    if (operands.prefixes != 0) {
      prefixes(operands.prefixes, text);
    }
    if (operands.segmentPrefix >= 0 && (operands.attributes & FormRecords.SEGMENT_UNSEEN) != 0) {
      text.append(Register.of(RegisterClass.SEGMENT, operands.segmentPrefix)).append(' ');
    }
    text.append(operands.mnemonic());
    int roundingBehind = operands.rounding() == Rounding.NONE ? -1 : lastRegister(operands);
    for (int i = 0; i < operands.count; i++) {
      text.append(i == 0 ? " " : ", ");
      operand(instruction, operands, i, address, text);
      if (operands.mask != 0 && i == operands.masked) {
        text.append("{k").append(operands.mask).append(operands.zeroing ? "}{z}" : "}");
      }
      if (i == roundingBehind) {
        text.append(", {").append(operands.rounding().text()).append('}');
      }
    }
  }

  private static void prefixes(int bits, StringBuilder text) {
    for (int rest = bits; rest != 0; rest &= rest - 1) {
      text.append(InstructionPrefix.at(Integer.numberOfTrailingZeros(rest)).text()).append(' ');
    }
  }

  private static int lastRegister(Operands operands) {
    int last = operands.count - 1;
    while (last > 0 && operands.type(last) != OperandType.REGISTER) {
      last--;
    }
    return last;
  }

  private static void operand(
      Instruction instruction, Operands operands, int i, long address, StringBuilder text) {
    switch (operands.type(i)) {
      case REGISTER -> text.append(Register.at(operands.details[i]));
      case MEMORY -> {
        if (operands.details[i] != 0) {
          implied(operands.numbers[i], operands.details[i], text);
        } else {
          memory(instruction, operands, address, text);
        }
      }
      case IMMEDIATE -> immediate(operands.numbers[i], operands.details[i], text);
      case RELATIVE -> number(instruction.branchTarget(address), text);
      case FAR -> {
        number(operands.details[i], text);
        text.append(':');
        number(operands.numbers[i], text);
      }
    }
  }

  private static void number(long value, StringBuilder text) {
    if (value >= 0 && value <= LONGEST_DIGIT) {
      text.append((char) ('0' + value));
    } else {
      text.append("0x").append(Long.toHexString(value));
    }
  }

  private static void immediate(long value, int bits, StringBuilder text) {
    number(bits == 64 ? value : value & (1L << bits) - 1, text);
  }

  private static void size(long bytes, StringBuilder text) {
    String name =
        switch ((int) bytes) {
          case 1 -> "byte ptr ";
          case 2 -> "word ptr ";
          case 4 -> "dword ptr ";
          case 6 -> "fword ptr ";
          case 8 -> "qword ptr ";
          case 10 -> "tbyte ptr ";
          case 16 -> "xmmword ptr ";
          case 32 -> "ymmword ptr ";
          case 64 -> "zmmword ptr ";
          default -> "";
        };
    text.append(name);
  }

  private static void implied(long bytes, int where, StringBuilder text) {
    size(bytes, text);
    text.append(Register.at(where >>> 16)).append(":[").append(Register.at(where & 0x3FF));
    text.append(']');
  }

  private static void memory(
      Instruction instruction, Operands operands, long address, StringBuilder text) {
    if (operands.farPointer) {
      text.append("far ");
    }
    size(operands.memoryBytes, text);
    int base = operands.base;
    boolean relative = base >>> Register.STRIDE_SHIFT == RegisterClass.POINTER.ordinal();
    boolean alone = base < 0 && operands.index < 0;
    if (alone || operands.segment != impliedSegment(base)) {
      text.append(Register.at(operands.segment)).append(':');
    }
    text.append('[');
    if (relative) {
      relative(instruction, operands, address, text);
    } else if (alone) {
      absolute(instruction, operands.displacement, text);
    } else {
      registers(operands, text);
      displacement(operands.displacement, text);
    }
    text.append(']');
    if (operands.broadcast != 0) {
      text.append("{1to").append(operands.broadcast).append('}');
    }
  }

  /** Returns the default segment of a base register. */
  private static int impliedSegment(int base) {
    int number = base & 31;
    boolean stack =
        base >= 0
            && base >>> Register.STRIDE_SHIFT != RegisterClass.POINTER.ordinal()
            && (number == 4 || number == 5);
    return Register.id(RegisterClass.SEGMENT, stack ? 2 : 3);
  }

  private static void relative(
      Instruction instruction, Operands operands, long address, StringBuilder text) {
    long target = address + instruction.length() + operands.displacement;
    number(instruction.addressSize() == 64 ? target : target & 0xFFFF_FFFFL, text);
  }

  private static void absolute(Instruction instruction, long displacement, StringBuilder text) {
    int bits = instruction.addressSize();
    number(bits == 64 ? displacement : displacement & (1L << bits) - 1, text);
  }

  private static void registers(Operands operands, StringBuilder text) {
    if (operands.base >= 0) {
      text.append(Register.at(operands.base));
    }
    if (operands.index >= 0) {
      text.append(operands.base >= 0 ? "+" : "").append(Register.at(operands.index));
      if (operands.scale != 1 || operands.base < 0) {
        text.append('*').append(operands.scale);
      }
    }
  }

  private static void displacement(long value, StringBuilder text) {
    if (value != 0) {
      text.append(value < 0 ? '-' : '+');
      number(Math.abs(value), text);
    }
  }
}
