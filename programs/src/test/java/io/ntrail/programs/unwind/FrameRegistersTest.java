package io.ntrail.programs.unwind;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class FrameRegistersTest {
  @Test
  void registersAreUnknownUntilTheyAreSet() {
    FrameRegisters registers = FrameRegisters.x64();
    assertFalse(registers.isKnown(FrameRegisters.BX));
    registers.set(FrameRegisters.BX, -1);
    registers.setVector(6, 1, 2);
    assertTrue(registers.isKnown(FrameRegisters.BX));
    assertEquals(2, registers.vectorHigh(6));
    registers.forget(FrameRegisters.BX);
    registers.forgetVector(6);
    assertFalse(registers.isKnown(FrameRegisters.BX) || registers.isVectorKnown(6));
    assertEquals(FrameRegisters.x64(), registers);
  }

  @Test
  void registersOf32BitsAreZeroExtended() {
    FrameRegisters registers = FrameRegisters.x86();
    registers.setIp(-1);
    registers.set(FrameRegisters.BP, -2);
    assertEquals(0xFFFF_FFFFL, registers.ip());
    assertEquals(0xFFFF_FFFEL, registers.get(FrameRegisters.BP));
  }

  @Test
  void aCopyDoesNotChangeWithItsOrigin() {
    FrameRegisters registers = FrameRegisters.x64();
    registers.setSp(16);
    FrameRegisters copy = registers.copy();
    registers.setSp(24);
    assertEquals(16, copy.sp());
    assertNotEquals(registers, copy);
    copy.set(registers);
    assertEquals(registers, copy);
  }
}
