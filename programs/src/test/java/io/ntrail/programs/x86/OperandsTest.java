package io.ntrail.programs.x86;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.ntrail.formats.bytes.Bytes;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OperandsTest {
  private final Instruction instruction = new Instruction();
  private final Operands operands = new Operands();

  private Operands read(CodeSize size, String hex) {
    byte[] code = HexFormat.of().parseHex(hex.replace(" ", ""));
    InstructionDecoder decoder = InstructionDecoder.of(size);
    decoder.decode(Bytes.copyOf(code, hex), 0, code.length, instruction);
    OperandReader.of(decoder).read(instruction, operands);
    return operands;
  }

  private static Register register(RegisterClass type, int number) {
    return Register.of(type, number);
  }

  @Test
  void theDestinationComesFirst() {
    assertEquals(
        List.of(
            new Operand.InRegister(register(RegisterClass.GENERAL32, 1)),
            new Operand.Immediate(-91, 32)),
        read(CodeSize.BITS64, "83 C1 A5").list());
  }

  @Test
  void memoryKnowsItsRegistersAndItsSize() {
    assertEquals(
        new Operand.InMemory(
            8,
            register(RegisterClass.SEGMENT, 2),
            Optional.of(register(RegisterClass.GENERAL64, 4)),
            Optional.of(register(RegisterClass.GENERAL64, 9)),
            2,
            -8,
            0),
        read(CodeSize.BITS64, "4A 89 44 4C F8").memory(0));
  }

  @Test
  void aBroadcastElementIsWhatIsRead() {
    Operand.InMemory memory = read(CodeSize.BITS64, "62 F1 4C DD 59 50 01").memory(2);
    assertEquals(4, memory.bytes());
    assertEquals(16, memory.broadcast());
    assertEquals(4, memory.displacement());
    assertEquals(Optional.of(register(RegisterClass.MASK, 5)), operands.mask());
    assertEquals(0, operands.maskedOperand());
  }

  @Test
  void aDisplacementOfEvexIsScaledWith16BitAddressesToo() {
    assertEquals(0x510, read(CodeSize.BITS16, "62 F2 B5 0F 9C 5F 51").memory(2).displacement());
  }

  @ParameterizedTest
  @CsvSource({
    "66 48 6D, insd",
    "66 48 6F, outsd",
    "66 48 EF, out",
    "66 48 D9 20, fldenv",
    "66 48 C7 F8 01 02 03 04, xbegin"
  })
  void rexWinsOverTheOperandSizePrefix(String hex, String mnemonic) {
    assertEquals(mnemonic, read(CodeSize.BITS64, hex).mnemonic());
    assertEquals(hex.length() / 3 + 1, instruction.length());
    assertFalse(IntelSyntax.text(instruction, operands, 0).contains(" ax"));
  }

  @Test
  void thereAreFourBoundRegisters() {
    assertEquals("bndldx", read(CodeSize.BITS64, "0F 1A 18").mnemonic());
    assertEquals("reservednop", read(CodeSize.BITS64, "0F 1A 20").mnemonic());
  }

  @Test
  void theLastSegmentPrefixIsTheHint() {
    assertEquals("hint-taken jne 0x13", text(CodeSize.BITS32, "65 3E 75 0F"));
    assertEquals("jne 0x13", text(CodeSize.BITS32, "3E 65 75 0F"));
    assertEquals("notrack jmp rdi", text(CodeSize.BITS64, "3E 36 FF E7"));
  }

  private String text(CodeSize size, String hex) {
    return IntelSyntax.text(instruction, read(size, hex), 0);
  }

  @Test
  void accessorsOfTheWrongOperandThrow() {
    read(CodeSize.BITS64, "83 C1 A5");
    assertThrows(IllegalStateException.class, () -> operands.memory(0));
    assertThrows(IllegalStateException.class, () -> operands.immediate(0));
    assertThrows(IllegalStateException.class, () -> operands.register(1));
    assertThrows(IndexOutOfBoundsException.class, () -> operands.type(2));
  }

  @Test
  void invalidInstructionsHaveNoOperands() {
    read(CodeSize.BITS64, "83 C1 A5");
    assertEquals(0, read(CodeSize.BITS64, "06").count());
    assertEquals("", operands.mnemonic());
    assertEquals("(does not exist in 64-bit code)", IntelSyntax.text(instruction, operands, 0));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "BITS64 | 48 8B 05 F9 0F 00 00     | mov rax, qword ptr [0x2000]",
        "BITS64 | 67 8B 05 00 00 00 00     | mov eax, dword ptr [0x1007]",
        "BITS64 | 65 48 8B 04 25 30 0 0 0  | mov rax, qword ptr gs:[0x30]",
        "BITS64 | 8B 04 25 00 00 FE 7F     | mov eax, dword ptr ds:[0x7ffe0000]",
        "BITS64 | 3E 8B 45 00              | mov eax, dword ptr [rbp]",
        "BITS32 | 3E 8B 45 00              | mov eax, dword ptr ds:[ebp]",
        "BITS16 | 8B 42 FE                 | mov ax, word ptr [bp+si-2]",
        "BITS64 | F0 48 0F C1 0C 82        | lock xadd qword ptr [rdx+rax*4], rcx",
        "BITS64 | F3 48 AB                 | rep stosq qword ptr es:[rdi], rax",
        "BITS64 | 40 8A F4                 | mov sil, spl",
        "BITS64 | 8A F4                    | mov dh, ah",
        "BITS64 | 49 90                    | xchg r8, rax",
        "BITS64 | F3 90                    | pause",
        "BITS64 | 48 BB 88 77 66 55 44 33 22 11 | mov rbx, 0x1122334455667788",
        "BITS64 | 74 FE                    | je 0x1000",
        "BITS64 | 3E FF 11                 | notrack call qword ptr [rcx]",
        "BITS32 | 9A 78 56 34 12 08 00     | call 8:0x12345678",
        "BITS32 | FF 29                    | jmp far fword ptr [ecx]",
        "BITS64 | 62 F1 4C DB 59 D3        | vmulps zmm2{k3}{z}, zmm6, zmm3, {ru-sae}",
        "BITS64 | 62 F3 FD 9B 26 D3 A5     | vgetmantpd zmm2{k3}{z}, zmm3, {sae}, 0xa5",
        "BITS64 | 62 F2 7D 4B 90 54 A1 01  | vpgatherdd zmm2{k3}, dword ptr [rcx+zmm4*4+4]",
        "BITS64 | 64 0F 01 C8              | fs monitor",
        "BITS32 | 66 61                    | popa",
      })
  void textIsThatOfTheManuals(CodeSize size, String hex, String text) {
    read(size, hex.replace(" 0 0 0", " 00 00 00"));
    assertEquals(text, IntelSyntax.text(instruction, operands, 0x1000));
  }

  @ParameterizedTest
  @CsvSource({"BITS16", "BITS32", "BITS64"})
  void whateverIsDecodedHasOperandsTextAndEffects(CodeSize size) {
    Random random = new Random(4711);
    byte[] code = new byte[InstructionDecoder.LONGEST];
    for (CpuVendor vendor : CpuVendor.values()) {
      InstructionDecoder decoder = InstructionDecoder.of(size, vendor);
      OperandReader reader = OperandReader.of(decoder);
      for (int i = 0; i < 30_000; i++) {
        random.nextBytes(code);
        code[0] = (byte) (i % 4 == 0 ? 0x62 : i % 4 == 1 ? 0xC4 : i % 4 == 2 ? 0x0F : code[0]);
        int length = decoder.decode(Bytes.copyOf(code, "random"), 0, code.length, instruction);
        assertEquals(length > 0, reader.read(instruction, operands));
        assertEquals(length > 0, !operands.mnemonic().isEmpty());
        assertFalse(IntelSyntax.text(instruction, operands, 0x1000).isEmpty());
        assertEquals(operands.count(), operands.list().size());
        if (length > 0) {
          assertNotNull(Effects.of(instruction, operands));
        }
      }
    }
  }
}
