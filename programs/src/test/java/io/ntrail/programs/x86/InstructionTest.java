package io.ntrail.programs.x86;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Bytes;
import java.util.HexFormat;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Properties of single instructions, worked out by hand from the manuals. */
class InstructionTest {
  @ParameterizedTest
  @CsvSource({
    "64, 90, NEXT",
    "64, 74 FE, CONDITIONAL_BRANCH",
    "64, 0F 84 00 00 00 00, CONDITIONAL_BRANCH",
    "64, E2 FE, CONDITIONAL_BRANCH",
    "64, E3 FE, CONDITIONAL_BRANCH",
    "64, EB FE, DIRECT_JUMP",
    "64, E9 00 00 00 00, DIRECT_JUMP",
    "64, E8 00 00 00 00, DIRECT_CALL",
    "64, FF E0, INDIRECT_JUMP",
    "64, 3E FF E0, INDIRECT_JUMP",
    "64, FF 15 00 00 00 00, INDIRECT_CALL",
    "64, C3, RETURN",
    "64, F3 C3, RETURN",
    "64, C2 08 00, RETURN",
    "32, EA 11 22 33 44 55 66, FAR_JUMP",
    "32, 9A 11 22 33 44 55 66, FAR_CALL",
    "64, FF 28, FAR_JUMP",
    "64, 48 FF 18, FAR_CALL",
    "64, CB, FAR_RETURN",
    "64, CC, INTERRUPT",
    "64, CD 2E, INTERRUPT",
    "64, F1, INTERRUPT",
    "32, CE, INTERRUPT",
    "64, 48 CF, INTERRUPT_RETURN",
    "64, F3 0F 01 EC, INTERRUPT_RETURN",
    "64, 0F 05, SYSTEM_CALL",
    "32, 0F 34, SYSTEM_CALL",
    "64, 48 0F 07, SYSTEM_RETURN",
    "64, 0F 35, SYSTEM_RETURN",
    "64, F2 0F 01 CA, SYSTEM_RETURN",
    "64, F3 0F 01 CA, SYSTEM_RETURN",
    "64, 0F 01 C2, VM_ENTRY",
    "64, 0F 01 D8, VM_ENTRY",
    "64, 0F 01 C1, VM_EXIT",
    "64, 0F 01 D9, VM_EXIT",
    "64, C7 F8 00 00 00 00, TRANSACTION_BEGIN",
    "64, C6 F8 01, TRANSACTION_ABORT",
    "64, 0F 01 D5, TRANSACTION_END",
    "64, F3 48 0F AE E0, PTWRITE",
    "64, 0F 22 D8, MOV_CR3",
    "64, 0F C7 30, VMPTRLD",
    "64, 66 0F C7 30, NEXT",
    "64, F3 0F C7 30, NEXT",
    "64, 0F 20 D8, NEXT",
    "64, 0F 22 C0, NEXT",
    "64, 0F 0B, EXCEPTION",
    "64, 0F B9 C0, EXCEPTION",
    "64, 0F FF C0, EXCEPTION",
    "64, F4, NEXT"
  })
  void hasItsFlowClass(int bits, String hex, FlowClass expected) {
    Instruction instruction = decode(bits, hex);
    assertEquals(hex.length() / 3 + 1, instruction.length());
    assertEquals(expected, instruction.flowClass());
    assertEquals(expected == FlowClass.NEXT, instruction.isNext());
  }

  @ParameterizedTest
  @CsvSource({
    "64, EB FE, 1000, 1000",
    "64, E8 FB 0F 00 00, 1000, 2000",
    "64, 0F 85 FA FF FF FF, 1000, 1000",
    "64, E9 00 00 00 80, 0, ffffffff80000005",
    "64, 66 E8 00 00 00 00, 1000, 1006",
    "32, E9 00 00 00 80, 1000, 80001005",
    "32, EB FE, 0, 0",
    "32, 66 E9 FC FF, 12340000, 0",
    "16, E9 FD FF, FFF0, fff0",
    "16, EB 10, FFF0, 2",
    "64, C7 F8 0A 00 00 00, 1000, 1010",
    "64, 67 E3 05, 1000, 1008"
  })
  void knowsWhereARelativeBranchGoes(int bits, String hex, String address, String target) {
    long from = Long.parseUnsignedLong(address, 16);
    assertEquals(target, Long.toHexString(decode(bits, hex).branchTarget(from)));
  }

  @Test
  void hasNoTargetWithoutARelativeBranch() {
    Instruction indirect = decode(64, "FF E0");
    assertThrows(IllegalStateException.class, () -> indirect.branchTarget(0));
  }

  @ParameterizedTest
  @CsvSource({
    // mov dword [rip+disp32], imm32
    "64, C7 05 11 22 33 44 55 66 77 88, 1, 2, 4, 6, 4, true",
    // mov rax, [rip+disp32]
    "64, 48 8B 05 11 22 33 44, 2, 3, 4, -1, 0, true",
    // the same bytes are an absolute address in 32-bit code, after a DEC
    "32, 8B 05 11 22 33 44, 1, 2, 4, -1, 0, false",
    // mov eax, [rsp+8]
    "64, 8B 44 24 08, 1, 3, 1, -1, 0, false",
    // mov eax, [disp32] with a SIB byte without base
    "64, 8B 04 25 11 22 33 44, 1, 3, 4, -1, 0, false",
    "64, 48 83 EC 28, 2, -1, 0, 3, 1, false",
    "64, 48 B8 11 22 33 44 55 66 77 88, -1, -1, 0, 2, 8, false",
    "64, A1 11 22 33 44 55 66 77 88, -1, -1, 0, 1, 8, false",
    "64, 67 A1 11 22 33 44, -1, -1, 0, 2, 4, false",
    "64, C8 10 00 01, -1, -1, 0, 1, 3, false",
    "32, 67 8B 46 08, 2, 3, 1, -1, 0, false",
    "16, 8B 1E 34 12, 1, 2, 2, -1, 0, false",
    "64, C4 E3 7D 18 05 11 22 33 44 01, 4, 5, 4, 9, 1, true",
    "64, 62 F1 7C 48 58 40 01, 5, 6, 1, -1, 0, false",
    "64, 0F 0F 05 11 22 33 44 9E, 2, 3, 4, 7, 1, true",
    "64, 0F 20 05, 2, -1, 0, -1, 0, false",
    "64, 90, -1, -1, 0, -1, 0, false"
  })
  void knowsWhereItsPartsAre(
      int bits,
      String hex,
      int modRm,
      int displacement,
      int displacementSize,
      int immediate,
      int immediateSize,
      boolean ripRelative) {
    Instruction instruction = decode(bits, hex);
    assertEquals(hex.length() / 3 + 1, instruction.length());
    assertEquals(modRm, instruction.modRmOffset());
    assertEquals(displacement, instruction.displacementOffset());
    assertEquals(displacementSize, instruction.displacementSize());
    assertEquals(immediate, instruction.immediateOffset());
    assertEquals(immediateSize, instruction.immediateSize());
    assertEquals(ripRelative, instruction.isRipRelative());
  }

  @ParameterizedTest
  @CsvSource({
    "64, 89 C0, 32, 64",
    "64, 48 89 C0, 64, 64",
    "64, 66 89 C0, 16, 64",
    "64, 66 48 89 C0, 64, 64",
    "64, 48 66 89 C0, 16, 64",
    "64, 50, 64, 64",
    "64, 66 50, 16, 64",
    "64, 66 E8 00 00 00 00, 64, 64",
    "64, 67 8B 00, 32, 32",
    "32, 89 C0, 32, 32",
    "32, 66 67 89 00, 16, 16",
    "16, 89 C0, 16, 16",
    "16, 66 67 89 00, 32, 32"
  })
  void knowsItsSizes(int bits, String hex, int operandSize, int addressSize) {
    Instruction instruction = decode(bits, hex);
    assertEquals(hex.length() / 3 + 1, instruction.length());
    assertEquals(operandSize, instruction.operandSize());
    assertEquals(addressSize, instruction.addressSize());
  }

  @ParameterizedTest
  @CsvSource({
    "64, 48 B8 11 22, ENDS_EARLY",
    "64, 66, ENDS_EARLY",
    "64, 0F, ENDS_EARLY",
    "64, FF, ENDS_EARLY",
    "64, 62 F1, ENDS_EARLY",
    "64, 66 66 66 66 66 66 66 66 66 66 66 66 66 66 66 90, TOO_LONG",
    "64, 2E 2E 2E 2E 2E 2E 2E 2E 2E 2E 2E B8 11 22 33 44, TOO_LONG",
    "64, 0F 04, NO_SUCH_OPCODE",
    "32, 0F B8 C0, NO_SUCH_OPCODE",
    "64, 06, NOT_IN_64_BIT",
    "64, CE, NOT_IN_64_BIT",
    "32, F3 0F AE C0, NEEDS_64_BIT",
    "64, 0F FF, ENDS_EARLY",
    "64, 0F 38 F0 C0, NEEDS_MEMORY",
    "64, 0F F7 00, NEEDS_REGISTER",
    "64, F0 89 C0, LOCK",
    "64, F0 8B 00, LOCK",
    "64, 66 C5 F8 58 C0, PREFIX_BEFORE_VECTOR",
    "64, 48 C5 F8 58 C0, PREFIX_BEFORE_VECTOR",
    "64, C5 F0 28 C1, REGISTER",
    "64, C4 E2 71 92 C0, NEEDS_MEMORY",
    "64, C4 E2 71 92 00, NEEDS_SIB",
    "64, C4 E2 79 92 04 00, SAME_REGISTER",
    "64, 62 F1 7C C8 58 C0, MASK",
    "64, C4 FF 78 58 C0, RESERVED_BITS",
    "32, 62 F9 7C 48 58 C0, RESERVED_BITS",
    "64, D5 00 89 C0, APX",
    "64, 62 F4 7C 08 01 C0, APX"
  })
  void saysWhyItIsNone(int bits, String hex, DecodeError expected) {
    Instruction instruction = decode(bits, hex);
    assertEquals(0, instruction.length());
    assertFalse(instruction.isValid());
    assertEquals(Optional.of(expected), instruction.refusal());
    assertEquals(FlowClass.EXCEPTION, instruction.flowClass());
  }

  @ParameterizedTest
  @CsvSource({
    "66 E8 00 00 00 00, 6, 4",
    "66 0F 84 00 00 00 00, 7, 5",
    "48 FF 28, 3, 3",
    "0F FF C0, 3, 2",
    "F0 0F 20 C0, 0, 4"
  })
  void vendorsReadSomeBytesDifferently(String hex, int intel, int amd) {
    byte[] code = HexFormat.ofDelimiter(" ").parseHex(hex);
    Bytes bytes = Bytes.copyOf(code, hex);
    Instruction instruction = new Instruction();
    InstructionDecoder forIntel = InstructionDecoder.of(CodeSize.BITS64, CpuVendor.INTEL);
    InstructionDecoder forAmd = InstructionDecoder.of(CodeSize.BITS64, CpuVendor.AMD);
    assertEquals(intel, forIntel.decode(bytes, 0, code.length, instruction));
    assertEquals(amd, forAmd.decode(bytes, 0, code.length, instruction));
  }

  @Test
  void aDecoderReadsNoFurtherThanItsLimit() {
    Bytes bytes = Bytes.copyOf(HexFormat.of().parseHex("90b811223344"), "code");
    InstructionDecoder decoder = InstructionDecoder.of(CodeSize.BITS64);
    Instruction instruction = new Instruction();
    assertEquals(0, decoder.decode(bytes, 1, 5, instruction));
    assertEquals(Optional.of(DecodeError.ENDS_EARLY), instruction.refusal());
    assertEquals(5, decoder.decode(bytes, 1, 6, instruction));
    assertEquals(0, decoder.decode(bytes, 6, 6, instruction));
    assertTrue(instruction.refusal().isPresent());
  }

  private static Instruction decode(int bits, String hex) {
    byte[] code = HexFormat.ofDelimiter(" ").parseHex(hex);
    Instruction instruction = new Instruction();
    InstructionDecoder.of(CodeSize.valueOf("BITS" + bits))
        .decode(Bytes.copyOf(code, hex), 0, code.length, instruction);
    return instruction;
  }
}
