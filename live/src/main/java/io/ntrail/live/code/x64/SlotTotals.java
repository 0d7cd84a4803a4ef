package io.ntrail.live.code.x64;

import static io.ntrail.live.code.x64.AreaLayout.CHILD;
import static io.ntrail.live.code.x64.AreaLayout.FLAGS;
import static io.ntrail.live.code.x64.AreaLayout.ROW;
import static io.ntrail.live.code.x64.AreaLayout.START;
import static io.ntrail.live.code.x64.AreaLayout.STRIDE;
import static io.ntrail.programs.x86.asm.operands.Mem.gs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg64.R10;
import static io.ntrail.programs.x86.asm.operands.Reg64.R11;
import static io.ntrail.programs.x86.asm.operands.Reg64.R9;
import static io.ntrail.programs.x86.asm.operands.Reg64.RAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RCX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RDX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSP;
import static io.ntrail.programs.x86.asm.operands.Reg8.AL;

import io.ntrail.live.code.CallTables;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.Condition;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Mem;
import io.ntrail.programs.x86.asm.operands.Reg64;
import java.util.function.IntFunction;

/**
 * Code of slots that add calls up in the thread's table ({@link CallTables}). It keeps flags by
 * LAHF and SETO, which take a fraction of the time of PUSHFQ and POPFQ.
 *
 * <p>A thread writes into its own table only, each time with one instruction that reads and writes,
 * so that nothing gets lost where a call interrupts another one of the same thread.
 */
final class SlotTotals {
  /** Distance of a function's row number from its body thunk, in front of it. */
  static final int ROW_BEFORE_BODY = 6;

  private SlotTotals() {}

  /** Puts the flags into eax. */
  static void saveFlags(Assembler a) {
    a.lahf().set(Condition.O, AL);
  }

  /** Restores the flags that eax holds. */
  static void restoreFlags(Assembler a) {
    a.add(AL, 0x7F).sahf();
  }

  /** Assembles the entry of a call: rcx = the table; rax, rdx are free. */
  static void enter(Assembler a, IntFunction<Mem> cell, Label clock) {
    Label clean = a.label("no call left");
    saveFlags(a);
    a.mov(EDX, cell.apply(ROW))
        // A call whose frame went without the slot being left.
        .cmp(cell.apply(START).as64(), 0)
        .je(clean)
        .inc(ptr(RCX).index(RDX, 1).plus(CallTables.ABANDONED).as64())
        .bind(clean)
        .mov(RDX, cell.apply(AreaLayout.BODY))
        .mov(EDX, ptr(RDX).plus(-ROW_BEFORE_BODY))
        .mov(cell.apply(ROW), EDX)
        .inc(ptr(RCX).index(RDX, 1).as64());
    restoreFlags(a);
    a.bind(clock)
        .rdtsc()
        .mov(cell.apply(START), EAX)
        .mov(cell.apply(START + 4), EDX)
        .mov(cell.apply(CHILD).as64(), 0);
  }

  /** Assembles the exit of a call: rcx = the table. Saves rax and rdx in the slot. */
  static void leave(Assembler a, IntFunction<Mem> cell, Label clock) {
    Label skip = a.label("not counted");
    a.mov(cell.apply(AreaLayout.SAVE_RAX), RAX).mov(cell.apply(AreaLayout.SAVE_RDX), RDX);
    saveFlags(a);
    a.mov(cell.apply(FLAGS), EAX).bind(clock).rdtsc();
    add(a, RCX, cell, CallTables.EXITS, skip);
    a.bind(skip).mov(EAX, cell.apply(FLAGS));
    restoreFlags(a);
  }

  /**
   * Adds a call that ends now.
   *
   * @param table register with the table, whose row it holds afterwards
   * @param end field of the row that counts such ends
   * @param skip where it continues if the call was not counted at its entry
   */
  private static void add(Assembler a, Reg64 table, IntFunction<Mem> cell, int end, Label skip) {
    Label later = a.label("later than the entry");
    Label self = a.label("inner calls took less");
    Label longest = a.label("no longer one");
    Label shortest = a.label("no shorter one");
    Label bucket = a.label("in the histogram");
    a.shl(RDX, 32)
        .or(RDX, RAX)
        .mov(RAX, cell.apply(START))
        .test(RAX, RAX)
        .jz(skip)
        .mov(cell.apply(START).as64(), 0)
        .sub(RDX, RAX)
        .jae(later)
        .xor(EDX, EDX)
        .bind(later)
        .mov(EAX, cell.apply(ROW))
        .add(table, RAX)
        .inc(ptr(table).plus(end).as64())
        .add(ptr(table).plus(CallTables.TOTAL), RDX)
        .add(cell.apply(CHILD - STRIDE), RDX)
        .mov(RAX, RDX)
        .sub(RAX, cell.apply(CHILD))
        .jae(self)
        .xor(EAX, EAX)
        .bind(self)
        .add(ptr(table).plus(CallTables.SELF), RAX)
        .cmp(RDX, ptr(table).plus(CallTables.LONGEST))
        .jbe(longest)
        .mov(ptr(table).plus(CallTables.LONGEST), RDX)
        .bind(longest)
        .mov(RAX, RDX)
        .not(RAX)
        .cmp(RAX, ptr(table).plus(CallTables.SHORTEST))
        .jbe(shortest)
        .mov(ptr(table).plus(CallTables.SHORTEST), RAX)
        .bind(shortest)
        .or(RDX, 1)
        .bsr(RAX, RDX)
        .cmp(EAX, CallTables.BUCKETS - 1)
        .jbe(bucket)
        .mov(EAX, CallTables.BUCKETS - 1)
        .bind(bucket)
        .inc(ptr(table).index(RAX, 8).plus(CallTables.HISTOGRAM).as64());
  }

  /**
   * Counts the call of a slot that is dropped, if there is one. Uses rcx, rdx, flags.
   *
   * @param data address of the slot's data
   */
  static void abandon(Assembler a, TlsOffsets words, Mem data) {
    Label none = a.label("no call");
    Label unknown = a.label("no table");
    a.cmp(data.plus(START).as64(), 0)
        .je(none)
        .mov(data.plus(START).as64(), 0)
        .mov(RCX, gs(words.record()))
        .test(RCX, RCX)
        .jz(unknown)
        .mov(EDX, data.plus(ROW))
        .inc(ptr(RCX).index(RDX, 1).plus(CallTables.ABANDONED).as64())
        .bind(unknown)
        .bind(none);
  }

  /**
   * Assembles the language handler of slots: it adds up the call that an exception leaves.
   *
   * @param exit distance of the return point from the beginning of a slot
   * @param frame bytes that it takes of the stack
   * @param unwinding flags of EXCEPTION_RECORD when frames are left
   */
  static byte[] exceptionHandler(TlsOffsets words, int exit, int frame, int unwinding) {
    Assembler a = Assembler.x64();
    Label out = a.label("out");
    a.sub(RSP, frame)
        .test(ptr(RCX).plus(4).as32(), unwinding)
        .jz(out)
        // The control PC is the return point.
        .mov(R10, ptr(R9))
        .mov(R11, gs(words.record()))
        .test(R11, R11)
        .jz(out)
        .add(R10, AreaLayout.DELTA - exit)
        .rdtsc();
    add(a, R11, field -> ptr(R10).plus(field), CallTables.UNWINDS, out);
    return a.bind(out).mov(EAX, 1).add(RSP, frame).ret().assemble().bytes();
  }

  /**
   * Counts a call in the stub: rcx = the table, rax is free. Returns the label behind each
   * instruction whose last four bytes are to hold the distance of a field.
   *
   * @param entryOnly whether calls whose end is not seen have a field of their own
   */
  static Label[] count(Assembler a, boolean entryOnly) {
    saveFlags(a);
    Label calls = a.inc(ptr(RCX).plus(Integer.MAX_VALUE).as64()).here("calls");
    Label only = calls;
    if (entryOnly) {
      only = a.inc(ptr(RCX).plus(Integer.MAX_VALUE).as64()).here("entry only");
    }
    restoreFlags(a);
    return entryOnly ? new Label[] {calls, only} : new Label[] {calls};
  }
}
