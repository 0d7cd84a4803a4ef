package io.ntrail.programs.x86.asm;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.InstructionDecoder;
import io.ntrail.programs.x86.InstructionPrefix;
import io.ntrail.programs.x86.OperandReader;
import io.ntrail.programs.x86.Operands;
import io.ntrail.programs.x86.asm.operands.AssemblerOperand;
import io.ntrail.programs.x86.asm.operands.BranchTarget;
import io.ntrail.programs.x86.asm.operands.FarPointer;
import io.ntrail.programs.x86.asm.operands.Imm;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Mem;
import io.ntrail.programs.x86.asm.operands.Reg32;
import io.ntrail.programs.x86.asm.operands.RegisterOperand;
import io.ntrail.programs.x86.asm.operands.SegmentRegister;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.ToLongFunction;

/**
 * Compares the request to the assembler with what the decoder reads in its bytes: the mnemonic,
 * every register, every part of every address, every number, and the prefixes.
 */
final class EncodingRequest {
  private final CodeSize size;
  private final InstructionDecoder decoder;
  private final OperandReader reader;
  private final Instruction instruction = new Instruction();
  private final Operands operands = new Operands();

  EncodingRequest(CodeSize size) {
    this.size = size;
    this.decoder = InstructionDecoder.of(size);
    this.reader = OperandReader.of(decoder);
  }

  /**
   * Difference from the request, as a sentence with the bytes; empty if all is.
   *
   * @param labels where labels lie, counted like {@code address}
   */
  Optional<String> difference(
      byte[] bytes,
      long address,
      Modifiers modifiers,
      String mnemonic,
      List<AssemblerOperand> asked,
      ToLongFunction<Label> labels) {
    int length = decoder.decode(Bytes.copyOf(bytes, "assembled"), 0, bytes.length, instruction);
    String expected = "";
    String read = instruction.toString();
    if (length == bytes.length && reader.read(instruction, operands)) {
      expected = expected(address + length, modifiers, mnemonic, asked, labels);
      read = read(asked);
    }
    return read.equals(expected)
        ? Optional.empty()
        : Optional.of(
            HexFormat.of().formatHex(bytes)
                + (" at 0x" + Long.toHexString(address) + " for " + mnemonic + " " + asked)
                + (" is read as " + read + " instead of " + expected));
  }

  private String expected(
      long behind,
      Modifiers modifiers,
      String mnemonic,
      List<AssemblerOperand> asked,
      ToLongFunction<Label> labels) {
    StringBuilder text = new StringBuilder();
    for (InstructionPrefix prefix : InstructionPrefix.values()) {
      if (modifiers.has(Prefix.valueOf(prefix.name()))) {
        text.append(prefix.text()).append(' ');
      }
    }
    text.append(modifiers.mask() == null ? "" : modifiers.mask().name().toLowerCase(Locale.ROOT));
    text.append(modifiers.zeroing() ? " zeroing " : " ").append(modifiers.rounding()).append(' ');
    text.append(mnemonic.toLowerCase(Locale.ROOT));
    for (int i = 0; i < asked.size(); i++) {
      text.append(" | ").append(expected(asked.get(i), i, behind, labels));
    }
    return text.toString();
  }

  private String expected(
      AssemblerOperand operand, int i, long behind, ToLongFunction<Label> labels) {
    return switch (operand) {
      case RegisterOperand register -> Correspondence.decoded(register).toString();
      case Imm imm -> immediate(value(imm, labels), immediateBits(i));
      case Label label -> relative(labels.applyAsLong(label) - behind);
      case BranchTarget target ->
          relative(
              (target.label() == null ? target.address() : labels.applyAsLong(target.label()))
                  - behind);
      case FarPointer far -> far(far.segment(), far.offset());
      case Mem m -> memory(m, behind, labels);
    };
  }

  private static long value(Imm imm, ToLongFunction<Label> labels) {
    return imm.value()
        + (imm.label() == null ? 0 : labels.applyAsLong(imm.label()))
        - (imm.origin() == null ? 0 : labels.applyAsLong(imm.origin()));
  }

  /** A number is what the instruction makes of it: as wide as that. */
  private int immediateBits(int i) {
    return i < operands.count()
            && operands.get(i) instanceof io.ntrail.programs.x86.Operand.Immediate immediate
        ? immediate.bits()
        : 64;
  }

  private static String far(int segment, long offset) {
    return "far " + segment + ":" + offset;
  }

  private static String immediate(long value, int bits) {
    return "number " + Immediates.signExtended(value, bits) + " of " + bits;
  }

  private String relative(long offset) {
    return "to " + (size == CodeSize.BITS64 ? offset : (int) offset);
  }

  private String memory(Mem m, long behind, ToLongFunction<Label> labels) {
    boolean wide = size == CodeSize.BITS64;
    boolean relative = m.isRipRelative() || (wide && m.label() != null && m.origin() == null);
    long displacement = m.displacement();
    if (m.label() != null) {
      displacement += labels.applyAsLong(m.label());
    }
    if (m.origin() != null) {
      displacement -= labels.applyAsLong(m.origin());
    }
    TreeMap<String, Integer> registers = new TreeMap<>();
    if (relative) {
      registers.put("rip", 1);
      displacement -= behind;
    }
    if (m.base() != null) {
      registers.merge(Correspondence.decoded(m.base()).toString(), 1, Integer::sum);
    }
    if (m.index() != null) {
      registers.merge(Correspondence.decoded(m.index()).toString(), m.scale(), Integer::sum);
    }
    boolean narrow = !wide || m.base() instanceof Reg32 || m.index() instanceof Reg32;
    String repeated = m.times() == 0 ? "" : " times " + m.times();
    return Meaning.memory(
            m.bits(),
            segment(m),
            registers,
            Immediates.signExtended(displacement, narrow ? 32 : 64))
        + repeated;
  }

  /** In 64-bit code only two segments mean something. */
  private String segment(Mem m) {
    if (m.segment() != null) {
      return size == CodeSize.BITS64 && !m.segment().countsIn64Bit()
          ? "flat"
          : m.segment().toString().toLowerCase(Locale.ROOT);
    }
    boolean stack = m.base() == Reg32.ESP || m.base() == Reg32.EBP;
    return size == CodeSize.BITS64 ? "flat" : stack ? "ss" : "ds";
  }

  private String read(List<AssemblerOperand> asked) {
    StringBuilder text = new StringBuilder();
    for (InstructionPrefix prefix : InstructionPrefix.values()) {
      // Before an indirect branch the prefix of ds is NOTRACK as well.
      boolean segment =
          prefix == InstructionPrefix.NOTRACK
              && !asked.isEmpty()
              && asked.getFirst() instanceof Mem m
              && m.segment() == SegmentRegister.DS;
      if (operands.has(prefix) && !segment) {
        text.append(prefix.text()).append(' ');
      }
    }
    text.append(operands.mask().map(Object::toString).orElse(""));
    text.append(operands.isZeroing() ? " zeroing " : " ").append(operands.rounding()).append(' ');
    text.append(operands.mnemonic());
    for (int i = 0; i < operands.count(); i++) {
      // Defaults are always the same.
      if (i < asked.size()) {
        text.append(" | ").append(read(operands.get(i), asked.get(i)));
      }
    }
    return text.toString();
  }

  private String read(io.ntrail.programs.x86.Operand operand, AssemblerOperand asked) {
    return switch (operand) {
      case io.ntrail.programs.x86.Operand.InRegister in -> in.register().toString();
      case io.ntrail.programs.x86.Operand.Immediate number ->
          immediate(number.value(), number.bits());
      case io.ntrail.programs.x86.Operand.Relative relative -> "to " + relative.offset();
      case io.ntrail.programs.x86.Operand.Far far -> far(far.segment(), far.offset());
      case io.ntrail.programs.x86.Operand.InMemory memory -> read(memory, asked);
    };
  }

  private String read(io.ntrail.programs.x86.Operand.InMemory memory, AssemblerOperand asked) {
    // Where no size is requested, it is that of the other operands or of the instruction.
    boolean sized = !(asked instanceof Mem m) || m.bits() != 0;
    io.ntrail.programs.x86.Operand.InMemory comparable =
        new io.ntrail.programs.x86.Operand.InMemory(
            sized ? memory.bytes() : 0,
            memory.segment(),
            memory.base(),
            memory.index(),
            memory.scale(),
            memory.displacement(),
            memory.broadcast());
    return Meaning.memory(size, instruction.addressSize(), comparable, 0);
  }
}
