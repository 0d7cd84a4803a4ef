package io.ntrail.programs.x86;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ntrail.formats.bytes.Bytes;
import java.util.Optional;

/**
 * Arbitrary bytes as code: the first chooses what kind of code, the others are decoded from every
 * place on.
 */
class InstructionFuzzTest {
  @FuzzTest(maxDuration = "130s")
  void decode(byte[] data) {
    if (data.length == 0) {
      return;
    }
    CodeSize size = CodeSize.values()[(data[0] & 0xFF) % CodeSize.values().length];
    CpuVendor vendor = CpuVendor.values()[data[0] >>> 7 & 1];
    InstructionDecoder decoder = InstructionDecoder.of(size, vendor);
    Bytes bytes = Bytes.copyOf(data, "fuzz");
    Instruction instruction = new Instruction();
    for (int at = 1; at < data.length; at++) {
      int length = decoder.decode(bytes, at, data.length, instruction);
      assertEquals(length, instruction.length());
      assertTrue(length >= 0 && length <= InstructionDecoder.LONGEST);
      assertTrue(length <= data.length - at);
      assertEquals(length == 0, instruction.refusal().isPresent());
      assertTrue(!instruction.toString().isEmpty());
      if (length > 0) {
        parts(instruction, length);
        shorter(decoder, bytes, at, instruction);
      }
    }
  }

  private static void parts(Instruction instruction, int length) {
    int modRm = instruction.modRmOffset();
    int displacement = instruction.displacementOffset();
    int immediate = instruction.immediateOffset();
    assertTrue(modRm < length && (modRm >= 1 || modRm == -1));
    assertTrue(displacement == -1 || displacement > modRm && modRm > 0);
    assertTrue(displacement + instruction.displacementSize() <= length);
    assertTrue(immediate + instruction.immediateSize() <= length);
    assertTrue(immediate == -1 || immediate > Math.max(modRm, displacement));
    assertTrue(!instruction.isRipRelative() || instruction.displacementSize() == 4);
    if (instruction.flowClass().hasTarget()) {
      instruction.branchTarget(0x1000);
    }
  }

  /** With its own bytes alone it is the same; with one less it ends early. */
  private static void shorter(
      InstructionDecoder decoder, Bytes bytes, int at, Instruction instruction) {
    Instruction again = new Instruction();
    int length = instruction.length();
    assertEquals(length, decoder.decode(bytes, at, at + length, again));
    assertEquals(instruction.toString(), again.toString());
    assertEquals(0, decoder.decode(bytes, at, at + length - 1, again));
    assertEquals(Optional.of(DecodeError.ENDS_EARLY), again.refusal());
  }
}
