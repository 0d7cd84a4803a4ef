package io.ntrail.programs.x86.asm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.asm.operands.AssemblerOperand;
import io.ntrail.programs.x86.asm.operands.BranchTarget;
import io.ntrail.programs.x86.asm.operands.Gpr;
import io.ntrail.programs.x86.asm.operands.Imm;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.MaskRegister;
import io.ntrail.programs.x86.asm.operands.Mem;
import io.ntrail.programs.x86.asm.operands.Reg64;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every form with random operands, read back by the decoder: what was requested is there. */
class RoundTripTest {
  private static final int EACH = Boolean.getBoolean("ntrail.long") ? 400 : 40;

  private final List<String> differences = new ArrayList<>();
  private int compared;

  @ParameterizedTest
  @EnumSource(
      value = CodeSize.class,
      names = {"BITS32", "BITS64"})
  void requestedInstructionsAreReadBack(CodeSize size) {
    boolean wide = size == CodeSize.BITS64;
    RandomOperands random = new RandomOperands(new SplittableRandom(21), wide);
    EncodingRequest asked = new EncodingRequest(size);
    for (int t = 0; t < FormTable.TABLES; t++) {
      FormTable table = FormTable.at(size, t);
      for (String mnemonic : new TreeSet<>(table.mnemonics())) {
        for (InstructionForm form : table.forms(mnemonic)) {
          for (int i = 0; i < EACH; i++) {
            AssemblerOperand[] operands =
                FormSweepTest.at(RandomOperands.BASE, random.forForm(form));
            compare(asked, wide, random.modifiers(size, form, operands), form, operands);
          }
        }
      }
    }
    assertEquals(List.of(), differences.subList(0, Math.min(30, differences.size())));
    assertTrue(compared > 60_000, compared + " instructions");
  }

  @ParameterizedTest
  @EnumSource(
      value = CodeSize.class,
      names = {"BITS32", "BITS64"})
  void labelsAreWhereTheyWereBound(CodeSize size) {
    boolean wide = size == CodeSize.BITS64;
    RandomOperands random = new RandomOperands(new SplittableRandom(22), wide);
    EncodingRequest asked = new EncodingRequest(size);
    for (int t = 0; t < FormTable.TABLES; t++) {
      FormTable table = FormTable.at(size, t);
      for (String mnemonic : new TreeSet<>(table.mnemonics())) {
        for (InstructionForm form : table.forms(mnemonic)) {
          for (int i = 0; i < EACH / 10; i++) {
            compareLabelled(asked, wide, random, form);
          }
        }
      }
    }
    assertEquals(List.of(), differences.subList(0, Math.min(30, differences.size())));
    assertTrue(compared > 3_000, compared + " instructions");
  }

  /** Between two labels, one of which takes the place of an address or target. */
  private void compareLabelled(
      EncodingRequest asked, boolean wide, RandomOperands random, InstructionForm form) {
    Assembler a = wide ? Assembler.x64() : Assembler.ia32();
    Label before = a.here("before");
    a.nop(random.below(100));
    Label begin = a.here("begin");
    Label behind = a.label("behind");
    AssemblerOperand[] operands = random.forForm(form);
    boolean labelled = false;
    for (int i = 0; i < operands.length; i++) {
      boolean isBefore = random.flag();
      Label label = isBefore ? before : behind;
      if (operands[i] instanceof BranchTarget target) {
        operands[i] = random.flag() ? label : BranchTarget.of(label, target.bytes());
        labelled = true;
      } else if (operands[i] instanceof Mem m
          && form.places().charAt(i) == 'M'
          && !isSib(form.operands().get(i))
          && !form.mnemonic().startsWith("BND")) {
        operands[i] = random.labelled(m, label, isBefore ? behind : before);
        labelled |= operands[i] != m;
      }
    }
    if (!labelled
        || FormSweepTest.isHighBesideRex(operands)
        || FormMatcher.isSame(form, operands)
        || (wide && form.addressBits() == 32)) {
      return;
    }
    Modifiers modifiers =
        form.has("masked") ? Modifiers.NONE.with(MaskRegister.K2, false) : Modifiers.NONE;
    a.modified(modifiers).op(form.mnemonic(), operands);
    Label end = a.here("end");
    AssembledCode code = a.nop(random.below(20)).bind(behind).assemble();
    byte[] all = code.bytesAt(RandomOperands.BASE);
    byte[] bytes = Arrays.copyOfRange(all, code.offset(begin), code.offset(end));
    compared++;
    asked
        .difference(
            bytes,
            RandomOperands.BASE + code.offset(begin),
            modifiers,
            form.mnemonic(),
            List.of(operands),
            label -> RandomOperands.BASE + code.offset(label))
        .ifPresent(differences::add);
  }

  private void compare(
      EncodingRequest asked,
      boolean wide,
      Modifiers modifiers,
      InstructionForm form,
      AssemblerOperand... operands) {
    Assembler a = wide ? Assembler.x64() : Assembler.ia32();
    String mnemonic = form.mnemonic();
    if (FormSweepTest.isHighBesideRex(operands) || FormMatcher.isSame(form, operands)) {
      assertThrows(IllegalArgumentException.class, () -> a.op(mnemonic, operands));
      return;
    }
    long address = RandomOperands.BASE;
    byte[] bytes = a.modified(modifiers).op(mnemonic, operands).assemble().bytesAt(address);
    compared++;
    boolean nop = isNop(wide, mnemonic, operands);
    asked
        .difference(
            bytes,
            address,
            nop ? Modifiers.NONE : modifiers,
            nop ? "NOP" : mnemonic,
            nop ? List.of() : meant(mnemonic, operands),
            _ -> 0)
        .ifPresent(differences::add);
  }

  private static boolean isSib(OperandKind kind) {
    return kind.memory() != null && kind.memory().sib();
  }

  /** An exchange of the accumulator with itself has the bytes of a NOP if it is one. */
  private static boolean isNop(boolean wide, String mnemonic, AssemblerOperand... operands) {
    return mnemonic.equals("XCHG")
        && operands[0].equals(operands[1])
        && operands[0] instanceof Gpr<?> r
        && r.number() == 0
        && r.bits() != 8
        && !(wide && r.bits() == 32);
  }

  /** A number that fits into the lower half goes there; the rest becomes zero. */
  private static List<AssemblerOperand> meant(String mnemonic, AssemblerOperand... operands) {
    if (mnemonic.equals("MOV")
        && operands[0] instanceof Reg64 register
        && operands[1] instanceof Imm number
        && Immediates.fitsUnsigned(number.value(), 32)) {
      return List.of(register.low(), number);
    }
    return List.of(operands);
  }
}
