package io.ntrail.programs.x86.asm;

import io.ntrail.programs.x86.asm.operands.AssemblerOperand;
import io.ntrail.programs.x86.asm.operands.BoundRegister;
import io.ntrail.programs.x86.asm.operands.ControlRegister;
import io.ntrail.programs.x86.asm.operands.DebugRegister;
import io.ntrail.programs.x86.asm.operands.FarPointer;
import io.ntrail.programs.x86.asm.operands.Gpr;
import io.ntrail.programs.x86.asm.operands.Imm;
import io.ntrail.programs.x86.asm.operands.MaskRegister;
import io.ntrail.programs.x86.asm.operands.Mem;
import io.ntrail.programs.x86.asm.operands.Mmx;
import io.ntrail.programs.x86.asm.operands.Reg16;
import io.ntrail.programs.x86.asm.operands.Reg32;
import io.ntrail.programs.x86.asm.operands.Reg64;
import io.ntrail.programs.x86.asm.operands.Reg8;
import io.ntrail.programs.x86.asm.operands.RegisterOperand;
import io.ntrail.programs.x86.asm.operands.SegmentRegister;
import io.ntrail.programs.x86.asm.operands.TileRegister;
import io.ntrail.programs.x86.asm.operands.VectorRegister;
import io.ntrail.programs.x86.asm.operands.X87;
import io.ntrail.programs.x86.asm.operands.Xmm;
import io.ntrail.programs.x86.asm.operands.Ymm;
import io.ntrail.programs.x86.asm.operands.Zmm;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Operand of a form, such as {@code r/m32}, {@code imm8}, {@code CL} or {@code
 * xmm3/m128/m32bcst{er}}.
 *
 * @param register its class as a register
 * @param registerBits size of the general register
 * @param row number of consecutive registers used: the first one is a multiple
 * @param memory its kind as memory, or null
 * @param other its kind where it is neither
 * @param fixed the register or the number that it must be, or null
 * @param marks decorations
 */
record OperandKind(
    Registers register,
    int registerBits,
    int row,
    @Nullable InMemory memory,
    Other other,
    @Nullable Object fixed,
    Set<Mark> marks) {
  /** Kinds of registers. */
  enum Registers {
    NONE,
    GENERAL,
    SEGMENT,
    XMM,
    YMM,
    ZMM,
    MMX,
    X87,
    MASK,
    CONTROL,
    DEBUG,
    TILE,
    BOUND
  }

  /** Kinds that are not register or memory. */
  enum Other {
    NONE,
    IMMEDIATE,
    /** A number of four bits, beside a register in one byte. */
    NIBBLE,
    RELATIVE,
    FAR,
    OFFSET,
    FIXED
  }

  /** Decorations of an operand. */
  enum Mark {
    MASKED,
    ZEROED,
    ROUNDING,
    SAE
  }

  /**
   * Memory.
   *
   * @param bits its size, or 0 where nothing depends on it
   * @param element the size of an element that can be repeated, or 0
   * @param index which vector registers its index has to be, or none
   * @param far whether it holds a segment and an offset
   * @param sib whether the address has to have a SIB byte
   */
  record InMemory(int bits, int element, Registers index, boolean far, boolean sib) {}

  /** Patterns of operands that few programs use, so that others need not compile them. */
  private static final class Patterns {
    private static final Pattern REGISTER =
        Pattern.compile("([xyz]mm|mm|k|tmm|bnd|cr|dr|Sreg|ST\\(i\\))\\d?(?:\\+(\\d))?");
    private static final Pattern SIZED_MEMORY = Pattern.compile("m(\\d+)(?:fp|int|bcd)?");
    private static final Pattern REPEATED = Pattern.compile("m(\\d+)bcst");
    private static final Pattern FAR_MEMORY = Pattern.compile("m16:(\\d+)");
    private static final Pattern VECTOR_INDEX = Pattern.compile("vm(?:32|64)([xyz])");
    private static final Pattern AREA =
        Pattern.compile("m|mem|mib|sibmem|m\\d+byte|m16&\\d+|m32&32");
  }

  /** Parses an operand of the list; empty if this assembler does not support it. */
  static Optional<OperandKind> parse(String text) {
    int brace = text.indexOf('{');
    String bare = brace < 0 ? text : text.substring(0, brace).trim();
    String decoration = brace < 0 ? "" : text.substring(brace);
    Other other = other(bare);
    Object fixed = fixed(bare);
    if (other != Other.NONE || fixed != null) {
      InMemory memory =
          bare.startsWith("moffs") ? memory(Integer.parseInt(bare.substring(5)), 0) : null;
      return Optional.of(
          new OperandKind(
              Registers.NONE,
              0,
              1,
              memory,
              fixed != null ? Other.FIXED : other,
              fixed,
              marks(decoration)));
    }
    // r/m32 is short for r32/m32.
    List<String> parts = new ArrayList<>(Arrays.asList(bare.split("/", -1)));
    if (parts.getFirst().equals("r")) {
      parts.set(0, "r" + parts.get(1).substring(1));
    }
    return alternatives(parts, marks(decoration));
  }

  private static Set<Mark> marks(String decoration) {
    Set<Mark> marks = EnumSet.noneOf(Mark.class);
    if (decoration.contains("{k")) {
      marks.add(Mark.MASKED);
    }
    if (decoration.contains("{z}")) {
      marks.add(Mark.ZEROED);
    }
    if (decoration.contains("{er}")) {
      marks.add(Mark.ROUNDING);
    }
    if (decoration.contains("{sae}")) {
      marks.add(Mark.SAE);
    }
    return marks;
  }

  private static Optional<OperandKind> alternatives(List<String> parts, Set<Mark> marks) {
    Registers register = Registers.NONE;
    int bits = 0;
    int row = 1;
    InMemory memory = null;
    int element = 0;
    for (String part : parts) {
      int general = generalBits(part);
      int plain = plainMemoryBits(part);
      if (general != 0) {
        register = Registers.GENERAL;
        bits = general;
        continue;
      }
      if (plain != 0) {
        memory = memory(plain, 0);
        continue;
      }
      Matcher other = Patterns.REGISTER.matcher(part);
      Matcher repeated = Patterns.REPEATED.matcher(part);
      if (other.matches()) {
        register = registers(other.group(1));
        row = other.group(2) == null ? 1 : Integer.parseInt(other.group(2)) + 1;
      } else if (repeated.matches()) {
        element = Integer.parseInt(repeated.group(1));
      } else {
        memory = memory(part);
        if (memory == null) {
          return Optional.empty();
        }
      }
    }
    if (memory != null && element != 0) {
      memory = new InMemory(memory.bits, element, memory.index, memory.far, memory.sib);
    }
    return Optional.of(new OperandKind(register, bits, row, memory, Other.NONE, null, marks));
  }

  /** Returns the size of a general register; 0 for another operand. */
  private static int generalBits(String text) {
    return switch (text) {
      case "r8", "r8a", "r8b" -> 8;
      case "r16", "r16a", "r16b" -> 16;
      case "r32", "r32a", "r32b" -> 32;
      case "r64", "r64a", "r64b" -> 64;
      default -> 0;
    };
  }

  /** Returns the size of memory of a usual size; 0 for another operand. */
  private static int plainMemoryBits(String text) {
    return switch (text) {
      case "m8" -> 8;
      case "m16" -> 16;
      case "m32" -> 32;
      case "m64" -> 64;
      case "m128" -> 128;
      default -> 0;
    };
  }

  private static Registers registers(String name) {
    return switch (name) {
      case "xmm" -> Registers.XMM;
      case "ymm" -> Registers.YMM;
      case "zmm" -> Registers.ZMM;
      case "mm" -> Registers.MMX;
      case "k" -> Registers.MASK;
      case "tmm" -> Registers.TILE;
      case "bnd" -> Registers.BOUND;
      case "cr" -> Registers.CONTROL;
      case "dr" -> Registers.DEBUG;
      case "Sreg" -> Registers.SEGMENT;
      default -> Registers.X87;
    };
  }

  private static InMemory memory(int bits, int element) {
    return new InMemory(bits, element, Registers.NONE, false, false);
  }

  private static @Nullable InMemory memory(String text) {
    if (text.equals("m2byte")) {
      return memory(16, 0);
    }
    if (Patterns.AREA.matcher(text).matches()) {
      return new InMemory(0, 0, Registers.NONE, false, text.equals("sibmem"));
    }
    Matcher sized = Patterns.SIZED_MEMORY.matcher(text);
    if (sized.matches()) {
      return memory(Integer.parseInt(sized.group(1)), 0);
    }
    Matcher far = Patterns.FAR_MEMORY.matcher(text);
    if (far.matches()) {
      return new InMemory(16 + Integer.parseInt(far.group(1)), 0, Registers.NONE, true, false);
    }
    Matcher vector = Patterns.VECTOR_INDEX.matcher(text);
    return vector.matches()
        ? new InMemory(0, 0, registers(vector.group(1) + "mm"), false, false)
        : null;
  }

  private static Other other(String text) {
    return switch (text) {
      case "imm8", "imm16", "imm32", "imm64" -> Other.IMMEDIATE;
      case "imm4" -> Other.NIBBLE;
      case "rel8", "rel16", "rel32" -> Other.RELATIVE;
      case "ptr16:16", "ptr16:32" -> Other.FAR;
      case "moffs8", "moffs16", "moffs32", "moffs64" -> Other.OFFSET;
      default -> Other.NONE;
    };
  }

  private static @Nullable Object fixed(String text) {
    return switch (text) {
      case "1" -> 1L;
      case "AL" -> Reg8.AL;
      case "CL" -> Reg8.CL;
      case "AX" -> Reg16.AX;
      case "DX" -> Reg16.DX;
      case "EAX" -> Reg32.EAX;
      case "RAX" -> Reg64.RAX;
      case "ST", "ST(0)" -> X87.ST0;
      case "ES", "CS", "SS", "DS", "FS", "GS" -> SegmentRegister.valueOf(text);
      default -> null;
    };
  }

  boolean has(Mark mark) {
    return marks.contains(mark);
  }

  /** Size of the memory, or 0 where there is none or nothing depends on it. */
  int memoryBits() {
    return memory == null ? 0 : memory.bits;
  }

  /** Returns true if it shows the width of the operation. */
  boolean showsSize() {
    return register == Registers.GENERAL
        || memoryBits() != 0
        || (fixed instanceof Gpr<?> general && general != Reg8.CL && general != Reg16.DX);
  }

  /** Returns true if an operand is of this kind; numbers and targets are checked by the encoder. */
  boolean accepts(AssemblerOperand operand) {
    // No switch over types, here and below: each costs a millisecond where it first runs, and a
    // program that is about to be traced waits for it.
    if (operand instanceof Mem m) {
      return acceptsMemory(m);
    }
    if (operand instanceof RegisterOperand r) {
      return r.equals(fixed) || acceptsRegister(r);
    }
    if (operand instanceof Imm i) {
      return other == Other.IMMEDIATE
          || (other == Other.NIBBLE && i.label() == null && i.value() >>> 4 == 0)
          || (i.label() == null && i.bytes() == 0 && Long.valueOf(i.value()).equals(fixed));
    }
    return other == (operand instanceof FarPointer ? Other.FAR : Other.RELATIVE);
  }

  private boolean acceptsRegister(RegisterOperand r) {
    boolean isOfKind =
        switch (register) {
          case NONE -> false;
          case GENERAL -> r instanceof Gpr<?> && r.bits() == registerBits;
          case SEGMENT -> r instanceof SegmentRegister;
          case XMM -> r instanceof Xmm;
          case YMM -> r instanceof Ymm;
          case ZMM -> r instanceof Zmm;
          case MMX -> r instanceof Mmx;
          case X87 -> r instanceof X87;
          case MASK -> r instanceof MaskRegister;
          case CONTROL -> r instanceof ControlRegister;
          case DEBUG -> r instanceof DebugRegister;
          case TILE -> r instanceof TileRegister;
          case BOUND -> r instanceof BoundRegister;
        };
    return isOfKind && r.number() % row == 0;
  }

  private boolean acceptsMemory(Mem m) {
    if (memory == null) {
      return false;
    }
    if (vectorIndex(m) != memory.index || (m.isFar() && !memory.far)) {
      return false;
    }
    if (other == Other.OFFSET) {
      return m.isDirect() && !m.isRipRelative() && m.times() == 0 && fits(m, memory.bits);
    }
    if (memory.sib && (m.isRipRelative() || (m.isDirect() && m.label() != null))) {
      return false;
    }
    return m.times() == 0
        ? fits(m, memory.bits)
        : memory.element * m.times() == memory.bits && fits(m, memory.element);
  }

  private static Registers vectorIndex(Mem m) {
    if (!(m.index() instanceof VectorRegister)) {
      return Registers.NONE;
    }
    return m.index() instanceof Xmm
        ? Registers.XMM
        : m.index() instanceof Ymm ? Registers.YMM : Registers.ZMM;
  }

  private static boolean fits(Mem m, int bits) {
    return m.bits() == 0 || bits == 0 || m.bits() == bits;
  }
}
