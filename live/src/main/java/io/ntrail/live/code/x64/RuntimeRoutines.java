package io.ntrail.live.code.x64;

import static io.ntrail.programs.x86.asm.operands.Mem.gs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg64.R10;
import static io.ntrail.programs.x86.asm.operands.Reg64.R11;
import static io.ntrail.programs.x86.asm.operands.Reg64.R8;
import static io.ntrail.programs.x86.asm.operands.Reg64.R9;
import static io.ntrail.programs.x86.asm.operands.Reg64.RAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RCX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RDX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSP;

import io.ntrail.live.code.CallDetail;
import io.ntrail.live.code.CallTables;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Mem;

/**
 * Routines of a runtime block. Those that stubs and slots jump to have a frame in common: seven
 * words above the two that the stub pushed.
 */
abstract class RuntimeRoutines {
  /** Number of words that routines push which were jumped to. */
  static final int PUSHED = 7;

  static final int STUB_PUSHED = 2;

  /** Distance from the stack pointer of such a routine to S + 8. */
  static final int TO_KEY = 8 * (PUSHED + STUB_PUSHED + 1);

  /** Distance from the stack pointer of such a routine to the saved rdx. */
  static final int TO_RDX = 8 * (PUSHED - 2);

  final RoutineContext parts;
  final Assembler a;
  final long control;
  final TlsOffsets words;
  final int record;

  RuntimeRoutines(RoutineContext parts) {
    this.parts = parts;
    this.a = parts.assembler();
    this.control = parts.control();
    this.words = parts.words();
    this.record = parts.record();
  }

  static UnwindBytes pushed(int words) {
    return words == 0 ? UnwindBytes.NONE : UnwindBytes.pushed(words);
  }

  static Mem control(int field) {
    return ptr(R10).plus(field);
  }

  // The frame of routines that are jumped to: seven words, rax the last.

  final Label enter(Label begin, int before) {
    a.bind(begin).pushfq().push(RDX).push(R8).push(R9).push(R10).push(R11).push(RAX);
    Label end = a.label();
    parts.add(begin, end, UnwindBytes.prologue(before, 1, 2, 4, 6, 8, 10, 11));
    return end;
  }

  /**
   * Restores everything except rcx, which holds the destination, and ends the range of {@link
   * #enter}.
   */
  final void leave(Label end) {
    a.mov(R11, ptr(RSP).plus(8))
        .mov(R10, ptr(RSP).plus(16))
        .mov(R9, ptr(RSP).plus(24))
        .mov(R8, ptr(RSP).plus(32))
        .mov(RDX, ptr(RSP).plus(TO_RDX))
        .mov(RAX, ptr(RSP))
        .lea(RSP, ptr(RSP).plus(48))
        .bind(end);
    range(3, () -> a.popfq());
  }

  final void range(int before, Runnable body) {
    Label begin = a.here("range");
    body.run();
    Label end = a.here("range end");
    parts.add(begin, end, pushed(before));
  }

  /**
   * Counts a call without an end in the thread's table, if it has one, from a routine that is
   * jumped to. Uses rcx, rdx, flags.
   */
  final void countEntry() {
    Label none = a.label("no table");
    a.mov(RCX, gs(words.record()))
        .test(RCX, RCX)
        .jz(none)
        .mov(RDX, ptr(RSP))
        .mov(EDX, ptr(RDX).plus(-SlotTotals.ROW_BEFORE_BODY))
        .inc(ptr(RCX).index(RDX, 1).as64());
    if (parts.tables().detail() == CallDetail.TIMES) {
      a.inc(ptr(RCX).index(RDX, 1).plus(CallTables.ENTRY_ONLY).as64());
    }
    a.bind(none);
  }

  /** Runs the function without tracing: rax is its body thunk. */
  final void goUntraced(Label end) {
    leave(end);
    range(STUB_PUSHED, () -> a.lea(RAX, ptr(RAX).plus(-2)).jmp(RAX));
  }
}
