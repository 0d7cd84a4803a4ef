package io.ntrail.programs.x86.asm;

import io.ntrail.programs.x86.asm.operands.AssemblerOperand;
import io.ntrail.programs.x86.asm.operands.BoundRegister;
import io.ntrail.programs.x86.asm.operands.BranchTarget;
import io.ntrail.programs.x86.asm.operands.ControlRegister;
import io.ntrail.programs.x86.asm.operands.DebugRegister;
import io.ntrail.programs.x86.asm.operands.FarPointer;
import io.ntrail.programs.x86.asm.operands.Gpr;
import io.ntrail.programs.x86.asm.operands.Imm;
import io.ntrail.programs.x86.asm.operands.Label;
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

  private static final Pattern GENERAL = Pattern.compile("r(8|16|32|64)[ab]?");
  private static final Pattern REGISTER =
      Pattern.compile("([xyz]mm|mm|k|tmm|bnd|cr|dr|Sreg|ST\\(i\\))\\d?(?:\\+(\\d))?");
  private static final Pattern SIZED_MEMORY = Pattern.compile("m(\\d+)(?:fp|int|bcd)?");
  private static final Pattern REPEATED = Pattern.compile("m(\\d+)bcst");
  private static final Pattern FAR_MEMORY = Pattern.compile("m16:(\\d+)");
  private static final Pattern VECTOR_INDEX = Pattern.compile("vm(?:32|64)([xyz])");
  private static final Pattern AREA = Pattern.compile("m|mem|mib|sibmem|m\\d+byte|m16&\\d+|m32&32");

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
      Matcher general = GENERAL.matcher(part);
      Matcher other = REGISTER.matcher(part);
      Matcher repeated = REPEATED.matcher(part);
      if (general.matches()) {
        register = Registers.GENERAL;
        bits = Integer.parseInt(general.group(1));
      } else if (other.matches()) {
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
    if (AREA.matcher(text).matches()) {
      return new InMemory(0, 0, Registers.NONE, false, text.equals("sibmem"));
    }
    Matcher sized = SIZED_MEMORY.matcher(text);
    if (sized.matches()) {
      return memory(Integer.parseInt(sized.group(1)), 0);
    }
    Matcher far = FAR_MEMORY.matcher(text);
    if (far.matches()) {
      return new InMemory(16 + Integer.parseInt(far.group(1)), 0, Registers.NONE, true, false);
    }
    Matcher vector = VECTOR_INDEX.matcher(text);
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
    return switch (operand) {
      case Mem m -> acceptsMemory(m);
      case RegisterOperand r -> r.equals(fixed) || acceptsRegister(r);
      case Imm i ->
          other == Other.IMMEDIATE
              || (other == Other.NIBBLE && i.label() == null && i.value() >>> 4 == 0)
              || (i.label() == null && i.bytes() == 0 && Long.valueOf(i.value()).equals(fixed));
      case FarPointer _ -> other == Other.FAR;
      case Label _, BranchTarget _ -> other == Other.RELATIVE;
    };
  }

  private boolean acceptsRegister(RegisterOperand r) {
    Registers its =
        switch (r) {
          case Gpr<?> g -> g.bits() == registerBits ? Registers.GENERAL : Registers.NONE;
          case SegmentRegister _ -> Registers.SEGMENT;
          case Xmm _ -> Registers.XMM;
          case Ymm _ -> Registers.YMM;
          case Zmm _ -> Registers.ZMM;
          case Mmx _ -> Registers.MMX;
          case X87 _ -> Registers.X87;
          case MaskRegister _ -> Registers.MASK;
          case ControlRegister _ -> Registers.CONTROL;
          case DebugRegister _ -> Registers.DEBUG;
          case TileRegister _ -> Registers.TILE;
          case BoundRegister _ -> Registers.BOUND;
        };
    return its != Registers.NONE && its == register && r.number() % row == 0;
  }

  private boolean acceptsMemory(Mem m) {
    if (memory == null) {
      return false;
    }
    Registers index =
        switch (m.index()) {
          case Xmm _ -> Registers.XMM;
          case Ymm _ -> Registers.YMM;
          case Zmm _ -> Registers.ZMM;
          case null, default -> Registers.NONE;
        };
    if (index != memory.index || (m.isFar() && !memory.far)) {
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

  private static boolean fits(Mem m, int bits) {
    return m.bits() == 0 || bits == 0 || m.bits() == bits;
  }
}
