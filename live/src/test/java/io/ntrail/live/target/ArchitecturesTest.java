package io.ntrail.live.target;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.live.windows.ProcessMachines;
import org.junit.jupiter.api.Test;

/** Programs of each machine type beside agents of each, as systems report them. */
class ArchitecturesTest {
  private static final int X64 = MachineType.AMD64;
  private static final int X86 = MachineType.I386;
  private static final int NATIVE = 0;

  private static String refused(int process, int system, int agent) {
    CannotGoOn refused =
        assertThrows(
            CannotGoOn.class,
            () -> Architectures.check("it.exe (4)", new ProcessMachines(process, system), agent));
    assertEquals(CannotGoOn.Reason.NOT_POSSIBLE, refused.reason());
    return refused.message();
  }

  @Test
  void agentsOpenProgramsOfTheirOwnKind() {
    assertDoesNotThrow(() -> {
      Architectures.check("it", new ProcessMachines(NATIVE, X64), X64);
      Architectures.check("it", new ProcessMachines(X86, X64), X86);
      Architectures.check("it", new ProcessMachines(NATIVE, X86), X86);
    });
  }

  @Test
  void agentsDoNotOpenProgramsOfTheOtherKind() {
    assertEquals("it.exe (4) is not an x64 program (x86)", refused(X86, X64, X64));
    assertEquals("it.exe (4) is not an x86 program (x64)", refused(NATIVE, X64, X86));
  }

  @Test
  void emulatedProgramsOfOtherSystemsAreRefused() {
    assertTrue(refused(X86, MachineType.ARM64, X86).contains("runs on arm64"));
    assertTrue(refused(NATIVE, MachineType.ARM64, X64).contains("runs on arm64"));
    assertTrue(refused(MachineType.ARMNT, X64, X64).contains("(arm)"));
  }
}
