package io.ntrail.live.code.ia32;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.live.code.TlsSlots;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.InstructionDecoder;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Instructions of slots that record calls: none changes flags, x87 or vector registers. */
class SlotInstructionsTest {
  /**
   * Opcodes of push, pop, mov, lea, cdq, not, jecxz, jmp, call, ret; rdtsc, movzx begin with 0F.
   */
  private static final Set<Integer> ALLOWED =
      Set.of(
          0x50, 0x51, 0x58, 0x59, 0x89, 0x8B, 0x8D, 0x99, 0xA1, 0xA3, 0xB8, 0xB9, 0xC3, 0xC7, 0xE3,
          0xE9, 0xEB, 0xF7, 0xFF, 0x0F31, 0x0FB7);

  @ParameterizedTest
  @CsvSource({"32, false", "64, false", "128, false", "32, true", "128, true"})
  void changeNoFlag(int record, boolean samples) {
    SlotCode32.Assembled slot =
        SlotCode32.assemble(
            TlsOffsets32.of(new TlsSlots(1, 2)), record, new RuntimeCells(0x2000_0000L), samples);
    byte[] bytes = slot.bytes(0x2008_0000L, 7);
    assertTrue(bytes.length <= AreaLayout32.STRIDE);
    Bytes code = Bytes.copyOf(bytes, "slot");
    InstructionDecoder decoder = InstructionDecoder.of(CodeSize.BITS32);
    Instruction instruction = new Instruction();
    Set<Integer> found = new TreeSet<>();
    for (int at = 0; at < bytes.length; at += instruction.length()) {
      decoder.decode(code, at, bytes.length, instruction);
      int opcode = at + (bytes[at] == 0x64 ? 1 : 0);
      int first = bytes[opcode] & 0xFF;
      found.add(first == 0x0F ? first << 8 | bytes[opcode + 1] & 0xFF : first);
      if (first == 0xF7) {
        assertEquals(2, bytes[opcode + 1] >> 3 & 7, "NOT is the only one of its group");
      }
      if (first == 0xFF) {
        assertEquals(0, bytes[opcode + 1] >> 3 & 1, "neither INC nor DEC: CALL, JMP, PUSH");
        assertTrue((bytes[opcode + 1] >> 3 & 7) >= 2);
      }
    }
    found.removeAll(ALLOWED);
    assertEquals(Set.of(), found);
    byte[] other = slot.bytes(0x2008_0000L, 8);
    assertTrue(!Arrays.equals(bytes, other), "each slot has its own addresses");
  }
}
