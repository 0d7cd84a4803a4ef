package io.ntrail.live.code.x64;

import static io.ntrail.live.code.x64.AreaLayout.DELTA;
import static io.ntrail.programs.x86.asm.operands.Mem.gs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.R8D;
import static io.ntrail.programs.x86.asm.operands.Reg64.R10;
import static io.ntrail.programs.x86.asm.operands.Reg64.R11;
import static io.ntrail.programs.x86.asm.operands.Reg64.R8;
import static io.ntrail.programs.x86.asm.operands.Reg64.R9;
import static io.ntrail.programs.x86.asm.operands.Reg64.RAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RCX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RDX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSP;

import io.ntrail.live.code.SessionLayout;
import io.ntrail.programs.x86.asm.operands.Label;

/**
 * Slow path of stubs and slots: the first call of a thread, another stack, a stale frame below, no
 * slot left.
 */
final class SlowPathRoutines extends RuntimeRoutines {
  final Label slow = a.label("slow");
  final Label overflow = a.label("overflow");
  final Label init = a.label("init");
  final Label firstCall = a.label("first call");
  final Label untraced = a.label("untraced");

  SlowPathRoutines(RoutineContext parts) {
    super(parts);
  }

  /**
   * Assembles the routines.
   *
   * @param first what gives a thread its first chunk, or its table; with r8 = the slot and r10 =
   *     the control block
   * @param entryOnly records calls for which there is no slot, where calls are not added up
   */
  void write(AreaRoutines areas, Label first, Label entryOnly) {
    writeSlow(areas.assign, areas.settle, entryOnly);
    writeInit(entryOnly);
    writeFirstCall(areas.assign, areas.settle, first);
  }

  private void writeSlow(Label assign, Label settle, Label entryOnly) {
    Label common = a.label("common");
    Label other = a.label("other stack");
    Label go = a.label("go");
    Label skip = a.label("skip");
    Label foreign = a.label("foreign stack");
    Label end = enter(overflow, STUB_PUSHED);
    a.mov(R8, gs(words.slot())).jmp(common).bind(end);
    Label slowEnd = enter(slow, STUB_PUSHED);
    // rax is the slot; it has taken itself already, and has saved rdx and the body.
    a.mov(R8, RAX)
        .mov(RDX, ptr(R8).plus(DELTA + AreaLayout.SAVE_RDX))
        .mov(ptr(RSP).plus(TO_RDX), RDX)
        .mov(RDX, ptr(R8).plus(DELTA + AreaLayout.BODY))
        .mov(ptr(RSP), RDX)
        .bind(common)
        .lea(R11, ptr(RSP).plus(TO_KEY))
        .mov(R10, control)
        .lock()
        .inc(control(SessionLayout.AT_SLOW_PASSES).as64())
        .mov(R9, R8)
        .and(R9, -AreaLayout.ALIGNMENT)
        .mov(RCX, gs(8))
        .cmp(R11, RCX)
        .ja(foreign)
        .lea(RDX, ptr(R11).plus(-8))
        .cmp(RDX, gs(0x10))
        .jb(foreign)
        // The stack's own area, and this thread was the last to use it.
        .mov(RDX, RCX)
        .add(RDX, gs(0x30))
        .add(RDX, ptr(R9).plus(AreaLayout.NEGATED_BASE))
        .jnz(other)
        .bind(go)
        .call(settle)
        .mov(gs(words.slot()), R8)
        .lea(RDX, ptr(R9).plus(AreaLayout.code(AreaLayout.SLOTS)))
        .cmp(R8, RDX)
        .jae(skip)
        .mov(RCX, R8);
    leave(slowEnd);
    range(STUB_PUSHED, () -> a.jmp(RCX));
    Label without = a.label("without an area");
    Label otherEnd = a.label("end of other stack");
    Label otherBegin = a.here("other stack, range");
    parts.add(otherBegin, otherEnd, pushed(STUB_PUSHED + PUSHED));
    a.bind(other).call(assign).test(R8, R8).jnz(go).jmp(without).bind(otherEnd);
    entryAlone(without, SessionLayout.AT_ENTRIES_WITHOUT_AREA, entryOnly);
    // A stack that the system does not know, as coroutines have: the slot stays free.
    entryAlone(foreign, SessionLayout.AT_ENTRIES_WITHOUT_AREA, entryOnly);
    entryAlone(skip, SessionLayout.AT_DEEP_ENTRIES, entryOnly);
  }

  /**
   * Assembles the end of a routine that is jumped to: the entry of the call alone is recorded, or
   * the call counted. r8 = the thread's next slot, or 0.
   *
   * @param counter of such calls
   */
  private void entryAlone(Label begin, int counter, Label entryOnly) {
    Label end = a.label("entry alone, end");
    Label range = a.here("entry alone, range");
    parts.add(range, end, pushed(STUB_PUSHED + PUSHED));
    a.bind(begin).mov(gs(words.slot()), R8).mov(R10, control).lock().inc(control(counter).as64());
    if (parts.tables().exist()) {
      countEntry();
      goUntraced(end);
    } else {
      leave(end);
      range(STUB_PUSHED, () -> a.jmp(entryOnly));
    }
  }

  /** Assembles the routine for the first traced call of a thread, or on a stack without an area. */
  private void writeInit(Label entryOnly) {
    Label none = a.label("none");
    Label recorded = a.label("recorded without an area");
    Label end = enter(init, STUB_PUSHED);
    a.lea(R11, ptr(RSP).plus(TO_KEY)).call(firstCall).test(R8, R8).jz(none).mov(RCX, R8);
    leave(end);
    range(STUB_PUSHED, () -> a.jmp(RCX));
    Label noneEnd = a.label("end of none");
    Label noneBegin = a.here("none, range");
    parts.add(noneBegin, noneEnd, pushed(STUB_PUSHED + PUSHED));
    a.bind(none).cmp(gs(words.record()).as64(), 0).jne(recorded);
    goUntraced(noneEnd);
    entryAlone(recorded, SessionLayout.AT_ENTRIES_WITHOUT_AREA, entryOnly);
    writeUntraced();
  }

  /** Assembles the routine for calls that interrupt a thread while it is given an area. */
  private void writeUntraced() {
    Label end = a.label("untraced, end");
    parts.add(untraced, end, UnwindBytes.prologue(STUB_PUSHED, 1));
    a.bind(untraced)
        .pushfq()
        .mov(RCX, control)
        .lock()
        .inc(ptr(RCX).plus(SessionLayout.AT_REENTRANT).as64())
        .bind(end);
    range(STUB_PUSHED + 1, () -> a.popfq());
    range(STUB_PUSHED, () -> a.lea(RAX, ptr(RAX).plus(-2)).jmp(RAX));
  }

  /**
   * Gives the stack an area, if one is free, and the thread a chunk, or a table. Called with r11 =
   * S + 8; r8 = the slot to use, or 0, which the thread's TLS slot then is, too. Uses rax, rcx,
   * rdx, r9, r10.
   */
  private void writeFirstCall(Label assign, Label settle, Label first) {
    Label no = a.label("no");
    Label without = a.label("no area");
    Label recording = a.label("recording");
    range(
        0,
        () ->
            a.bind(firstCall)
                // Whatever interrupts us from here on is not traced.
                .lea(RDX, ptr(untraced))
                .mov(gs(words.slot()), RDX)
                .mov(R10, control)
                .cmp(control(SessionLayout.AT_ENABLED).as32(), 0)
                .je(no)
                .mov(RCX, gs(8))
                .cmp(R11, RCX)
                .ja(without)
                .cmp(RSP, gs(0x10))
                .jb(without)
                // A stack may be known though the thread is not: fibers.
                .call(assign)
                .test(R8, R8)
                .jz(without)
                .call(settle)
                .cmp(gs(words.record()).as64(), 0)
                .jne(recording)
                .mov(R10, control)
                .call(first)
                .cmp(gs(words.record()).as64(), 0)
                .je(no)
                .bind(recording)
                .mov(gs(words.slot()), R8)
                .ret()
                // Entries can be recorded without an area.
                .bind(without)
                .cmp(gs(words.record()).as64(), 0)
                .jne(no)
                .xor(R8D, R8D)
                .mov(R10, control)
                .call(first)
                .bind(no)
                .xor(R8D, R8D)
                .mov(gs(words.slot()), R8)
                .ret());
  }
}
