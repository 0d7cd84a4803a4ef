package io.ntrail.programs.unwind.x64;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.LayeredSpace;
import io.ntrail.programs.memory.SpacePiece;
import io.ntrail.programs.unwind.FrameRegisters;
import io.ntrail.programs.unwind.LoadedModules;
import io.ntrail.programs.unwind.StackWalk;
import io.ntrail.programs.unwind.x64.RegisteredFunctions.Table;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Code at a base of its own, with unwind information in three places of memory. */
class RegisteredFunctionsTest {
  private static final long BASE = 0x200_0000_0000L;
  private static final RuntimeFunction PUSHES = RuntimeFunction.of(0, 0x1000, 0x1040, 0x8000);
  private static final RuntimeFunction PART = RuntimeFunction.of(0, 0x2000, 0x2040, 0x9000);
  private static final RuntimeFunction INDIRECT = RuntimeFunction.of(0, 0x3000, 0x3040, 0xA001);

  private static SpacePiece piece(long rva, String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
    return SpacePiece.of(BASE + rva, "memory", bytes);
  }

  private static AddressSpace memory() {
    return new LayeredSpace(
        "memory",
        List.of(
            SpacePiece.filled(BASE + 0x1000, "code", 0x3000, 0x90),
            // push rbx; its part saves rsi at 10h and is chained to it.
            piece(0x8000, "01 01 01 00 0130 0000"),
            piece(0x9000, "21 04 02 00 0464 0200 00100000 40100000 00800000"),
            piece(0xA000, "00300000 40300000 00800000"),
            piece(0x10_0000, "00".repeat(8) + "07" + "00".repeat(7) + "09" + "00".repeat(7))));
  }

  private static RegisteredFunctions tables(RuntimeFunction... entries) {
    return new RegisteredFunctions(
        List.of(
            new Table(BASE, BASE + 0x100, BASE, List::of),
            new Table(BASE + 0x1000, BASE + 0x4000, BASE, () -> List.of(entries))),
        memory());
  }

  private static String unwound(RegisteredFunctions tables, long rva) {
    FrameRegisters registers = FrameRegisters.x64();
    registers.setIp(BASE + rva);
    registers.setSp(BASE + 0x10_0000);
    VirtualUnwinder unwinder =
        new VirtualUnwinder(
            memory(), LoadedModules.of(List.of()), tables, WindowsBehavior.newest());
    UnwindStep step = unwinder.unwind(registers, new StackMemory(memory()));
    return step instanceof UnwindStep.Failed failed
        ? failed.end() + " " + failed.why()
        : "rbx %x rsi %x ip %x"
            .formatted(
                registers.get(FrameRegisters.BX), registers.get(FrameRegisters.SI), registers.ip());
  }

  @Test
  void unwindInformationIsReadFromMemory() {
    assertEquals("rbx 0 rsi 0 ip 7", unwound(tables(PART, PUSHES), 0x1020));
  }

  @Test
  void chainsAndIndirectEntriesLeadToOtherMemory() {
    assertEquals("rbx 0 rsi 9 ip 7", unwound(tables(INDIRECT, PART, PUSHES), 0x2020));
    assertEquals("rbx 0 rsi 0 ip 7", unwound(tables(INDIRECT, PART, PUSHES), 0x3020));
  }

  @Test
  void onlyAddressesInTheRangeOfATableAndOfAnEntryAreFound() {
    RegisteredFunctions tables = tables(PUSHES, PART);
    assertTrue(tables.find(BASE + 0x103F).isPresent());
    assertEquals(Optional.empty(), tables.find(BASE + 0x1040));
    assertEquals(Optional.empty(), tables.find(BASE + 0xFFF));
    assertEquals(Optional.empty(), tables.find(BASE + 0x50));
  }

  @Test
  void unwindInformationThatMemoryLacksIsSaid() {
    RuntimeFunction lost = RuntimeFunction.of(0, 0x1000, 0x1040, 0xB000);
    String told = unwound(tables(lost), 0x1020);
    assertTrue(told.startsWith(StackWalk.End.DAMAGED.toString()), told);
    assertTrue(told.contains("0xb000"), told);
  }
}
