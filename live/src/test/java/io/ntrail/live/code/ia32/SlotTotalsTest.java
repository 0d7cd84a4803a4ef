package io.ntrail.live.code.ia32;

import static io.ntrail.programs.x86.asm.operands.Mem.absolute;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDI;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESP;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.live.code.CallDetail;
import io.ntrail.live.code.CallTables;
import io.ntrail.live.code.ia32.TracedMachine.Settings;
import io.ntrail.programs.x86.asm.AssembledCode;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.testkit.unicorn.UnicornMachine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Calls that are added up in the target, and functions whose calls are counted only. */
class SlotTotalsTest {
  private static final long DATA = TracedMachine.PROGRAM + 0x8000;

  @TempDir Path folder;

  private final Assembler a = Assembler.ia32();
  private final Label outer = a.label("outer");
  private final Label inner = a.label("inner");
  private final Label begin = a.label("begin");

  private TracedMachine run(UnicornMachine machine, Settings settings, TracedMachine.Change change)
      throws IOException {
    AssembledCode program = a.assemble();
    return TracedMachine.same(
        machine,
        settings,
        program,
        program.offset(begin),
        change,
        program.offset(outer),
        program.offset(inner));
  }

  private UnicornMachine machine() throws IOException {
    Optional<UnicornMachine> made = UnicornMachine.in(folder, 32);
    assumeTrue(made.isPresent(), UnicornMachine.MISSING);
    return made.get();
  }

  private static Settings settings(CallDetail detail) {
    CallTables sized = CallTables.of(detail, 0, 1, Integer.BYTES);
    CallTables tables = new CallTables(detail, 0x10_0000, 1, sized.rows());
    return new Settings(32, 2, 1, tables, false);
  }

  private static Bytes row(TracedMachine its, CallTables tables, int row) throws IOException {
    return Bytes.copyOf(
        its.machine()
            .read(TracedMachine.CONTROL + tables.at() + tables.row(row), tables.rowBytes()),
        "row");
  }

  /** Outer calls inner five times in each of seven calls; three long jumps leave both. */
  private void program() {
    Label loop = a.label();
    Label again = a.label();
    Label out = a.label();
    Label landed = a.label();
    Label jumps = a.label();
    a.nop(5).bind(outer).mov(EDI, EDI).mov(ECX, 5).bind(loop).push(ECX).call(inner).pop(ECX);
    a.dec(ECX).jnz(loop).ret(4);
    a.nop(5).bind(inner).mov(EDI, EDI).cmp(EBX, 100).jae(out).stc().ret();
    a.bind(out).mov(ESP, absolute(DATA)).jmp(landed);
    a.bind(begin).mov(EBX, 7).bind(again).push(1).call(outer).dec(EBX).jnz(again);
    a.mov(EBX, 102);
    a.bind(jumps).mov(absolute(DATA), ESP).push(1).call(outer).bind(landed).dec(EBX);
    a.cmp(EBX, 100).jae(jumps).mov(EBX, 1).push(EAX).call(outer).ret();
  }

  @Test
  void callsExitsAndThoseThatWereLeftAddUp() throws IOException {
    program();
    try (UnicornMachine machine = machine()) {
      Settings settings = settings(CallDetail.TIMES);
      TracedMachine its = run(machine, settings, _ -> {});
      Bytes one = row(its, settings.tables(), 0);
      Bytes two = row(its, settings.tables(), 1);
      assertEquals(11, one.i64(CallTables.CALLS));
      assertEquals(8, one.i64(CallTables.EXITS));
      assertEquals(3, one.i64(CallTables.ABANDONED));
      assertEquals(43, two.i64(CallTables.CALLS));
      assertEquals(40, two.i64(CallTables.EXITS));
      assertEquals(3, two.i64(CallTables.ABANDONED));
      long total = one.i64(CallTables.TOTAL);
      assertEquals(total - two.i64(CallTables.TOTAL), one.i64(CallTables.SELF));
      assertEquals(two.i64(CallTables.TOTAL), two.i64(CallTables.SELF));
      long shortest = ~one.i64(CallTables.SHORTEST);
      long longest = one.i64(CallTables.LONGEST);
      assertTrue(shortest > 0 && shortest <= longest && longest <= total);
      assertTrue(8 * shortest <= total && total <= 8 * longest);
      long sum = 0;
      for (int i = 0; i < CallTables.BUCKETS; i++) {
        long count = one.i64(CallTables.HISTOGRAM + 8 * i);
        sum += count;
        assertTrue(count == 0 || i >= 63 - Long.numberOfLeadingZeros(shortest));
        assertTrue(count == 0 || i <= 63 - Long.numberOfLeadingZeros(longest));
      }
      assertEquals(8, sum);
    }
  }

  @Test
  void callsThatAreOnlyCountedTouchNoSlot() throws IOException {
    program();
    try (UnicornMachine machine = machine()) {
      Settings settings = settings(CallDetail.COUNTS);
      TracedMachine its = run(machine, settings, _ -> {});
      assertEquals(11, row(its, settings.tables(), 0).i64(CallTables.CALLS));
      assertEquals(43, row(its, settings.tables(), 1).i64(CallTables.CALLS));
      assertEquals(0, its.u32(TracedMachine.area(0) + AreaLayout32.data(0) + AreaLayout32.KEY));
    }
  }

  @Test
  void throttledFunctionIsCountedInItsCell() throws IOException {
    program();
    try (UnicornMachine machine = machine()) {
      Settings settings = new Settings(32, 4, 1, CallTables.NONE, true);
      TracedMachine its =
          run(
              machine,
              settings,
              change -> {
                // The inner function's, one call before its low half is 0.
                change.u32(TracedMachine.CELLS + 64, 0xFFFF_FFFFL);
              });
      assertEquals(42, its.u32(TracedMachine.CELLS + 64));
      assertEquals(1, its.u32(TracedMachine.CELLS + 68));
      assertEquals(0, its.u32(TracedMachine.CELLS));
      assertEquals(11 + 8, its.records().size());
    }
  }
}
