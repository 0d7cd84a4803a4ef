package io.ntrail.live.code.ia32;

import static io.ntrail.programs.x86.asm.operands.Mem.absolute;
import static io.ntrail.programs.x86.asm.operands.Mem.fs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBP;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDI;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESP;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.code.SessionLayout;
import io.ntrail.live.code.TracedCode;
import io.ntrail.live.code.UnwindProbes;
import io.ntrail.live.code.UnwindProbes.Unwinder;
import io.ntrail.live.code.ia32.TracedMachine.Record;
import io.ntrail.live.code.ia32.TracedMachine.Settings;
import io.ntrail.programs.x86.asm.AssembledCode;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.testkit.unicorn.UnicornMachine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Probes of functions that leave frames, run by Unicorn. */
class UnwindProbeTest {
  private static final long DATA = TracedMachine.PROGRAM + 0x8000;
  private static final long PROBE = TracedMachine.STUBS + 0x8000;
  private static final long TARGET = TracedMachine.STACK_BASE - 0x120;

  /** A frame of the program's caller, above which the stack ends. */
  private static final long FRAME = TracedMachine.STACK_BASE - 0x20;

  /** Codes of two exceptions. */
  private static final long EXCEPTION = FRAME + 8;

  /** Another frame, and registrations below that frame. */
  private static final long OUTER = FRAME - 0x10;

  private static final long INNER = FRAME - 0x40;
  private static final long INNERMOST = FRAME - 0x70;
  private static final long LAST = 0xFFFF_FFFFL;

  /** The bytes that a jump of five bytes overwrites: three instructions. */
  private static final int UNIT = 9;

  @TempDir Path folder;

  private List<Record> records = List.of();
  private final Assembler a = Assembler.ia32();
  private final Label traced = a.label("traced");
  private final Label unwinder = a.label("unwinder");
  private final Label begin = a.label("begin");

  private void run(Unwinder which) throws IOException {
    Optional<UnicornMachine> made = UnicornMachine.in(folder, 32);
    assumeTrue(made.isPresent(), UnicornMachine.MISSING);
    AssembledCode program = a.assemble();
    int at = program.offset(unwinder);
    long function = TracedMachine.PROGRAM + at;
    try (UnicornMachine machine = made.get()) {
      TracedMachine its =
          TracedMachine.same(
              machine,
              Settings.records(32),
              program,
              program.offset(begin),
              change -> {
                UnwindProbes probes = change.session().unwindProbes().orElseThrow();
                byte[] unit = machine.read(function, UNIT);
                TracedCode code = new TracedCode(function, unit, List.of(), new int[0], 0, false);
                byte[] bytes = probes.code(which, code, PROBE).bytes();
                assertTrue(bytes.length <= probes.most());
                machine.write(PROBE, bytes);
                int distance = (int) (PROBE - function - 5);
                machine.write(function, new BytesBuilder(5).u8(0xE9).u32(distance).toArray());
                change.probe(function, UNIT);
              },
              program.offset(traced));
      records = its.records();
      assertEquals(0, its.control(SessionLayout.AT_LOST));
    }
  }

  /** An unwinder begins as Wine's RtlUnwind: push ebp; mov ebp, esp; lea esp, [esp - n]. */
  private void unwinder(Runnable rest) {
    a.bind(unwinder).push(EBP).mov(EBP, ESP).lea(ESP, ptr(ESP).plus(-16)).nop(2);
    rest.run();
  }

  private void traced(long argument) {
    a.nop(5).bind(traced).mov(EDI, EDI).push(4);
    a.push(absolute(DATA).as32()).push(3).push(argument).stc().call(unwinder).ret();
  }

  @Test
  void unwindOfAnExceptionHasItsCodeAndTheTargetFrame() throws IOException {
    traced(TARGET);
    unwinder(() -> a.pushfd().pop(EDX).mov(ESP, EBP).pop(EBP).ret(16));
    a.bind(begin)
        .mov(absolute(DATA).as32(), DATA + 16)
        .mov(absolute(DATA + 16).as32(), 0xC000_0005L)
        .call(traced)
        .mov(absolute(DATA).as32(), 0)
        .call(traced)
        .ret();
    run(Unwinder.RTL_UNWIND);
    List<Integer> kinds = records.stream().map(Record::kind).toList();
    int in = SessionLayout.ENTRY;
    int out = SessionLayout.EXIT;
    int target = SessionLayout.UNWIND_TARGET;
    assertEquals(List.of(in, target, out, in, target, out), kinds);
    Record first = records.get(1);
    assertEquals(0xC000_0005L, first.value());
    assertEquals(TARGET, first.keyAddress());
    assertEquals(1, first.slot(), "the frame of slot 0 is open");
    // The return address lies below four arguments, below the return address of the traced one.
    assertEquals(records.getFirst().keyAddress() - 4 - 20, first.keyHigh());
    assertEquals(0xC000_0027L, records.get(4).value(), "there is no exception");
  }

  /** Writes the system's registration of a handler that runs. */
  private void handling(long at, long next, long frame, long exception) {
    a.mov(absolute(at).as32(), next).mov(absolute(at + 8).as32(), frame);
    a.mov(absolute(at - 12).as32(), frame).mov(absolute(at - 16).as32(), exception);
  }

  /** Unwinds to the frame without an exception. */
  private void unwind(long innermost) {
    a.mov(fs(0).as32(), innermost).call(traced);
  }

  private List<Long> codes() {
    return records.stream()
        .filter(r -> r.kind() == SessionLayout.UNWIND_TARGET)
        .map(Record::value)
        .toList();
  }

  private void unwindsToTheFrame() {
    traced(FRAME);
    unwinder(() -> a.mov(ESP, EBP).pop(EBP).ret(16));
    a.bind(begin).mov(absolute(DATA).as32(), 0);
    a.mov(absolute(EXCEPTION).as32(), 0xC000_0094L);
    a.mov(absolute(EXCEPTION + 4).as32(), 0xE000_1003L);
  }

  @Test
  void unwindThatNamesNoExceptionHasTheCodeOfTheOneItsHandlerWasCalledFor() throws IOException {
    unwindsToTheFrame();
    handling(INNER, LAST, FRAME, EXCEPTION + 4);
    unwind(INNER);
    // Of two that reached the handler of the frame, the second is handled.
    handling(INNER, LAST, FRAME, FRAME + 4);
    a.mov(absolute(FRAME + 4).as32(), 0xC000_0005L);
    handling(INNERMOST, INNER, FRAME, EXCEPTION);
    unwind(INNERMOST);
    // A handler of another frame has called this one's, for the first.
    handling(INNERMOST, INNER, OUTER, EXCEPTION);
    unwind(INNERMOST);
    a.ret();
    run(Unwinder.RTL_UNWIND);
    assertEquals(List.of(0xE000_1003L, 0xC000_0094L, 0xC000_0005L), codes());
  }

  @Test
  void unwindWithoutAnExceptionHasNoCodeOfOneThatAnotherFrameHandles() throws IOException {
    unwindsToTheFrame();
    unwind(LAST);
    unwind(0);
    handling(INNER, LAST, OUTER, EXCEPTION);
    unwind(INNER);
    // A registration of the program's own: what lies in front of it is something else.
    handling(INNER, LAST, FRAME, EXCEPTION);
    a.mov(absolute(INNER - 12).as32(), OUTER);
    unwind(INNER);
    handling(INNER, LAST, FRAME, 0x10);
    unwind(INNER);
    handling(INNER, LAST, FRAME, EXCEPTION + 2);
    unwind(INNER);
    handling(INNER, INNERMOST, OUTER, EXCEPTION);
    handling(INNERMOST, INNER, OUTER, EXCEPTION);
    unwind(INNERMOST);
    handling(INNER, LAST, FRAME, EXCEPTION);
    unwind(INNER + 1);
    unwind(0x6666_6664L);
    a.ret();
    run(Unwinder.RTL_UNWIND);
    assertEquals(Collections.nCopies(9, 0xC000_0027L), codes());
  }

  @Test
  void longJumpGoesToAboveTheCallOfSetjmp() throws IOException {
    long buffer = DATA + 0x40;
    traced(buffer);
    Label landed = a.label();
    // The frame of the unwinder is left to the kept stack pointer.
    unwinder(() -> a.mov(ECX, ptr(EBP).plus(8)).mov(ESP, ptr(ECX).plus(16)).jmp(landed));
    // What setjmp keeps: the stack pointer at its entry, below two arguments. What its caller calls
    // without arguments has its return address above that.
    a.bind(begin).lea(EBX, ptr(ESP).plus(-12)).mov(absolute(buffer + 16), EBX);
    a.call(traced).bind(landed).lea(ESP, ptr(ESP).plus(12));
    a.mov(EAX, 1).ret();
    run(Unwinder.LONGJMP);
    assertEquals(
        List.of(SessionLayout.ENTRY, SessionLayout.UNWIND_TARGET),
        records.stream().map(Record::kind).toList());
    assertEquals(0x8000_0026L, records.get(1).value());
    assertEquals(TracedMachine.STACK_BASE - 0x100, records.get(1).keyAddress());
    assertEquals(records.get(0).keyAddress(), records.get(1).keyAddress());
  }

  @Test
  void recordAtTheEndOfAChunkBeginsAnother() throws IOException {
    traced(TARGET);
    Label loop = a.label();
    unwinder(() -> a.mov(ESP, EBP).pop(EBP).ret(16));
    a.bind(begin).mov(EBX, 1500).bind(loop).call(traced).dec(EBX).jnz(loop).ret();
    run(Unwinder.RTL_UNWIND);
    assertEquals(4500, records.size());
    assertEquals(
        1500, records.stream().filter(r -> r.kind() == SessionLayout.UNWIND_TARGET).count());
  }
}
