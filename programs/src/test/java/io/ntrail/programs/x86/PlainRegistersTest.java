package io.ntrail.programs.x86;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Bytes;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Registers of plain instructions, against operands and effects, which are read the long way. */
final class PlainRegistersTest {
  private static final int ALWAYS = 1 | 1 << 1 | 1 << 2;
  private static final int ROUNDS = 3_000_000;

  private final InstructionDecoder decoder = InstructionDecoder.of(CodeSize.BITS64);
  private final OperandReader reader = OperandReader.of(decoder);
  private final Instruction instruction = new Instruction();
  private final Operands operands = new Operands();

  @ParameterizedTest
  @CsvSource({
    "4889D8, 0 3", // mov rax, rbx
    "498B4C2410, 1 12", // mov rcx, [r12 + 0x10]
    "8B0D10000000, 1", // mov ecx, [rip + 0x10]
    "488D442408, 0 4", // lea rax, [rsp + 8]
    "75FE, ''", // jne
    "E800000000, ''", // call
    "0F104500, 0 5", // movups xmm0, [rbp]
  })
  void registersAreThoseThatModRmNames(String hex, String expected) {
    byte[] code = HexFormat.of().parseHex(hex);
    decoder.decode(Bytes.copyOf(code, hex), 0, code.length, instruction);
    int mask = 0;
    for (String number : expected.isEmpty() ? new String[0] : expected.split(" ", -1)) {
      mask |= 1 << Integer.parseInt(number);
    }
    assertEquals(mask, PlainRegisters.of(instruction));
  }

  @ParameterizedTest
  @CsvSource({
    "50", // push rax
    "5D", // pop rbp
    "C9", // leave
    "C3", // ret
    "48A5", // movsq
    "88E7", // mov bh, ah
    "678B01", // mov eax, [ecx]
    "0FA2", // cpuid
    "FF5010", // call [rax + 0x10]
    "C5F877", // vzeroupper
  })
  void ofOthersNothingIsKnown(String hex) {
    byte[] code = HexFormat.of().parseHex(hex);
    decoder.decode(Bytes.copyOf(code, hex), 0, code.length, instruction);
    assertEquals(PlainRegisters.UNKNOWN, PlainRegisters.of(instruction));
  }

  @Test
  void noPlainInstructionWritesOrAddressesWithAnotherRegister() {
    Random random = new Random(20_261_126);
    byte[] code = new byte[InstructionDecoder.LONGEST];
    int plain = 0;
    for (int i = 0; i < ROUNDS; i++) {
      random.nextBytes(code);
      if (random.nextBoolean()) {
        // A prefix, and half of these with the second map.
        code[0] = (byte) (0x40 + random.nextInt(16));
        code[1] = random.nextBoolean() ? 0x0F : code[1];
      }
      Bytes bytes = Bytes.copyOf(code, "random");
      decoder.decode(bytes, 0, code.length, instruction);
      int registers = PlainRegisters.of(instruction);
      if (registers >= 0) {
        plain++;
        assertTrue(reader.read(instruction, operands), () -> HexFormat.of().formatHex(code));
        check(registers, code);
      }
    }
    assertTrue(plain > ROUNDS / 10, "plain: " + plain);
  }

  private void check(int registers, byte[] code) {
    if (instruction.flowClass() == FlowClass.DIRECT_CALL) {
      return;
    }
    int memory = operands.memoryOperand();
    if (memory >= 0 && operands.memory(memory).base().isPresent()) {
      Register base = operands.memory(memory).base().get();
      if (base.type() == RegisterClass.GENERAL64) {
        assertHas(registers, base, code);
      }
    }
    for (Effects.RegisterUse use : Effects.of(instruction, operands).registers()) {
      Register whole = use.register().whole();
      if (use.access().writes() && whole.type() == RegisterClass.GENERAL64) {
        assertHas(registers | ALWAYS, whole, code);
      }
    }
  }

  private void assertHas(int registers, Register register, byte[] code) {
    assertTrue(
        (registers & 1 << register.number()) != 0,
        () -> operands.mnemonic() + " " + register + " " + HexFormat.of().formatHex(code));
  }
}
