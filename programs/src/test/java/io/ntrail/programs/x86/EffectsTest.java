package io.ntrail.programs.x86;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.ntrail.formats.bytes.Bytes;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EffectsTest {
  private final Instruction instruction = new Instruction();
  private final Operands operands = new Operands();

  private Effects effects(CodeSize size, String hex) {
    byte[] code = HexFormat.of().parseHex(hex.replace(" ", ""));
    InstructionDecoder decoder = InstructionDecoder.of(size);
    decoder.decode(Bytes.copyOf(code, hex), 0, code.length, instruction);
    OperandReader.of(decoder).read(instruction, operands);
    return Effects.of(instruction, operands);
  }

  private static List<String> registers(Effects effects) {
    return effects.registers().stream().map(use -> use.register() + " " + use.access()).toList();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "48 01 D8          | rax READ_WRITE, rbx READ",
        "01 D8             | eax READ, rax WRITE, ebx READ",
        "48 8B 44 8B 10    | rax WRITE, rbx READ, rcx READ",
        "48 8D 44 8B 10    | rax WRITE, rbx READ, rcx READ",
        "50                | rax READ, rsp READ_WRITE",
        "F7 E3             | ebx READ, rdx WRITE, eax READ, rax WRITE",
        "31 C0             | rax WRITE",
        "65 8B 00          | rax WRITE, rax READ, gs READ",
        "C5 E8 58 CB       | zmm1 WRITE, xmm2 READ, xmm3 READ",
        "0F 58 CB          | xmm1 READ_WRITE, xmm3 READ",
      })
  void registersAreReadAndWritten(String hex, String expected) {
    assertEquals(
        Set.of(expected.split(", ", -1)), Set.copyOf(registers(effects(CodeSize.BITS64, hex))));
  }

  @Test
  void aPushWritesBelowTheStackPointer() {
    Effects.MemoryUse use = effects(CodeSize.BITS64, "50").memory().getFirst();
    assertEquals(Access.WRITE, use.access());
    assertEquals(-8, use.memory().displacement());
    assertEquals(8, use.memory().bytes());
    assertEquals(-2, effects(CodeSize.BITS64, "66 50").memory().getFirst().memory().displacement());
  }

  @Test
  void aMaskMakesADestinationASource() {
    assertEquals(
        Set.of("xmm2 READ", "zmm2 WRITE", "k3 READ", "xmm6 READ", "xmm3 READ"),
        Set.copyOf(registers(effects(CodeSize.BITS64, "62 F1 4D 0B FE D3"))));
    assertEquals(
        Set.of("zmm2 WRITE", "k3 READ", "xmm6 READ", "xmm3 READ"),
        Set.copyOf(registers(effects(CodeSize.BITS64, "62 F1 4D 8B FE D3"))));
  }

  @Test
  void repetitionMakesEverythingConditional() {
    Effects effects = effects(CodeSize.BITS64, "F3 48 AB");
    assertEquals(Access.MAY_WRITE, effects.memory().getFirst().access());
    assertEquals(Set.of(Flag.DIRECTION), effects.flagsRead());
    assertEquals(
        Set.of("rax MAY_READ", "rcx READ_MAY_WRITE", "rdi MAY_READ", "rdi MAY_WRITE"),
        Set.copyOf(registers(effects)));
  }

  @Test
  void flagsAreDistinguished() {
    Effects and = effects(CodeSize.BITS64, "21 D8");
    assertEquals(Set.of(Flag.CARRY, Flag.OVERFLOW), and.flagsCleared());
    assertEquals(Set.of(Flag.SIGN, Flag.ZERO, Flag.PARITY), and.flagsWritten());
    assertEquals(Set.of(Flag.ADJUST), and.flagsUndefined());
    assertEquals(Set.of(Flag.CARRY), effects(CodeSize.BITS64, "11 D8").flagsRead());
    assertEquals(Set.of(Flag.DIRECTION), effects(CodeSize.BITS64, "FD").flagsSet());
  }

  @Test
  void aShiftByNothingChangesNoFlags() {
    assertEquals(Set.of(), effects(CodeSize.BITS64, "C1 E0 20").flagsWritten());
    assertEquals(Set.of(Flag.ADJUST), effects(CodeSize.BITS64, "C1 E0 01").flagsUndefined());
    assertEquals(
        Set.of(Flag.ADJUST, Flag.OVERFLOW), effects(CodeSize.BITS64, "C1 E0 02").flagsUndefined());
  }

  @Test
  void invalidInstructionsHaveNoEffects() {
    assertThrows(IllegalStateException.class, () -> effects(CodeSize.BITS64, "06"));
  }

  @Test
  void everyLineOfTheTableIsAboutSomeForm() {
    EffectTable table = EffectTable.read();
    for (Form form : FormFiles.read()) {
      FormRecord.of(form, FormFiles.implied().getOrDefault(form.mnemonic(), List.of()), 0, table);
    }
    assertEquals(Set.of(), table.unused());
  }
}
