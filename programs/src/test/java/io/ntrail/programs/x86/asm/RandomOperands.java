package io.ntrail.programs.x86.asm;

import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.Rounding;
import io.ntrail.programs.x86.asm.operands.AddressRegister;
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
import io.ntrail.programs.x86.asm.operands.SegmentRegister;
import io.ntrail.programs.x86.asm.operands.TileRegister;
import io.ntrail.programs.x86.asm.operands.VectorRegister;
import io.ntrail.programs.x86.asm.operands.X87;
import io.ntrail.programs.x86.asm.operands.Xmm;
import io.ntrail.programs.x86.asm.operands.Ymm;
import io.ntrail.programs.x86.asm.operands.Zmm;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;

/** Operands drawn at random: registers, addresses of every shape, numbers at the borders. */
final class RandomOperands {
  /** Address of the code. */
  static final long BASE = 0x40_0000;

  private final RandomGenerator random;
  private final boolean wide;
  private final AddressCheck addresses;

  /**
   * Draws operands.
   *
   * @param wide for 64-bit code
   */
  RandomOperands(RandomGenerator random, boolean wide) {
    this.random = random;
    this.wide = wide;
    this.addresses = new AddressCheck(wide ? CodeSize.BITS64 : CodeSize.BITS32);
  }

  boolean flag() {
    return random.nextBoolean();
  }

  int below(int bound) {
    return random.nextInt(bound);
  }

  @SafeVarargs
  final <T> T oneOf(T... values) {
    return values[random.nextInt(values.length)];
  }

  Reg8 r8() {
    Reg8 r = oneOf(Reg8.values());
    return wide || r.number() < 8 && !r.needsRex() ? r : Reg8.values()[r.number() & 3];
  }

  Reg16 r16() {
    return Reg16.values()[number()];
  }

  Reg32 r32() {
    return Reg32.values()[number()];
  }

  Reg64 r64() {
    return Reg64.values()[number()];
  }

  Xmm xmm() {
    return Xmm.values()[number()];
  }

  Ymm ymm() {
    return Ymm.values()[number()];
  }

  /** A vector register, one of 32 for EVEX. */
  private VectorRegister vector(OperandKind.Registers type, boolean evex) {
    int number = below(!wide ? 8 : evex ? 32 : 16);
    return switch (type) {
      case XMM -> Xmm.values()[number];
      case YMM -> Ymm.values()[number];
      default -> Zmm.values()[number];
    };
  }

  Gpr<?> gpr(int bits) {
    return switch (bits) {
      case 8 -> r8();
      case 16 -> r16();
      case 32 -> r32();
      default -> r64();
    };
  }

  private int number() {
    return below(wide ? 16 : 8);
  }

  private AddressRegister<?> address(boolean as64) {
    return as64 ? r64() : r32();
  }

  /**
   * Memory of any shape; without a size where {@code bits} is none that memory can be said to be.
   */
  Mem memory(int bits) {
    boolean as64 = wide && below(8) != 0;
    Mem m =
        switch (below(wide ? 10 : 9)) {
          case 0 -> Mem.absolute(displacement());
          case 1 -> lone(index(as64));
          case 2, 3, 4 -> Mem.ptr(address(as64)).index(index(as64), oneOf(1, 2, 4, 8));
          case 9 -> Mem.rip(BASE + random.nextInt(-100_000, 100_000));
          default -> Mem.ptr(address(as64));
        };
    if (!m.isRipRelative() && !m.isDirect() && flag()) {
      m = m.plus(displacement());
      if (m.base() != null && below(10) == 0) {
        m = m.disp32();
      } else if (m.base() != null && (byte) m.displacement() == m.displacement() && flag()) {
        m = m.disp8();
      }
    }
    if (below(6) == 0) {
      m =
          m.segment(
              wide
                  ? oneOf(SegmentRegister.FS, SegmentRegister.GS)
                  : oneOf(SegmentRegister.values()));
    }
    return switch (bits) {
      case 8, 16, 32, 64, 80, 128, 256, 512 -> m.as(bits);
      default -> m;
    };
  }

  /**
   * Returns the operand with a label or the distance of two in its address; memory that can have
   * neither stays as it is.
   */
  Mem labelled(Mem m, Label label, Label other) {
    boolean vector = m.index() instanceof VectorRegister;
    if (m.isRipRelative() || m.displacementBytes() == 1 || (vector && wide)) {
      return m;
    }
    if (below(4) == 0) {
      return m.plus(-m.displacement()).plusDistance(other, label);
    }
    if (wide) {
      Mem alone = Mem.ptr(label).plus(flag() ? 0 : random.nextInt(-1000, 1000)).as(m.bits());
      alone = m.times() == 0 ? alone : alone.repeated(m.times());
      alone = m.isFar() ? far(alone, m.bits()) : alone;
      return m.segment() == null ? alone : alone.segment(m.segment());
    }
    return m.plus(-m.displacement()).plus(label).plus(below(1000));
  }

  private static Mem far(Mem m, int bits) {
    return bits == 32 ? m.far16() : bits == 48 ? m.far32() : m.far64();
  }

  /** Replaces a lone ebp in 32-bit code, which nasm encodes with another segment. */
  private Mem lone(AddressRegister<?> index) {
    return Mem.scaled(index, index == Reg32.EBP && !wide ? 4 : oneOf(1, 2, 4, 8));
  }

  private AddressRegister<?> index(boolean as64) {
    AddressRegister<?> register = address(as64);
    return register.number() == 4 ? (as64 ? Reg64.RBP : Reg32.EBP) : register;
  }

  private long displacement() {
    return switch (below(4)) {
      case 0 -> oneOf(0, 1, -1, 127, -128, 128, -129);
      case 1 -> random.nextInt(-128, 128);
      case 2 -> oneOf(Integer.MAX_VALUE, Integer.MIN_VALUE, 0x1480, 0x30);
      default -> random.nextInt();
    };
  }

  /** A number that fits into so many bits, with or without a sign. */
  long number(int bits) {
    long value =
        switch (below(4)) {
          case 0 -> oneOf(0L, 1L, -1L, 127L, -128L, 128L, -129L, 255L);
          case 1 -> random.nextInt(-128, 128);
          case 2 -> random.nextInt();
          default -> random.nextLong();
        };
    return Immediates.fitsEither(value, bits) ? value : Immediates.signExtended(value, bits);
  }

  /** A number that fits into so many bits without a sign. */
  long unsigned(int bits) {
    return below(2) == 0 ? below(4) : random.nextLong(1L << bits);
  }

  /** A number that fits into so many bits with a sign. */
  long signed(int bits) {
    return Immediates.signExtended(number(bits), bits);
  }

  /** Operands for a form, or none if some cannot be said. */
  AssemblerOperand[] forForm(InstructionForm form) {
    List<AssemblerOperand> operands = new ArrayList<>();
    int immediates = 0;
    for (OperandKind kind : form.operands()) {
      switch (kind.other()) {
        case FIXED ->
            operands.add(
                kind.fixed() instanceof Long number
                    ? Imm.imm(number)
                    : (AssemblerOperand) Objects.requireNonNull(kind.fixed()));
        case IMMEDIATE -> operands.add(immediate(form, 8 * form.immediates()[immediates++]));
        case NIBBLE -> operands.add(Imm.imm(below(16)));
        case FAR ->
            operands.add(
                new FarPointer(below(0x1_0000), unsigned(8 * form.immediates()[immediates++])));
        case RELATIVE -> {
          int bytes = form.immediates()[immediates++];
          int reach = bytes == 1 ? 100 : 1_000_000;
          operands.add(BranchTarget.of(random.nextInt(-reach, reach), bytes));
        }
        case OFFSET -> operands.add(Mem.absolute(wide ? random.nextLong() : random.nextInt()));
        case NONE -> operands.add(registerOrMemory(form, kind));
      }
    }
    return operands.toArray(AssemblerOperand[]::new);
  }

  private Imm immediate(InstructionForm form, int bits) {
    int operation = form.valueBits();
    if (operation == bits) {
      return Imm.imm(number(bits));
    }
    return Imm.imm(form.signExtended() ? signed(bits) : unsigned(bits));
  }

  private AssemblerOperand registerOrMemory(InstructionForm form, OperandKind kind) {
    if (kind.memory() != null && (kind.register() == OperandKind.Registers.NONE || flag())) {
      return memory(form, kind.memory());
    }
    boolean evex = form.vector() != null && form.vector().isEvex();
    int small = below(8) / kind.row() * kind.row();
    return switch (kind.register()) {
      case GENERAL -> gpr(kind.registerBits());
      case SEGMENT ->
          oneOf(
              SegmentRegister.ES,
              SegmentRegister.SS,
              SegmentRegister.DS,
              SegmentRegister.FS,
              SegmentRegister.GS);
      case XMM, YMM, ZMM -> row(vector(kind.register(), evex), kind.row());
      case MMX -> Mmx.values()[small];
      case X87 -> X87.values()[small];
      case MASK -> MaskRegister.values()[small];
      case CONTROL -> ControlRegister.values()[below(wide ? 5 : 4)];
      case DEBUG -> DebugRegister.values()[small];
      case TILE -> TileRegister.values()[small];
      case BOUND -> BoundRegister.values()[below(4)];
      case NONE -> throw new IllegalStateException(kind.toString());
    };
  }

  private static VectorRegister row(VectorRegister register, int row) {
    int number = register.number() / row * row;
    return switch (register) {
      case Xmm _ -> Xmm.values()[number];
      case Ymm _ -> Ymm.values()[number];
      case Zmm _ -> Zmm.values()[number];
    };
  }

  private Mem memory(InstructionForm form, OperandKind.InMemory kind) {
    boolean evex = form.vector() != null && form.vector().isEvex();
    if (kind.index() != OperandKind.Registers.NONE) {
      Mem m = Mem.ptr(address(wide)).plus(vectorDisplacement(form, evex));
      return m.index(vector(kind.index(), evex), oneOf(1, 2, 4, 8));
    }
    Mem m = memory(kind.bits());
    while (form.addressBits() != 0 && form.addressBits() != addresses.bits(m)
        || ((kind.sib() || form.mnemonic().startsWith("BND")) && m.isRipRelative())) {
      m = memory(kind.bits());
    }
    if (kind.sib() && m.index() == null) {
      m = Mem.ptr(address(wide)).index(index(wide), 1).plus(displacement());
    }
    if (form.isFarTransfer() && kind.far()) {
      return far(m, kind.bits());
    }
    if (!evex) {
      return m;
    }
    if (!m.isDirect() && m.displacementBytes() == 0 && flag()) {
      m = m.plus(-m.displacement()).plus(vectorDisplacement(form, true));
    } else if (m.displacementBytes() == 1) {
      m = Mem.ptr(address(wide)).as(m.bits());
    }
    return kind.element() != 0 && flag()
        ? m.as(kind.element()).repeated(kind.bits() / kind.element())
        : m;
  }

  /** At the borders of what one byte says where it counts in units. */
  private long vectorDisplacement(InstructionForm form, boolean evex) {
    int unit = evex ? form.displacementScale() : 1;
    return oneOf(0L, 1L, (long) unit, -128L * unit, 127L * unit, 128L * unit, -129L * unit, 4L)
        + (flag() ? 0 : displacement() & 0xFF);
  }

  /** Returns the modifiers that a form allows with these operands; often none. */
  Modifiers modifiers(CodeSize size, InstructionForm form, AssemblerOperand... operands) {
    Modifiers result = Modifiers.NONE;
    for (Prefix prefix : Prefix.values()) {
      Modifiers more = result.with(prefix);
      if (below(3) == 0 && prefix != Prefix.OPERAND_16 && more.areAllowed(size, form, operands)) {
        result = more;
      }
    }
    Modifiers masked = result.with(MaskRegister.values()[1 + below(7)], flag());
    if ((flag() || form.has("masked")) && masked.areAllowed(size, form, operands)) {
      result = masked;
    } else if (form.has("masked")) {
      result = result.with(MaskRegister.K3, false);
    }
    Modifiers rounded = result.with(oneOf(Rounding.values()));
    return flag() && rounded.areAllowed(size, form, operands) ? rounded : result;
  }
}
