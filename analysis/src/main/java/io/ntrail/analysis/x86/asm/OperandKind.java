package io.ntrail.analysis.x86.asm;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the list of forms says an operand may be, such as {@code r/m32}, {@code imm8} or {@code CL}.
 *
 * @param register what it may be as a register
 * @param registerBits size of the general register
 * @param memory whether it may be memory
 * @param memoryBits size of the memory, or 0 where nothing depends on it
 * @param other what it is where it is neither
 * @param fixed the register or the number that it has to be, or null
 */
record OperandKind(
    Registers register,
    int registerBits,
    boolean memory,
    int memoryBits,
    Other other,
    @Nullable Object fixed) {
  /** Kinds of registers. */
  enum Registers {
    NONE,
    GENERAL,
    SEGMENT,
    XMM,
    YMM
  }

  /** What is not register or memory. */
  enum Other {
    NONE,
    IMMEDIATE,
    RELATIVE,
    OFFSET,
    FIXED
  }

  private static final Pattern GENERAL = Pattern.compile("r(8|16|32|64)[ab]?");
  private static final Pattern GENERAL_OR_MEMORY = Pattern.compile("r/m(8|16|32|64)");
  private static final Pattern VECTOR = Pattern.compile("([xy]mm)\\d?");
  private static final Pattern SIZED_MEMORY = Pattern.compile("m(\\d+)(fp|int|bcd)?");
  private static final Pattern AREA = Pattern.compile("m|mem|m\\d+byte|m16[:&]\\d+");

  /** What an operand of the list means; empty for what cannot be written with this assembler. */
  static Optional<OperandKind> parse(String text) {
    OperandKind simple = simple(text);
    if (simple != null) {
      return Optional.of(simple);
    }
    Matcher either = GENERAL_OR_MEMORY.matcher(text);
    if (either.matches()) {
      int bits = Integer.parseInt(either.group(1));
      return Optional.of(new OperandKind(Registers.GENERAL, bits, true, bits, Other.NONE, null));
    }
    int slash = text.indexOf('/');
    if (slash > 0) {
      OperandKind register = simple(text.substring(0, slash));
      OperandKind memory = simple(text.substring(slash + 1));
      if (register == null || memory == null) {
        return Optional.empty();
      }
      return Optional.of(
          new OperandKind(
              register.register, register.registerBits, true, memory.memoryBits, Other.NONE, null));
    }
    return Optional.empty();
  }

  private static @Nullable OperandKind simple(String text) {
    Matcher general = GENERAL.matcher(text);
    if (general.matches()) {
      return register(Registers.GENERAL, Integer.parseInt(general.group(1)));
    }
    Matcher vector = VECTOR.matcher(text);
    if (vector.matches()) {
      return vector.group(1).equals("xmm")
          ? register(Registers.XMM, 128)
          : register(Registers.YMM, 256);
    }
    if (text.equals("m2byte")) {
      return memory(16);
    }
    if (AREA.matcher(text).matches()) {
      return memory(0);
    }
    Matcher memory = SIZED_MEMORY.matcher(text);
    if (memory.matches()) {
      return memory(Integer.parseInt(memory.group(1)));
    }
    return switch (text) {
      case "Sreg" -> register(Registers.SEGMENT, 16);
      case "imm8", "imm16", "imm32", "imm64" -> other(Other.IMMEDIATE);
      case "rel8", "rel32" -> other(Other.RELATIVE);
      case "moffs8" -> offset(8);
      case "moffs16" -> offset(16);
      case "moffs32" -> offset(32);
      case "moffs64" -> offset(64);
      case "1" -> fixed(1L);
      case "AL" -> fixed(Reg8.AL);
      case "CL" -> fixed(Reg8.CL);
      case "AX" -> fixed(Reg16.AX);
      case "DX" -> fixed(Reg16.DX);
      case "EAX" -> fixed(Reg32.EAX);
      case "RAX" -> fixed(Reg64.RAX);
      case "ES", "CS", "SS", "DS", "FS", "GS" -> fixed(Segment.valueOf(text));
      default -> null;
    };
  }

  private static OperandKind register(Registers registers, int bits) {
    return new OperandKind(registers, bits, false, 0, Other.NONE, null);
  }

  private static OperandKind memory(int bits) {
    return new OperandKind(Registers.NONE, 0, true, bits, Other.NONE, null);
  }

  private static OperandKind offset(int bits) {
    return new OperandKind(Registers.NONE, 0, false, bits, Other.OFFSET, null);
  }

  private static OperandKind other(Other other) {
    return new OperandKind(Registers.NONE, 0, false, 0, other, null);
  }

  private static OperandKind fixed(Object what) {
    return new OperandKind(Registers.NONE, 0, false, 0, Other.FIXED, what);
  }

  /** Whether it shows how wide the operation is. */
  boolean showsSize() {
    return register == Registers.GENERAL
        || memoryBits != 0
        || (fixed instanceof Gpr<?> general && general != Reg8.CL && general != Reg16.DX);
  }

  /** Whether an operand is of this kind; numbers and targets are looked at by the encoder. */
  boolean accepts(Operand operand) {
    return switch (operand) {
      case Mem m ->
          other == Other.OFFSET ? m.isDirect() && !m.isRipRelative() && fits(m) : memory && fits(m);
      case Gpr<?> r ->
          r.equals(fixed) || (register == Registers.GENERAL && r.bits() == registerBits);
      case Segment s -> s.equals(fixed) || register == Registers.SEGMENT;
      case Xmm _ -> register == Registers.XMM;
      case Ymm _ -> register == Registers.YMM;
      case Imm i ->
          other == Other.IMMEDIATE
              || (i.label() == null && i.bytes() == 0 && Long.valueOf(i.value()).equals(fixed));
      case Label _, Target _ -> other == Other.RELATIVE;
    };
  }

  private boolean fits(Mem m) {
    return m.bits() == 0 || memoryBits == 0 || m.bits() == memoryBits;
  }
}
