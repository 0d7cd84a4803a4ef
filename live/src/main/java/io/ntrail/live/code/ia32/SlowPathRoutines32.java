package io.ntrail.live.code.ia32;

import static io.ntrail.live.code.ia32.AreaLayout32.DELTA;
import static io.ntrail.programs.x86.asm.operands.Mem.fs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBP;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDI;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESI;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESP;

import io.ntrail.live.code.SessionLayout;
import io.ntrail.programs.x86.asm.operands.Imm;
import io.ntrail.programs.x86.asm.operands.Label;

/**
 * Slow path of stubs and slots: the first call of a thread, another stack, a stale frame below, no
 * slot left.
 */
final class SlowPathRoutines32 extends RuntimeRoutines32 {
  final Label slow = a.label("slow");
  final Label overflow = a.label("overflow");
  final Label init = a.label("init");
  final Label firstCall = a.label("first call");
  final Label untraced = a.label("untraced");

  SlowPathRoutines32(RoutineContext32 parts) {
    super(parts);
  }

  /**
   * Assembles the routines.
   *
   * @param first what gives a thread its first chunk, or its table; with edi = the slot and ebx =
   *     the control block
   * @param entryOnly records calls for which there is no slot, where calls are not added up
   */
  void write(AreaRoutines32 areas, Label first, Label entryOnly) {
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
    enter(overflow);
    a.mov(EDI, fs(words.slot())).jmp(common);
    enter(slow);
    // eax is the slot; it has taken itself already, and has saved edx and the body.
    a.mov(EDI, EAX)
        .mov(EDX, ptr(EDI).plus(DELTA + AreaLayout32.SAVE_EDX))
        .mov(ptr(ESP).plus(TO_EDX), EDX)
        .mov(EDX, ptr(EDI).plus(DELTA + AreaLayout32.BODY))
        .mov(ptr(ESP).plus(TO_EAX), EDX)
        .bind(common)
        .lea(EBP, ptr(ESP).plus(TO_KEY));
    loadControl(EBX);
    count(EBX, SessionLayout.AT_SLOW_PASSES);
    a.mov(ESI, EDI)
        .and(ESI, -AreaLayout32.ALIGNMENT)
        .mov(ECX, fs(TlsOffsets32.STACK_BASE))
        .cmp(EBP, ECX)
        .ja(foreign)
        .lea(EDX, ptr(EBP).plus(-4))
        .cmp(EDX, fs(TlsOffsets32.STACK_LIMIT))
        .jb(foreign)
        // The stack's own area, and this thread was the last to use it.
        .mov(EDX, ECX)
        .add(EDX, fs(TlsOffsets32.THREAD_BLOCK))
        .add(EDX, ptr(ESI).plus(AreaLayout32.NEGATED_BASE))
        .jnz(other)
        .bind(go)
        .call(settle)
        .mov(fs(words.slot()), EDI)
        .lea(EDX, ptr(ESI).plus(AreaLayout32.code(AreaLayout32.SLOTS)))
        .cmp(EDI, EDX)
        .jae(skip);
    leave(EDI);
    jumpOn();
    Label without = a.label("without an area");
    a.bind(other).call(assign).test(EDI, EDI).jnz(go).jmp(without);
    entryAlone(without, SessionLayout.AT_ENTRIES_WITHOUT_AREA, entryOnly);
    // A stack that the system does not know, as coroutines have: the slot stays free.
    entryAlone(foreign, SessionLayout.AT_ENTRIES_WITHOUT_AREA, entryOnly);
    entryAlone(skip, SessionLayout.AT_DEEP_ENTRIES, entryOnly);
  }

  /**
   * Assembles the end of a routine that is jumped to: the entry of the call alone is recorded, or
   * the call counted. edi = the thread's next slot, or 0.
   *
   * @param counter of such calls
   */
  private void entryAlone(Label begin, int counter, Label entryOnly) {
    a.bind(begin).mov(fs(words.slot()), EDI);
    loadControl(EBX);
    count(EBX, counter);
    if (parts.tables().exist()) {
      countEntry();
      goUntraced();
    } else {
      a.popad().popfd().jmp(entryOnly);
    }
  }

  /** Assembles the routine for the first traced call of a thread, or on a stack without an area. */
  private void writeInit(Label entryOnly) {
    Label none = a.label("none");
    Label recorded = a.label("recorded without an area");
    enter(init);
    a.lea(EBP, ptr(ESP).plus(TO_KEY)).call(firstCall).test(EDI, EDI).jz(none);
    leave(EDI);
    jumpOn();
    a.bind(none).cmp(fs(words.record()).as32(), 0).jne(recorded);
    goUntraced();
    entryAlone(recorded, SessionLayout.AT_ENTRIES_WITHOUT_AREA, entryOnly);
    // Calls that interrupt a thread while it is given an area.
    a.bind(untraced).pushfd();
    loadControl(ECX);
    count(ECX, SessionLayout.AT_REENTRANT);
    a.popfd();
    skip();
  }

  /**
   * Gives the stack an area, if one is free, and the thread a chunk, or a table. Called with ebp =
   * S + 4; edi = the slot to use, or 0, which the thread's TLS slot then is, too. Uses all
   * registers but ebp.
   */
  private void writeFirstCall(Label assign, Label settle, Label first) {
    Label no = a.label("no");
    Label without = a.label("no area");
    Label recording = a.label("recording");
    a.bind(firstCall)
        // Whatever interrupts us from here on is not traced.
        .mov(fs(words.slot()).as32(), Imm.address(untraced));
    loadControl(EBX);
    a.cmp(control(SessionLayout.AT_ENABLED).as32(), 0)
        .je(no)
        .mov(ECX, fs(TlsOffsets32.STACK_BASE))
        .cmp(EBP, ECX)
        .ja(without)
        .cmp(ESP, fs(TlsOffsets32.STACK_LIMIT))
        .jb(without)
        // A stack may be known though the thread is not: fibers.
        .call(assign)
        .test(EDI, EDI)
        .jz(without)
        .call(settle)
        .cmp(fs(words.record()).as32(), 0)
        .jne(recording)
        .call(first)
        .cmp(fs(words.record()).as32(), 0)
        .je(no)
        .bind(recording)
        .mov(fs(words.slot()), EDI)
        .ret()
        // Entries can be recorded without an area.
        .bind(without)
        .cmp(fs(words.record()).as32(), 0)
        .jne(no)
        .xor(EDI, EDI)
        .call(first)
        .bind(no)
        .xor(EDI, EDI)
        .mov(fs(words.slot()), EDI)
        .ret();
  }
}
