package io.ntrail.live.code.x64;

import static io.ntrail.programs.x86.asm.operands.Mem.gs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg64.R10;
import static io.ntrail.programs.x86.asm.operands.Reg64.R11;
import static io.ntrail.programs.x86.asm.operands.Reg64.RAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RCX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RDX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSP;

import io.ntrail.live.code.CallDetail;
import io.ntrail.live.code.CallTables;
import io.ntrail.live.code.SessionLayout;
import io.ntrail.programs.x86.asm.operands.Label;

/** Routines that give a thread a table of calls, and count the call that asked for it. */
final class TableRoutines extends RuntimeRoutines {
  final Label firstTable = a.label("first table");
  final Label count = a.label("count");
  private final CallTables tables;
  private final Label firstCall;
  private final Label untraced;

  TableRoutines(RoutineContext parts, Label firstCall, Label untraced) {
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
   * Assembles the routine for calls that stubs count, of threads without a table: rsp = S - 16, rax
   * = the body thunk.
   */
  private void writeCount() {
    Label unknown = a.label("unknown thread");
    range(
        STUB_PUSHED,
        () ->
            a.bind(count)
                .mov(RCX, gs(words.slot()))
                .jrcxz(unknown)
                .lea(RAX, ptr(RAX).plus(-2))
                .jmp(RAX));
    Label end = enter(unknown, STUB_PUSHED);
    if (tables.detail() == CallDetail.TIMES) {
      a.lea(R11, ptr(RSP).plus(TO_KEY)).call(firstCall);
    } else {
      Label out = a.label("not enabled");
      // Whatever interrupts us from here on is not counted.
      a.lea(RDX, ptr(untraced))
          .mov(gs(words.slot()), RDX)
          .mov(R10, control)
          .cmp(control(SessionLayout.AT_ENABLED).as32(), 0)
          .je(out)
          .call(firstTable)
          .bind(out)
          .mov(gs(words.slot()).as64(), 0);
    }
    countEntry();
    goUntraced(end);
  }

  /**
   * Gives the thread a table, if one is free. Called with r10 = the control block. Uses rax, rcx,
   * rdx.
   */
  private void writeFirstTable() {
    Label again = a.label("again");
    Label none = a.label("no table is free");
    range(
        0,
        () ->
            a.bind(firstTable)
                .mov(EAX, control(SessionLayout.AT_TABLES_TAKEN))
                .bind(again)
                .cmp(EAX, control(SessionLayout.AT_TABLES_OFFERED))
                .je(none)
                .mov(EDX, EAX)
                .and(EDX, CallTables.MOST_TABLES - 1)
                .mov(ECX, ptr(R10).index(RDX, 4).plus(SessionLayout.AT_TABLE_RING))
                .lea(EDX, ptr(RAX).plus(1))
                .lock()
                .cmpxchg(control(SessionLayout.AT_TABLES_TAKEN), EDX)
                .jne(again)
                .imul(RCX, RCX, tables.tableBytes())
                .lea(RCX, ptr(R10).index(RCX, 1).plus(tables.at()))
                .mov(EAX, gs(0x48))
                .mov(ptr(RCX).plus(CallTables.THREAD), EAX)
                .rdtsc()
                .shl(RDX, 32)
                .or(RAX, RDX)
                .mov(ptr(RCX).plus(CallTables.BEGAN), RAX)
                .mov(ptr(RCX).plus(CallTables.STATE).as32(), SessionLayout.IN_USE)
                .lock()
                .inc(control(SessionLayout.AT_THREADS).as64())
                .mov(gs(words.record()), RCX)
                .ret()
                .bind(none)
                .lock()
                .inc(control(SessionLayout.AT_NO_TABLE).as64())
                .ret());
  }
}
