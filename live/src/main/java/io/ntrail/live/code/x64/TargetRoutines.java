package io.ntrail.live.code.x64;

import static io.ntrail.programs.x86.asm.operands.Mem.gs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBP;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDI;
import static io.ntrail.programs.x86.asm.operands.Reg32.R8D;
import static io.ntrail.programs.x86.asm.operands.Reg64.R10;
import static io.ntrail.programs.x86.asm.operands.Reg64.R11;
import static io.ntrail.programs.x86.asm.operands.Reg64.R12;
import static io.ntrail.programs.x86.asm.operands.Reg64.R8;
import static io.ntrail.programs.x86.asm.operands.Reg64.R9;
import static io.ntrail.programs.x86.asm.operands.Reg64.RAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RBP;
import static io.ntrail.programs.x86.asm.operands.Reg64.RBX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RCX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RDI;
import static io.ntrail.programs.x86.asm.operands.Reg64.RDX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSI;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSP;

import io.ntrail.live.code.CallDetail;
import io.ntrail.live.code.CallTables;
import io.ntrail.live.code.SlotOverheadTest;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;

/**
 * Routines that threads of their own run in a target; each takes the address of its parameters.
 *
 * <p>They have no unwind data, and need none. Above them on the stack there is only what the system
 * begins a thread with: no handler of the program could be found there, so an exception ends the
 * process with unwind data or without, and handlers that are asked before frames are (vectored
 * ones) are asked all the same. Who walks the stacks of all threads takes them for functions
 * without a frame, reads a word of the stack as return address and comes to a wrong end there; that
 * is so for each such routine, but none of them takes part in what the program does. The first of
 * them runs before any unwind data could be registered with the system.
 */
final class TargetRoutines {
  /** Bit of the number of an area in {@link AreaLayout#META}. */
  private static final int AREA_IN_META = 20;

  // Parameters of the self-test.
  /** The return point of a slot. */
  static final int TEST_EXIT = 0;

  /** Data of that slot. */
  static final int TEST_DATA = 8;

  /** RtlLookupFunctionEntry. */
  static final int TEST_LOOKUP = 16;

  /** RtlVirtualUnwind. */
  static final int TEST_UNWIND = 24;

  /** Out: S of the frame that was made up. */
  static final int TEST_STACK = 32;

  /** Out: the entry that was found. */
  static final int TEST_ENTRY = 40;

  /** Out: base of its table. */
  static final int TEST_BASE = 48;

  /** Out, of each of two unwinds: handler. */
  static final int TEST_HANDLER = 56;

  /** Out, of each of two unwinds: establisher frame. */
  static final int TEST_ESTABLISHER = 72;

  private static final int TEST_HANDLER_DATA = 88;

  /** In and out, of each of two unwinds: registers. */
  static final int TEST_CONTEXT = 0x100;

  /** Distance of the second one. */
  static final int TEST_CONTEXT_STEP = 0x600;

  /** Bytes of the self-test's parameters. */
  static final int TEST_SIZE = 0x1000;

  private static final int PAGE = 0x1000;
  static final int CONTEXT_RSP = 0x98;
  static final int CONTEXT_RIP = 0xF8;

  private TargetRoutines() {}

  /**
   * Registers function tables: u64 count, u64 address of RtlAddGrowableFunctionTable, then for each
   * table six arguments of it, the first of them the address where the handle goes. Returns the
   * first failure status, or 0.
   */
  static byte[] register() {
    Assembler a = Assembler.x64();
    Label next = a.label("next table");
    Label done = a.label("done");
    a.push(RBX).push(RSI).push(RDI).sub(RSP, 0x30).mov(RBX, RCX).mov(RSI, ptr(RBX));
    a.lea(RDI, ptr(RBX).plus(16)).xor(EAX, EAX);
    a.bind(next).test(RSI, RSI).jz(done);
    a.mov(RCX, ptr(RDI)).mov(RDX, ptr(RDI).plus(8)).mov(R8, ptr(RDI).plus(16));
    a.mov(RAX, ptr(RDI).plus(32)).mov(ptr(RSP).plus(32), RAX);
    a.mov(RAX, ptr(RDI).plus(40)).mov(ptr(RSP).plus(40), RAX);
    a.mov(R9, ptr(RDI).plus(24)).call(ptr(RBX).plus(8).as64()).test(EAX, EAX).jnz(done);
    a.add(RDI, 48).dec(RSI).jmp(next);
    a.bind(done).add(RSP, 0x30).pop(RDI).pop(RSI).pop(RBX).ret();
    return a.assemble().bytes();
  }

  /** Calls a function: u64 address of it, four arguments. Returns what it returns. */
  static byte[] call() {
    Assembler a = Assembler.x64();
    a.sub(RSP, 0x28).mov(RAX, ptr(RCX)).mov(RDX, ptr(RCX).plus(16)).mov(R8, ptr(RCX).plus(24));
    a.mov(R9, ptr(RCX).plus(32)).mov(RCX, ptr(RCX).plus(8)).call(RAX).add(RSP, 0x28).ret();
    return a.assemble().bytes();
  }

  /**
   * Deletes function tables: u64 count, u64 address of RtlDeleteGrowableFunctionTable, then the
   * handles.
   */
  static byte[] unregister() {
    Assembler a = Assembler.x64();
    Label next = a.label("next handle");
    Label done = a.label("done");
    a.push(RBX).push(RSI).push(RDI).sub(RSP, 0x20).mov(RBX, RCX).mov(RSI, ptr(RBX));
    a.lea(RDI, ptr(RBX).plus(16)).bind(next).test(RSI, RSI).jz(done);
    a.mov(RCX, ptr(RDI)).call(ptr(RBX).plus(8).as64()).add(RDI, 8).dec(RSI).jmp(next);
    a.bind(done).xor(EAX, EAX).add(RSP, 0x20).pop(RDI).pop(RSI).pop(RBX).ret();
    return a.assemble().bytes();
  }

  /**
   * Unwinds one step out of a slot, with a synthetic frame on its own stack, for a search and for
   * an unwind (2 = unwind handler first, then 1). What it finds is judged by the controller.
   */
  static byte[] selfTest() {
    Assembler a = Assembler.x64();
    Label next = a.label("next unwind");
    a.push(RBX).push(RSI).push(RDI).sub(RSP, 0x800).mov(RBX, RCX);
    a.lea(RSI, ptr(RSP).plus(0x408)).mov(ptr(RBX).plus(TEST_STACK), RSI);
    a.mov(RAX, ptr(RBX)).mov(ptr(RSI), RAX);
    a.mov(RDX, ptr(RBX).plus(TEST_DATA)).lea(RAX, ptr(RSI).plus(8));
    a.mov(ptr(RDX).plus(AreaLayout.KEY), RAX);
    a.mov(RCX, ptr(RBX)).lea(RDX, ptr(RBX).plus(TEST_BASE)).xor(R8D, R8D);
    a.call(ptr(RBX).plus(TEST_LOOKUP).as64()).mov(ptr(RBX).plus(TEST_ENTRY), RAX);
    a.xor(EDI, EDI);
    Label skip = a.label("no entry");
    a.test(RAX, RAX).jz(skip);
    a.bind(next).imul(RCX, RDI, TEST_CONTEXT_STEP).lea(RAX, ptr(RBX).index(RCX, 1));
    a.add(RAX, TEST_CONTEXT).mov(ptr(RSP).plus(32), RAX);
    a.lea(RCX, ptr(RSI).plus(8)).mov(ptr(RAX).plus(CONTEXT_RSP), RCX);
    a.mov(RCX, ptr(RBX)).mov(ptr(RAX).plus(CONTEXT_RIP), RCX);
    a.lea(RAX, ptr(RBX).plus(TEST_HANDLER_DATA)).mov(ptr(RSP).plus(40), RAX);
    a.lea(RAX, ptr(RBX).index(RDI, 8).plus(TEST_ESTABLISHER)).mov(ptr(RSP).plus(48), RAX);
    a.mov(ptr(RSP).plus(56).as64(), 0);
    a.mov(ECX, 2).sub(RCX, RDI).mov(RDX, ptr(RBX).plus(TEST_BASE)).mov(R8, ptr(RBX));
    a.mov(R9, ptr(RBX).plus(TEST_ENTRY)).call(ptr(RBX).plus(TEST_UNWIND).as64());
    a.mov(ptr(RBX).index(RDI, 8).plus(TEST_HANDLER), RAX).inc(RDI).cmp(RDI, 2).jb(next);
    a.bind(skip).mov(RDX, ptr(RBX).plus(TEST_DATA));
    a.mov(ptr(RDX).plus(AreaLayout.KEY).as64(), 0).xor(EAX, EAX);
    a.add(RSP, 0x800).pop(RDI).pop(RSI).pop(RBX).ret();
    return a.assemble().bytes();
  }

  /**
   * Touches the pages of the session file, so that traced calls need not be the first: u64 address,
   * u64 size, whole pages. Stores nothing else than what is there.
   */
  static byte[] touch() {
    Assembler a = Assembler.x64();
    Label next = a.label("next page");
    Label done = a.label("done");
    a.mov(RDX, ptr(RCX)).mov(RCX, ptr(RCX).plus(8)).bind(next).test(RCX, RCX).jz(done);
    a.lock().or(ptr(RDX).as8(), 0).add(RDX, PAGE).sub(RCX, PAGE).jmp(next);
    a.bind(done).xor(EAX, EAX).ret();
    return a.assemble().bytes();
  }

  /**
   * Copies an area to those that follow it, and gives them their numbers.
   *
   * @param size of an area from its head on
   */
  static byte[] copyAreas(int size) {
    Assembler a = Assembler.x64();
    Label next = a.label("next area");
    Label number = a.label("number of a slot");
    Label done = a.label("done");
    a.mov(R10, RSI).mov(R11, RDI).xor(EAX, EAX);
    a.mov(R8, ptr(RCX)).mov(R9, ptr(RCX).plus(8)).mov(RDX, R8).bind(next);
    a.test(R9, R9).jz(done).add(RDX, AreaLayout.ALIGNMENT);
    a.lea(RSI, ptr(R8).plus(AreaLayout.CODE)).lea(RDI, ptr(RDX).plus(AreaLayout.CODE));
    a.mov(ECX, (AreaLayout.HEAD + size - AreaLayout.CODE) / 8).rep().movsq();
    a.add(EAX, 1 << AREA_IN_META).mov(ECX, AreaLayout.SLOTS + 1);
    a.lea(RDI, ptr(RDX).plus(AreaLayout.data(0) + AreaLayout.META)).bind(number);
    a.add(ptr(RDI).as32(), EAX).add(RDI, AreaLayout.STRIDE).dec(ECX).jnz(number);
    a.dec(R9).jmp(next);
    a.bind(done).mov(RSI, R10).mov(RDI, R11).xor(EAX, EAX).ret();
    return a.assemble().bytes();
  }

  private static final int COST_ROUNDS = 40;

  private static final int NOT_RECORDED = -1;

  /**
   * Measures the overhead of tracing a function that only returns; the shortest of 40 measurements.
   */
  static byte[] cost(TlsOffsets words, int record, CallDetail detail) {
    // The thread's word is that of its table, or goes on from the first record.
    int first = detail == CallDetail.RECORDS ? record : 0;
    int calls = SlotOverheadTest.calls(record);
    boolean counts = detail == CallDetail.COUNTS;
    Assembler a = Assembler.x64();
    Label stub = a.label("stub");
    Label body = a.label("body");
    a.push(RBX).push(RSI).push(RDI).push(RBP).push(R12);
    // Room for arguments on the stack, as most calls have above them.
    a.sub(RSP, 0xA0).mov(RBX, RCX);
    a.mov(RDX, ptr(RBX).plus(SlotOverheadTest.AREA)).mov(RAX, gs(8));
    a.mov(ptr(RDX).plus(AreaLayout.STACK_BASE), RAX).lea(RCX, ptr(RAX).plus(8));
    a.mov(ptr(RDX).plus(AreaLayout.data(-1) + AreaLayout.KEY), RCX).add(RAX, gs(0x30)).neg(RAX);
    a.mov(ptr(RDX).plus(AreaLayout.NEGATED_BASE), RAX);
    a.mov(RAX, ptr(RBX).plus(SlotOverheadTest.SLOT)).mov(gs(words.slot()), RAX);
    goes(a, words, calls, first, SlotOverheadTest.TRACED, () -> a.call(stub));
    // A slot that is left without a place for records makes the thread unknown.
    goes(
        a,
        words,
        calls,
        NOT_RECORDED,
        SlotOverheadTest.UNRECORDED,
        () ->
            a.mov(RAX, ptr(RBX).plus(SlotOverheadTest.SLOT)).mov(gs(words.slot()), RAX).call(stub));
    goes(a, words, calls, NOT_RECORDED, SlotOverheadTest.PLAIN, () -> a.call(body));
    goes(a, words, calls, NOT_RECORDED, SlotOverheadTest.CLOCK, () -> a.rdtsc().rdtsc());
    a.xor(EAX, EAX).mov(gs(words.slot()), RAX).mov(gs(words.record()), RAX);
    a.mov(RDX, ptr(RBX).plus(SlotOverheadTest.AREA));
    a.mov(ptr(RDX).plus(AreaLayout.STACK_BASE), RAX)
        .mov(ptr(RDX).plus(AreaLayout.NEGATED_BASE), RAX);
    a.add(RSP, 0xA0).pop(R12).pop(RBP).pop(RDI).pop(RSI).pop(RBX).ret();
    a.align(16).bind(stub).push(RAX).push(RCX);
    if (counts) {
      Label undo = a.label("counted");
      a.mov(RCX, gs(words.record())).jrcxz(undo);
      SlotTotals.saveFlags(a);
      a.inc(ptr(RCX).plus(CallTables.FIRST_ROW).disp32().as64());
      SlotTotals.restoreFlags(a);
      a.bind(undo).pop(RCX).pop(RAX).jmp(body);
    } else {
      a.lea(RAX, ptr(body)).mov(RCX, gs(words.slot())).jmp(RCX);
    }
    a.align(16).nop(16 - SlotTotals.ROW_BEFORE_BODY).dd(CallTables.FIRST_ROW).nop(2);
    a.bind(body).ret();
    return a.assemble().bytes();
  }

  /**
   * Assembles measurements of one kind.
   *
   * @param first distance of the thread's word from the buffer, or {@link #NOT_RECORDED}
   */
  private static void goes(
      Assembler a, TlsOffsets words, int calls, int first, int out, Runnable what) {
    Label outer = a.label();
    Label inner = a.label();
    Label longer = a.label();
    a.mov(EBP, COST_ROUNDS).mov(R12, -1L);
    a.bind(outer).xor(EAX, EAX);
    if (first != NOT_RECORDED) {
      a.mov(RAX, ptr(RBX).plus(SlotOverheadTest.BUFFER)).add(RAX, first);
    }
    a.mov(gs(words.record()), RAX).mov(EDI, calls);
    a.rdtsc().shl(RDX, 32).or(RAX, RDX).mov(RSI, RAX).bind(inner);
    what.run();
    a.dec(EDI).jnz(inner).rdtsc().shl(RDX, 32).or(RAX, RDX).sub(RAX, RSI);
    a.cmp(RAX, R12).jae(longer).mov(R12, RAX).bind(longer).dec(EBP).jnz(outer);
    a.mov(ptr(RBX).plus(out), R12);
  }
}
