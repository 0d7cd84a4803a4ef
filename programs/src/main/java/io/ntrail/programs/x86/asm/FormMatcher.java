package io.ntrail.programs.x86.asm;

import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.asm.operands.AssemblerOperand;
import io.ntrail.programs.x86.asm.operands.BranchTarget;
import io.ntrail.programs.x86.asm.operands.FarPointer;
import io.ntrail.programs.x86.asm.operands.Imm;
import io.ntrail.programs.x86.asm.operands.Mem;
import io.ntrail.programs.x86.asm.operands.Reg32;
import io.ntrail.programs.x86.asm.operands.RegisterOperand;
import io.ntrail.programs.x86.asm.operands.SegmentRegister;
import io.ntrail.programs.x86.asm.operands.VectorRegister;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Decides which instruction forms take given operands. */
final class FormMatcher {
  /** MPX instructions that use base and index separately, and take no RIP-relative address. */
  private static final Set<String> BOUNDS = Set.of("BNDMK", "BNDLDX", "BNDSTX");

  private final CodeSize size;
  private final AddressCheck addresses;

  FormMatcher(CodeSize size, AddressCheck addresses) {
    this.size = size;
    this.addresses = addresses;
  }

  /** Returns true if base and index of the address are operands of their own and must stay so. */
  static boolean takesAddressApart(InstructionForm form) {
    return BOUNDS.contains(form.mnemonic());
  }

  /** Returns the size that a form gives to a memory operand without one, or 0. */
  static int sizeGivenTo(InstructionForm form, AssemblerOperand... operands) {
    for (int i = 0; i < operands.length; i++) {
      if (operands[i] instanceof Mem m && m.bits() == 0) {
        return form.operands().get(i).memoryBits();
      }
    }
    return 0;
  }

  /** Returns true if a form takes operands of these kinds and allows the modifiers. */
  boolean accepts(InstructionForm form, Modifiers modifiers, AssemblerOperand... operands) {
    if (form.operands().size() != operands.length) {
      return false;
    }
    boolean evex = form.vector() != null && form.vector().isEvex();
    for (int i = 0; i < operands.length; i++) {
      AssemblerOperand operand = operands[i];
      boolean beyond = operand instanceof RegisterOperand r && r.number() > 15;
      boolean near = operand instanceof Mem m && form.isFarTransfer() && !m.isFar();
      if (!form.operands().get(i).accepts(operand) || near || (beyond && !evex)) {
        return false;
      }
      if (operand instanceof Mem m
          && ((m.index() != null && m.index().number() > 15 && !evex)
              || (addresses.isRelative(m) && takesAddressApart(form)))) {
        return false;
      }
    }
    return modifiers.areAllowed(size, form, operands) && !isSame(form, operands);
  }

  /** Returns true if registers that must differ are the same. */
  static boolean isSame(InstructionForm form, AssemblerOperand... operands) {
    boolean all = form.has("distinct");
    if (!all && !form.has("distinct-dest")) {
      return false;
    }
    List<Integer> numbers = new ArrayList<>();
    for (AssemblerOperand operand : operands) {
      if (operand instanceof RegisterOperand r) {
        numbers.add(r.number());
      } else if (operand instanceof Mem m && m.index() instanceof VectorRegister r) {
        numbers.add(r.number());
      }
    }
    return all
        ? numbers.stream().distinct().count() < numbers.size()
        : numbers.lastIndexOf(numbers.getFirst()) > 0;
  }

  /** Returns true if the numbers in the operands fit into their fields. */
  boolean fits(InstructionForm form, AssemblerOperand... operands) {
    int immediates = 0;
    for (int i = 0; i < operands.length; i++) {
      OperandKind kind = form.operands().get(i);
      boolean fits =
          switch (kind.other()) {
            case IMMEDIATE ->
                Immediates.fit(size, form, form.immediates()[immediates++], (Imm) operands[i]);
            case FAR ->
                Immediates.fitsUnsigned(
                    ((FarPointer) operands[i]).offset(), 8 * form.immediates()[immediates++]);
            case RELATIVE ->
                !(operands[i] instanceof BranchTarget t)
                    || t.bytes() == 0
                    || t.bytes() == form.immediates()[0];
            default -> true;
          };
      if (!fits) {
        return false;
      }
    }
    return !isOtherwise(form, operands) && hasEncodableAddress(form, operands);
  }

  /** Returns true if the bytes would be another instruction, or invalid. */
  private boolean isOtherwise(InstructionForm form, AssemblerOperand... operands) {
    // EAX exchanged with itself would be a NOP, which does not zero the upper half of RAX.
    boolean isNop =
        size == CodeSize.BITS64
            && form.registerInOpcode()
            && form.mnemonic().equals("XCHG")
            && operands[0] == Reg32.EAX;
    boolean isMoveToCs = form.mnemonic().equals("MOV") && operands[0] == SegmentRegister.CS;
    return isNop || isMoveToCs;
  }

  /**
   * Returns true if the memory operands can be encoded. Absolute addresses of 64 bits exist only in
   * moves to and from the accumulator; where the address size also decides about another register
   * (ENQCMD), the two must agree.
   */
  private boolean hasEncodableAddress(InstructionForm form, AssemblerOperand... operands) {
    for (int i = 0; i < operands.length; i++) {
      if (!(operands[i] instanceof Mem m) || form.places().charAt(i) == 'A') {
        continue;
      }
      boolean otherSize = form.addressBits() != 0 && form.addressBits() != addresses.bits(m);
      boolean notCompressed =
          m.displacementBytes() == 1
              && form.compressedDisplacement(m, addresses.normalized(m)) == null;
      if (!addresses.fits32(m) || otherSize || notCompressed) {
        return false;
      }
    }
    return true;
  }
}
