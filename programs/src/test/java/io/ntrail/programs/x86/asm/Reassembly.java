package io.ntrail.programs.x86.asm;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.InstructionDecoder;
import io.ntrail.programs.x86.InstructionPrefix;
import io.ntrail.programs.x86.IntelSyntax;
import io.ntrail.programs.x86.OperandReader;
import io.ntrail.programs.x86.OperandType;
import io.ntrail.programs.x86.Operands;
import io.ntrail.programs.x86.asm.operands.AddressRegister;
import io.ntrail.programs.x86.asm.operands.AssemblerOperand;
import io.ntrail.programs.x86.asm.operands.BranchTarget;
import io.ntrail.programs.x86.asm.operands.FarPointer;
import io.ntrail.programs.x86.asm.operands.Imm;
import io.ntrail.programs.x86.asm.operands.MaskRegister;
import io.ntrail.programs.x86.asm.operands.Mem;
import io.ntrail.programs.x86.asm.operands.SegmentRegister;
import io.ntrail.programs.x86.asm.operands.VectorRegister;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Writes decoded instructions again from nothing but their mnemonic, operands and prefixes. */
final class Reassembly {
  /** Result of reassembling an instruction. */
  enum Outcome {
    /** Equal bytes. */
    SAME,
    /** Other bytes, no longer, with the same meaning. */
    OTHER,
    /** The assembler cannot say it. */
    REFUSED,
    /** It was written and is read back as something else, or is longer. */
    WRONG
  }

  private final CodeSize size;
  private final InstructionDecoder decoder;
  private final OperandReader reader;
  private final Instruction original = new Instruction();
  private final Instruction written = new Instruction();
  private final Operands operands = new Operands();
  private final Operands writtenOperands = new Operands();
  private String detail = "";
  private String other = "";

  Reassembly(CodeSize size) {
    this.size = size;
    this.decoder = InstructionDecoder.of(size);
    this.reader = OperandReader.of(decoder);
  }

  /** Decodes, and returns the length, 0 for bytes that are not an instruction. */
  int decode(Bytes code, int at, int end) {
    int length = decoder.decode(code, at, end, original);
    reader.read(original, operands);
    return length;
  }

  /** The mnemonic of what was decoded. */
  String mnemonic() {
    return operands.mnemonic();
  }

  /** Bytes and texts of the last instruction. */
  String detail() {
    return detail;
  }

  /** In what the last bytes differ from the original: words of {@link #difference}. */
  String other() {
    return other;
  }

  /**
   * In which part of an instruction two encodings of the same differ: the opcode (and from which to
   * which), prefixes that mean nothing, the registers of an address, or the width of a field.
   */
  private String difference(byte[] before, byte[] after) {
    String from = opcode(before, original);
    String to = opcode(after, written);
    if (!from.equals(to)) {
      return "opcode " + from + " -> " + to;
    }
    if (original.displacementSize() != written.displacementSize()) {
      return "displacement";
    }
    if (original.immediateSize() != written.immediateSize()) {
      return "immediate";
    }
    byte[] rest = Arrays.copyOfRange(before, prefixes(before), before.length);
    byte[] restAfter = Arrays.copyOfRange(after, prefixes(after), after.length);
    return Arrays.equals(rest, restAfter) ? "prefixes" : "address";
  }

  /** The bytes between prefixes and ModRM, in hexadecimal. */
  private String opcode(byte[] code, Instruction instruction) {
    int from = prefixes(code);
    int end = instruction.modRmOffset();
    if (end < 0) {
      end = code.length - instruction.immediateSize();
    }
    boolean vector = (code[from] & 0xFF) == 0xC4 || (code[from] & 0xFF) == 0xC5;
    return vector ? "VEX" : HexFormat.of().formatHex(code, from, end);
  }

  private int prefixes(byte[] code) {
    int at = 0;
    while (at < code.length - 1 && isPrefix(code[at] & 0xFF)) {
      at++;
    }
    return at;
  }

  private boolean isPrefix(int value) {
    return switch (value) {
      case 0x26, 0x2E, 0x36, 0x3E, 0x64, 0x65, 0x66, 0x67, 0xF0, 0xF2, 0xF3 -> true;
      default -> size == CodeSize.BITS64 && value >>> 4 == 4;
    };
  }

  /** Writes what was decoded once more, for an address. */
  Outcome again(byte[] bytes, long address) {
    String meaning = Meaning.of(size, original, operands, address);
    detail = HexFormat.of().formatHex(bytes) + " " + meaning;
    Optional<List<AssemblerOperand>> given = operands(address);
    if (given.isEmpty()) {
      return Outcome.REFUSED;
    }
    byte[] result;
    try {
      result = write(given.get(), address);
    } catch (IllegalArgumentException e) {
      detail += ": " + e.getMessage();
      return Outcome.REFUSED;
    }
    if (Arrays.equals(result, bytes)) {
      return Outcome.SAME;
    }
    decoder.decode(Bytes.copyOf(result, "written again"), 0, result.length, written);
    reader.read(written, writtenOperands);
    other = difference(bytes, result);
    String meaningAgain = Meaning.of(size, written, writtenOperands, address);
    detail += ", again: " + HexFormat.of().formatHex(result) + " " + meaningAgain;
    return meaningAgain.equals(meaning) && result.length <= bytes.length
        ? Outcome.OTHER
        : Outcome.WRONG;
  }

  /** A number pushed as 16 bits. */
  private boolean isNarrowAndDoesNotShowIt() {
    return original.operandSize() == 16
        && operands.mnemonic().equals("push")
        && operands.type(0) == OperandType.IMMEDIATE;
  }

  private byte[] write(List<AssemblerOperand> given, long address) {
    Assembler a = size == CodeSize.BITS64 ? Assembler.x64() : Assembler.ia32();
    Modifiers modifiers = Modifiers.NONE.with(operands.rounding());
    if (operands.mask().isPresent()) {
      MaskRegister mask = MaskRegister.values()[operands.mask().get().number()];
      modifiers = modifiers.with(mask, operands.isZeroing());
    }
    for (InstructionPrefix prefix : InstructionPrefix.values()) {
      if (operands.has(prefix)) {
        modifiers = modifiers.with(Prefix.valueOf(prefix.name()));
      }
    }
    a.modified(implied(modifiers));
    String name = operands.mnemonic().toUpperCase(Locale.ROOT);
    return a.op(name, given.toArray(AssemblerOperand[]::new)).assemble().bytesAt(address);
  }

  /** With the prefixes that change operands which are not written. */
  private Modifiers implied(Modifiers modifiers) {
    Modifiers result = modifiers;
    boolean unwritten = false;
    for (int i = 0; i < operands.count(); i++) {
      if (isImplied(i)) {
        unwritten = true;
        SegmentRegister segment = segment(operands.memory(i).segment());
        if (segment != SegmentRegister.ES && segment != SegmentRegister.DS) {
          result = result.with(Prefix.of(segment));
        }
      } else if (operands.type(i) == OperandType.RELATIVE) {
        unwritten = operands.mnemonic().startsWith("loop");
      }
    }
    if (unwritten && original.addressSize() != size.bits()) {
      result = result.with(Prefix.OTHER_ADDRESS_SIZE);
    }
    return isNarrowAndDoesNotShowIt() ? result.with(Prefix.OPERAND_16) : result;
  }

  private static SegmentRegister segment(io.ntrail.programs.x86.Register register) {
    return SegmentRegister.valueOf(register.toString().toUpperCase(Locale.ROOT));
  }

  private Optional<List<AssemblerOperand>> operands(long address) {
    List<AssemblerOperand> result = new ArrayList<>();
    for (int i = 0; i < operands.count(); i++) {
      if (isImplied(i)) {
        return Optional.of(List.of());
      }
      Optional<AssemblerOperand> operand = operand(i, address);
      if (operand.isEmpty()) {
        return Optional.empty();
      }
      result.add(operand.get());
    }
    return Optional.of(result);
  }

  /** Memory of string instructions, which have no operands in the manuals. */
  private boolean isImplied(int i) {
    return operands.type(i) == OperandType.MEMORY
        && original.modRmOffset() < 0
        && operands.memory(i).base().isPresent();
  }

  private Optional<AssemblerOperand> operand(int i, long address) {
    return switch (operands.get(i)) {
      case io.ntrail.programs.x86.Operand.InRegister in ->
          Correspondence.written(in.register()).map(AssemblerOperand.class::cast);
      case io.ntrail.programs.x86.Operand.Immediate number -> Optional.of(number(i, number));
      case io.ntrail.programs.x86.Operand.Relative _ ->
          Optional.of(BranchTarget.of(original.branchTarget(address), original.immediateSize()));
      case io.ntrail.programs.x86.Operand.Far far ->
          Optional.of(new FarPointer(far.segment(), far.offset()));
      case io.ntrail.programs.x86.Operand.InMemory memory -> memory(memory, address);
    };
  }

  /**
   * A register of 64 bits gets the number in the width that it has, or it would be a shorter MOV.
   */
  private Imm number(int i, io.ntrail.programs.x86.Operand.Immediate number) {
    boolean wideMove =
        operands.mnemonic().equals("mov")
            && i == 1
            && number.bits() == 64
            && operands.type(0) == OperandType.REGISTER;
    return new Imm(number.value(), wideMove ? original.immediateSize() : 0, null, null);
  }

  private Optional<AssemblerOperand> memory(
      io.ntrail.programs.x86.Operand.InMemory memory, long address) {
    Mem m;
    String base = memory.base().map(Object::toString).orElse("");
    if (base.equals("eip") || original.addressSize() == 16) {
      return Optional.empty();
    }
    if (base.equals("rip")) {
      m = Mem.rip(address + original.length() + memory.displacement());
    } else if (memory.base().isPresent()) {
      if (!(Correspondence.written(memory.base().get()).orElse(null)
          instanceof AddressRegister<?> register)) {
        return Optional.empty();
      }
      m = Mem.ptr(register).plus(memory.displacement());
    } else {
      m = Mem.absolute(memory.displacement());
    }
    if (memory.index().isPresent()) {
      switch (Correspondence.written(memory.index().get()).orElse(null)) {
        case AddressRegister<?> register -> m = m.index(register, memory.scale());
        case VectorRegister register -> m = m.index(register, memory.scale());
        case null, default -> {
          return Optional.empty();
        }
      }
    }
    if (memory.broadcast() != 0) {
      m = m.repeated(memory.broadcast());
    }
    SegmentRegister segment = segment(memory.segment());
    boolean stack = base.endsWith("sp") || base.endsWith("bp");
    boolean otherwise =
        size == CodeSize.BITS64
            ? segment.countsIn64Bit()
            : segment != (stack ? SegmentRegister.SS : SegmentRegister.DS);
    m = otherwise ? m.segment(segment) : m;
    boolean far = operands.mnemonic().matches("jmp|call") && text().contains(" far ");
    return Optional.of(far ? far(m, memory.bytes()) : m.as(8 * memory.bytes()));
  }

  private String text() {
    return IntelSyntax.text(original, operands, 0);
  }

  private static Mem far(Mem m, int bytes) {
    return bytes == 4 ? m.far16() : bytes == 6 ? m.far32() : m.far64();
  }
}
