package io.ntrail.programs.x86.asm;

import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.Rounding;
import io.ntrail.programs.x86.asm.operands.AddressRegister;
import io.ntrail.programs.x86.asm.operands.AssemblerOperand;
import io.ntrail.programs.x86.asm.operands.BranchTarget;
import io.ntrail.programs.x86.asm.operands.FarPointer;
import io.ntrail.programs.x86.asm.operands.Imm;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Mem;
import io.ntrail.programs.x86.asm.operands.Reg32;
import io.ntrail.programs.x86.asm.operands.Reg64;
import io.ntrail.programs.x86.asm.operands.Reg8;
import io.ntrail.programs.x86.asm.operands.RegisterOperand;
import io.ntrail.programs.x86.asm.operands.VectorRegister;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Writes one instruction at a time in its shortest form that fits the operands. For one thread. */
final class Encoder {
  private static final int LONGEST = 15;

  // The low bits of registers that mean something else in addresses.
  private static final int ESP = 4;
  private static final int EBP = 5;

  private final CodeSize size;
  private final AddressCheck addresses;
  private final FormMatcher matcher;

  // The instruction that was written last.
  private byte[] out = new byte[2 * LONGEST];
  private int length;
  private List<Fixup> fixups = new ArrayList<>();

  // A candidate for it.
  private byte[] candidate = new byte[2 * LONGEST];
  private int at;
  private List<Fixup> pending = new ArrayList<>();

  // The registers of its address, as they are encoded.
  private @Nullable AddressRegister<?> base;
  private @Nullable RegisterOperand index;
  private int scale;

  Encoder(CodeSize size) {
    this.size = size;
    this.addresses = new AddressCheck(size);
    this.matcher = new FormMatcher(size, addresses);
  }

  /** The bytes written last. */
  byte[] bytes() {
    return Arrays.copyOf(out, length);
  }

  /** The fields that wait for labels, counted from the beginning of the instruction. */
  List<Fixup> fixups() {
    return fixups;
  }

  /**
   * Encodes an instruction.
   *
   * @param modifiers prefixes and the like before it
   * @throws IllegalArgumentException if no form fits
   */
  void encode(Modifiers modifiers, String mnemonic, AssemblerOperand... given) {
    AssemblerOperand[] operands = given.clone();
    for (AssemblerOperand operand : operands) {
      addresses.check(operand);
    }
    length = 0;
    lowerHalfIfEnough(mnemonic, operands);
    boolean known = false;
    for (int i = 0; i < FormTable.TABLES && length == 0; i++) {
      FormTable table = FormTable.at(size, i);
      List<InstructionForm> forms = table.forms(mnemonic);
      known |= !forms.isEmpty();
      chooseShortest(
          modifiers.has(Prefix.OPERAND_16) ? table.narrowForms(mnemonic) : forms,
          modifiers,
          mnemonic,
          operands);
    }
    if (length == 0) {
      throw new IllegalArgumentException(
          known
              ? "no form fits: " + text(modifiers, mnemonic, operands)
              : "no instruction " + mnemonic + " in " + size.bits() + "-bit code");
    }
    if (length > LONGEST) {
      throw new IllegalArgumentException(
          "longer than 15 bytes: " + text(modifiers, mnemonic, operands));
    }
  }

  /** A positive number of 32 bits goes to the lower half of a register; the rest becomes zero. */
  private static void lowerHalfIfEnough(String mnemonic, AssemblerOperand... operands) {
    if (mnemonic.equals("MOV")
        && operands.length == 2
        && operands[0] instanceof Reg64 register
        && operands[1] instanceof Imm imm
        && imm.label() == null
        && imm.bytes() == 0
        && Immediates.fitsUnsigned(imm.value(), 32)) {
      operands[0] = register.low();
    }
  }

  private void chooseShortest(
      List<InstructionForm> forms,
      Modifiers modifiers,
      String mnemonic,
      AssemblerOperand... operands) {
    int memoryBits = 0;
    int immediateBytes = 0;
    for (InstructionForm form : forms) {
      if (!matcher.accepts(form, modifiers, operands)) {
        continue;
      }
      // Numbers do not decide about sizes: what does not fit into a byte must not become a word.
      int bits = FormMatcher.sizeGivenTo(form, operands);
      if (memoryBits != 0 && bits != 0 && bits != memoryBits) {
        throw new IllegalArgumentException(
            "the size of the memory operand must be said: " + text(modifiers, mnemonic, operands));
      }
      memoryBits = Math.max(memoryBits, bits);
      if (!matcher.fits(form, operands)) {
        continue;
      }
      write(form, modifiers, operands);
      // Of two of the same length the one with the narrower immediate: a prefix that changes the
      // length of an immediate is slow to decode.
      int width = sum(form.immediates());
      if (length == 0 || at < length || (at == length && width < immediateBytes)) {
        take();
        immediateBytes = width;
      }
    }
  }

  private void take() {
    byte[] bytes = out;
    out = candidate;
    candidate = bytes;
    length = at;
    List<Fixup> list = fixups;
    fixups = pending;
    pending = list;
  }

  private void write(InstructionForm form, Modifiers modifiers, AssemblerOperand... operands) {
    at = 0;
    pending.clear();
    @Nullable AssemblerOperand inReg = operandAt(form, 'R', operands);
    @Nullable AssemblerOperand inRm = operandAt(form, 'M', operands);
    if (inRm == null) {
      inRm = operandAt(form, 'O', operands);
    }
    @Nullable Mem memory = memory(operands);
    boolean needsSib = needsSib(form);
    // The base is a bound, and nothing else may take its place.
    arrangeAddress(memory, needsSib || FormMatcher.takesAddressApart(form));
    prefixes(form, modifiers, memory);
    if (form.vector() == null) {
      legacyPrefixes(form, inReg, inRm, operands);
    } else if (form.vector().isEvex()) {
      evexPrefix(form.vector(), modifiers, inReg, inRm, operandAt(form, 'V', operands));
    } else {
      vectorPrefix(form.vector(), inReg, inRm, operandAt(form, 'V', operands));
    }
    for (byte b : form.opcode()) {
      put(b);
    }
    if (form.registerInOpcode() && inRm instanceof RegisterOperand r) {
      candidate[at - 1] |= (byte) (r.number() & 7);
    }
    if (form.modRm() != InstructionForm.NO_MODRM) {
      modRm(
          form, form.modRm() == InstructionForm.REGISTER ? number(inReg) & 7 : form.modRm(), inRm);
    }
    if (operandAt(form, 'S', operands) instanceof RegisterOperand r) {
      put(r.number() << 4 | nibble(operands));
    }
    immediates(form, operands);
    if (form.suffix() != InstructionForm.NO_SUFFIX) {
      put(form.suffix());
    }
    endRelativeFields();
  }

  private static boolean needsSib(InstructionForm form) {
    for (OperandKind kind : form.operands()) {
      if (kind.memory() != null && kind.memory().sib()) {
        return true;
      }
    }
    return false;
  }

  private static int nibble(AssemblerOperand... operands) {
    return operands[operands.length - 1] instanceof Imm imm ? (int) imm.value() : 0;
  }

  private void prefixes(InstructionForm form, Modifiers modifiers, @Nullable Mem memory) {
    for (Prefix prefix : modifiers.prefixes()) {
      if (!prefix.isWrittenByForm(form)) {
        put(prefix.code());
      }
    }
    if (memory != null && memory.segment() != null) {
      put(memory.segment().prefix());
    }
    if (form.operandBits() == 16 && form.vector() == null) {
      put(0x66);
    }
    boolean otherAddressSize = form.addressBits() != 0 && form.addressBits() != size.bits();
    if (addresses.needsPrefix(memory) || otherAddressSize) {
      put(0x67);
    }
  }

  private void legacyPrefixes(
      InstructionForm form,
      @Nullable AssemblerOperand inReg,
      @Nullable AssemblerOperand inRm,
      AssemblerOperand... operands) {
    if (form.mandatoryPrefix() != 0) {
      put(form.mandatoryPrefix());
    }
    int rex =
        (form.wide() ? 8 : 0)
            | (isExtended(inReg) ? 4 : 0)
            | (inRm instanceof Mem
                ? (isExtended(index) ? 2 : 0) | (isExtended(base) ? 1 : 0)
                : isExtended(inRm) ? 1 : 0);
    boolean high = false;
    boolean needed = rex != 0;
    for (AssemblerOperand operand : operands) {
      if (operand instanceof Reg8 r) {
        high |= r.isHigh();
        needed |= r.needsRex();
      }
    }
    if (needed) {
      if (high) {
        throw new IllegalArgumentException(
            "AH, CH, DH and BH cannot be combined with a REX prefix: "
                + text(Modifiers.NONE, form.mnemonic(), operands));
      }
      put(0x40 | rex);
    }
  }

  private void vectorPrefix(
      InstructionForm.Vector vex,
      @Nullable AssemblerOperand inReg,
      @Nullable AssemblerOperand inRm,
      @Nullable AssemblerOperand inVvvv) {
    int r = isExtended(inReg) ? 0 : 0x80;
    int x = isExtended(index) ? 0 : 0x40;
    int b = isExtended(inRm instanceof Mem ? base : inRm) ? 0 : 0x20;
    int last = (~number(inVvvv) & 0xF) << 3 | vex.length() << 2 | vex.prefix();
    if (vex.lead() == 0xC4 && vex.map() == 1 && !vex.wide() && x != 0 && b != 0) {
      put(0xC5);
      put(r | last);
    } else {
      put(vex.lead());
      put(r | x | b | vex.map());
      put((vex.wide() ? 0x80 : 0) | last);
    }
  }

  private void evexPrefix(
      InstructionForm.Vector evex,
      Modifiers modifiers,
      @Nullable AssemblerOperand inReg,
      @Nullable AssemblerOperand inRm,
      @Nullable AssemblerOperand inVvvv) {
    int reg = number(inReg);
    int rm = inRm instanceof Mem ? number(base) : number(inRm);
    // The bit of the index extends a vector register that is not memory.
    int x = inRm instanceof Mem ? number(index) >> 3 & 1 : rm >> 4;
    int vvvv = number(inVvvv);
    int high = vvvv >> 4 | (index instanceof VectorRegister ? number(index) >> 4 : 0);
    int length = evex.length();
    boolean repeated = inRm instanceof Mem m && m.times() != 0;
    switch (modifiers.rounding()) {
      case NONE, SAE -> {}
      case NEAREST -> length = 0;
      case DOWN -> length = 1;
      case UP -> length = 2;
      case ZERO -> length = 3;
    }
    boolean special = repeated || modifiers.rounding() != Rounding.NONE;
    put(evex.lead());
    put(
        (reg & 8) << 4 ^ 0x80
            | x << 6 ^ 0x40
            | (rm & 8) << 2 ^ 0x20
            | reg & 0x10 ^ 0x10
            | evex.map());
    put((evex.wide() ? 0x80 : 0) | (~vvvv & 15) << 3 | 4 | evex.prefix());
    put(
        (modifiers.zeroing() ? 0x80 : 0)
            | length << 5
            | (special ? 0x10 : 0)
            | (high ^ 1) << 3
            | number(modifiers.mask()));
  }

  /**
   * Finds the shortest encoding of an address: an index without a base would need a displacement of
   * four bytes. In 32-bit code ebp stays the index, because as the base it would imply the stack
   * segment.
   */
  private void arrangeAddress(@Nullable Mem m, boolean asSaid) {
    base = m == null ? null : m.base();
    index = m == null ? null : m.index();
    scale = m == null ? 1 : m.scale();
    if (m == null
        || base != null
        || !(index instanceof AddressRegister<?> register)
        || scale > 2
        || m.displacementBytes() != 0
        || asSaid) {
      return;
    }
    if (index != Reg32.EBP || size == CodeSize.BITS64) {
      base = register;
      index = scale == 1 ? null : index;
      scale = 1;
    }
  }

  private void modRm(InstructionForm form, int reg, @Nullable AssemblerOperand rm) {
    if (!(rm instanceof Mem m)) {
      put(0xC0 | reg << 3 | (number(rm) & 7));
      return;
    }
    boolean needsSib = needsSib(form);
    if (m.isDirect()) {
      direct(reg, m, needsSib);
      return;
    }
    long value = addresses.normalized(m);
    Long compressed = form.compressedDisplacement(m, value);
    int bytes = displacementBytes(m, value, compressed);
    int mod = base == null || bytes == 0 ? 0 : bytes == 1 ? 0x40 : 0x80;
    if (index != null || base == null || (base.number() & 7) == ESP || needsSib) {
      put(mod | reg << 3 | 4);
      int low = base == null ? 5 : base.number() & 7;
      put(
          Integer.numberOfTrailingZeros(scale) << 6
              | (index == null ? 4 : index.number() & 7) << 3
              | low);
    } else {
      put(mod | reg << 3 | (base.number() & 7));
    }
    displacement(m, bytes == 1 && compressed != null ? compressed : value, bytes);
  }

  private int displacementBytes(Mem m, long value, @Nullable Long compressed) {
    if (base == null || m.label() != null) {
      return 4;
    }
    if (m.displacementBytes() != 0) {
      return m.displacementBytes();
    }
    return value == 0 && (base.number() & 7) != EBP ? 0 : compressed != null ? 1 : 4;
  }

  /** An address without registers: relative to rip, absolute, or that of a label. */
  private void direct(int reg, Mem m, boolean needsSib) {
    boolean wide = size == CodeSize.BITS64;
    if (addresses.isRelative(m)) {
      put(reg << 3 | 5);
      relative(m.label(), m.displacement(), 4);
      return;
    }
    if (wide || needsSib) {
      put(reg << 3 | 4);
      put(0x25);
    } else {
      put(reg << 3 | 5);
    }
    displacement(m, addresses.normalized(m), 4);
  }

  private void displacement(Mem m, long value, int bytes) {
    if (m.label() == null) {
      number(value, bytes);
    } else {
      labelled(m.label(), m.origin(), m.displacement(), bytes);
    }
  }

  private void immediates(InstructionForm form, AssemblerOperand... operands) {
    int next = 0;
    for (int i = 0; i < operands.length; i++) {
      char place = form.places().charAt(i);
      if (place == 'I' && operands[i] instanceof FarPointer far) {
        number(far.offset(), form.immediates()[next++]);
        number(far.segment(), 2);
      } else if (place == 'I'
          && operands[i] instanceof Imm imm
          && form.operands().get(i).other() != OperandKind.Other.NIBBLE) {
        int bytes = form.immediates()[next++];
        if (imm.label() == null) {
          number(imm.value(), bytes);
        } else {
          labelled(imm.label(), imm.origin(), imm.value(), bytes);
        }
      } else if (place == 'D') {
        int bytes = form.immediates()[next++];
        if (operands[i] instanceof Label label) {
          relative(label, 0, bytes);
        } else if (operands[i] instanceof BranchTarget target) {
          relative(target.label(), target.address(), bytes);
        } else {
          throw new IllegalStateException(form.toString());
        }
      } else if (place == 'A' && operands[i] instanceof Mem m) {
        displacement(m, addresses.normalized(m), size.bits() / 8);
      }
    }
  }

  private void labelled(Label label, @Nullable Label origin, long addend, int bytes) {
    Fixup.Kind kind = origin == null ? Fixup.Kind.ADDRESS : Fixup.Kind.DISTANCE;
    pending.add(new Fixup(kind, at, 0, bytes, label, origin, addend, 0));
    number(0, bytes);
  }

  private void relative(@Nullable Label label, long addend, int bytes) {
    pending.add(new Fixup(Fixup.Kind.RELATIVE, at, 0, bytes, label, null, addend, 0));
    number(0, bytes);
  }

  /** Relative fields count from the end of the instruction, which is known only now. */
  private void endRelativeFields() {
    for (int i = 0; i < pending.size(); i++) {
      pending.set(i, pending.get(i).endingAt(at));
    }
  }

  private void number(long value, int bytes) {
    for (int i = 0; i < bytes; i++) {
      put((int) (value >>> (8 * i)));
    }
  }

  private void put(int value) {
    candidate[at++] = (byte) value;
  }

  private static @Nullable AssemblerOperand operandAt(
      InstructionForm form, char place, AssemblerOperand... operands) {
    int index = form.places().indexOf(place);
    return index < 0 ? null : operands[index];
  }

  private static @Nullable Mem memory(AssemblerOperand... operands) {
    for (AssemblerOperand operand : operands) {
      if (operand instanceof Mem m) {
        return m;
      }
    }
    return null;
  }

  private static int sum(int[] numbers) {
    int sum = 0;
    for (int number : numbers) {
      sum += number;
    }
    return sum;
  }

  private static int number(@Nullable AssemblerOperand operand) {
    return operand instanceof RegisterOperand r ? r.number() : 0;
  }

  private static boolean isExtended(@Nullable AssemblerOperand operand) {
    return number(operand) > 7;
  }

  private static String text(Modifiers modifiers, String mnemonic, AssemblerOperand... operands) {
    StringJoiner text = new StringJoiner(", ");
    for (AssemblerOperand operand : operands) {
      text.add(operand.toString());
    }
    return (modifiers.isNone() ? "" : modifiers + " ") + mnemonic + " " + text;
  }
}
