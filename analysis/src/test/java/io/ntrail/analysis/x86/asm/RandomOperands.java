package io.ntrail.analysis.x86.asm;

import io.ntrail.analysis.x86.CodeSize;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.random.RandomGenerator;

/** Operands drawn at random: registers, addresses of every shape, numbers at the borders. */
final class RandomOperands {
  /** Where the code lies. */
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
      m = m.segment(wide ? oneOf(Segment.FS, Segment.GS) : oneOf(Segment.values()));
    }
    return switch (bits) {
      case 8, 16, 32, 64, 80, 128, 256 -> m.as(bits);
      default -> m;
    };
  }

  /**
   * The same with a label or the distance of two in its address; memory that can have neither stays
   * as it is.
   */
  Mem labelled(Mem m, Label label, Label other) {
    if (m.isRipRelative() || m.displacementBytes() == 1) {
      return m;
    }
    if (below(4) == 0) {
      return m.plus(-m.displacement()).plusDistance(other, label);
    }
    if (wide) {
      Mem alone = Mem.ptr(label).plus(below(2) == 0 ? 0 : random.nextInt(-1000, 1000)).as(m.bits());
      return m.segment() == null ? alone : alone.segment(m.segment());
    }
    return m.plus(-m.displacement()).plus(label).plus(below(1000));
  }

  /** What nasm makes of a lone ebp in 32-bit code means another segment. */
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
  Operand[] forForm(Form form) {
    List<Operand> operands = new ArrayList<>();
    int immediates = 0;
    for (OperandKind kind : form.operands()) {
      switch (kind.other()) {
        case FIXED ->
            operands.add(
                kind.fixed() instanceof Long number
                    ? Imm.imm(number)
                    : (Operand) Objects.requireNonNull(kind.fixed()));
        case IMMEDIATE -> operands.add(immediate(form, 8 * form.immediates()[immediates++]));
        case RELATIVE -> {
          int bytes = form.immediates()[immediates++];
          int reach = bytes == 1 ? 100 : 1_000_000;
          operands.add(Target.of(random.nextInt(-reach, reach), bytes));
        }
        case OFFSET -> operands.add(Mem.absolute(wide ? random.nextLong() : random.nextInt()));
        case NONE -> operands.add(registerOrMemory(form, kind));
      }
    }
    return operands.toArray(Operand[]::new);
  }

  private Imm immediate(Form form, int bits) {
    int operation = form.valueBits();
    if (operation == bits) {
      return Imm.imm(number(bits));
    }
    return Imm.imm(form.signExtended() ? signed(bits) : unsigned(bits));
  }

  private Operand registerOrMemory(Form form, OperandKind kind) {
    if (kind.memory() && (kind.register() == OperandKind.Registers.NONE || flag())) {
      Mem m = memory(kind.memoryBits());
      while (form.addressBits() != 0 && form.addressBits() != addresses.bits(m)) {
        m = memory(kind.memoryBits());
      }
      return m;
    }
    return switch (kind.register()) {
      case GENERAL -> gpr(kind.registerBits());
      case SEGMENT -> oneOf(Segment.ES, Segment.SS, Segment.DS, Segment.FS, Segment.GS);
      case XMM -> xmm();
      case YMM -> ymm();
      case NONE -> throw new IllegalStateException(kind.toString());
    };
  }
}
