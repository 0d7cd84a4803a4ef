package io.ntrail.live.code.ia32;

import static io.ntrail.programs.x86.asm.operands.Mem.fs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBP;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESP;

import io.ntrail.live.code.CallDetail;
import io.ntrail.live.code.CallTables;
import io.ntrail.live.code.SessionLayout;
import io.ntrail.programs.x86.asm.operands.Imm;
import io.ntrail.programs.x86.asm.operands.Label;

/** Routines that give a thread a table of calls, and count the call that asked for it. */
final class TableRoutines32 extends RuntimeRoutines32 {
  final Label firstTable = a.label("first table");
  final Label count = a.label("count");
  private final CallTables tables;
  private final Label firstCall;
  private final Label untraced;

  TableRoutines32(RoutineContext32 parts, Label firstCall, Label untraced) {
    super(parts);
    this.tables = parts.tables();
    this.firstCall = firstCall;
    this.untraced = untraced;
  }

  void write() {
    writeCount();
    writeFirstTable();
  }

  /**
   * Assembles the routine for calls that stubs count, of threads without a table: esp = S - 8, eax
   * = the body thunk.
   */
  private void writeCount() {
    Label unknown = a.label("unknown thread");
    a.bind(count).mov(ECX, fs(words.slot())).jecxz(unknown);
    skip();
    enter(unknown);
    if (tables.detail() == CallDetail.TIMES) {
      a.lea(EBP, ptr(ESP).plus(TO_KEY)).call(firstCall);
    } else {
      Label out = a.label("not enabled");
      // Whatever interrupts us from here on is not counted.
      a.mov(fs(words.slot()).as32(), Imm.address(untraced));
      loadControl(EBX);
      a.cmp(control(SessionLayout.AT_ENABLED).as32(), 0)
          .je(out)
          .call(firstTable)
          .bind(out)
          .mov(fs(words.slot()).as32(), 0);
    }
    countEntry();
    goUntraced();
  }

  /**
   * Gives the thread a table, if one is free. Called with ebx = the control block. Uses eax, ecx,
   * edx.
   */
  private void writeFirstTable() {
    Label again = a.label("again");
    Label none = a.label("no table is free");
    a.bind(firstTable)
        .mov(EAX, control(SessionLayout.AT_TABLES_TAKEN))
        .bind(again)
        .cmp(EAX, control(SessionLayout.AT_TABLES_OFFERED))
        .je(none)
        .mov(EDX, EAX)
        .and(EDX, CallTables.MOST_TABLES - 1)
        .mov(ECX, ptr(EBX).index(EDX, 4).plus(SessionLayout.AT_TABLE_RING))
        .lea(EDX, ptr(EAX).plus(1));
    a.lock()
        .cmpxchg(control(SessionLayout.AT_TABLES_TAKEN), EDX)
        .jne(again)
        .imul(ECX, ECX, tables.tableBytes())
        .lea(ECX, ptr(EBX).index(ECX, 1).plus(tables.at()))
        .mov(EAX, fs(TlsOffsets32.THREAD_ID))
        .mov(ptr(ECX).plus(CallTables.THREAD), EAX)
        .rdtsc()
        .mov(ptr(ECX).plus(CallTables.BEGAN), EAX)
        .mov(ptr(ECX).plus(CallTables.BEGAN + 4), EDX)
        .mov(ptr(ECX).plus(CallTables.STATE).as32(), SessionLayout.IN_USE);
    count(EBX, SessionLayout.AT_THREADS);
    a.mov(fs(words.record()), ECX).ret().bind(none);
    count(EBX, SessionLayout.AT_NO_TABLE);
    a.ret();
  }
}
