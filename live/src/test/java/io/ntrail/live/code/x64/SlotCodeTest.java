package io.ntrail.live.code.x64;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.live.code.TlsSlots;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.Instruction;
import io.ntrail.programs.x86.InstructionDecoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Code of slots: every slot reaches its own data, and the same fields of its area. */
class SlotCodeTest {
  private static final TlsOffsets WORDS = TlsOffsets.of(new TlsSlots(1, 2));
  private static final Set<Integer> AREA =
      Set.of(
          AreaLayout.NEGATED_BASE,
          AreaLayout.data(AreaLayout.SLOTS) + AreaLayout.SLOW,
          AreaLayout.COUNTDOWN);

  /** Targets in the area of all operands relative to the instruction pointer, by a slot's code. */
  private static List<Integer> targets(SlotCode.Assembled assembled, int slot) {
    Bytes code = Bytes.copyOf(assembled.bytes(slot), "slot");
    InstructionDecoder decoder = InstructionDecoder.of(CodeSize.BITS64);
    Instruction instruction = new Instruction();
    List<Integer> targets = new ArrayList<>();
    for (int at = 0; at < code.length(); at += instruction.length()) {
      decoder.decode(code, at, code.length(), instruction);
      if (instruction.isRipRelative()) {
        int end = at + instruction.length();
        int displacement = code.i32(at + instruction.displacementOffset());
        targets.add(AreaLayout.code(slot) + end + displacement);
      }
    }
    return targets;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 100, AreaLayout.SLOTS - 1})
  void operandsLeadToFieldsOfTheAreaOrToTheSlotsOwnData(int slot) {
    SlotCode.Assembled assembled = SlotCode.assemble(WORDS, 32, true);
    Set<Integer> fields = new TreeSet<>();
    for (int target : targets(assembled, slot)) {
      if (AREA.contains(target)) {
        fields.add(target);
      } else {
        int from = target - AreaLayout.code(slot);
        boolean isCode = from >= -AreaLayout.STRIDE && from <= AreaLayout.STRIDE;
        boolean isData =
            from >= AreaLayout.DELTA - AreaLayout.STRIDE
                && from < AreaLayout.DELTA + AreaLayout.STRIDE;
        assertTrue(isCode || isData, () -> "slot " + slot + " leads to " + target);
      }
    }
    assertEquals(new TreeSet<>(AREA), fields);
  }

  @Test
  void slotsThatSampleNothingDoNotCountDown() {
    SlotCode.Assembled assembled = SlotCode.assemble(WORDS, 32, false);
    assertEquals(2, assembled.areaFields().size());
    assertFalse(targets(assembled, 7).contains(AreaLayout.COUNTDOWN));
  }
}
