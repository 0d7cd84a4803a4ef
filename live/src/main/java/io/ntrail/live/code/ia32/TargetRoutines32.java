package io.ntrail.live.code.ia32;

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

import io.ntrail.live.code.CallDetail;
import io.ntrail.live.code.CallTables;
import io.ntrail.live.code.SlotOverheadTest;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Imm;
import io.ntrail.programs.x86.asm.operands.Label;
import java.util.List;

/**
 * Routines that threads of their own run in a target, as those of CreateThread: each has one
 * parameter on the stack, which it removes, and keeps ebx, esi, edi and ebp. What they read has 64
 * bits for each number, of which the low half counts.
 */
final class TargetRoutines32 {
  private static final int PAGE = 0x1000;
  private static final int AREA_IN_META = 20;
  private static final int PARAMETER = 4;

  private TargetRoutines32() {}

  /** Does nothing: there are no function tables. Returns 0. */
  static byte[] nothing() {
    return Assembler.ia32().xor(EAX, EAX).ret(PARAMETER).assemble().bytes();
  }

  /**
   * Calls a function of whatever convention: address of it, four arguments. Returns what it
   * returns.
   */
  static byte[] call() {
    Assembler a = Assembler.ia32();
    a.push(EBP).mov(EBP, ESP).mov(EAX, ptr(EBP).plus(8));
    for (int argument = 4; argument > 0; argument--) {
      a.push(ptr(EAX).plus(8L * argument).as32());
    }
    a.call(ptr(EAX).as32()).mov(ESP, EBP).pop(EBP).ret(PARAMETER);
    return a.assemble().bytes();
  }

  /**
   * Touches the pages of the session file, so that traced calls need not be the first: address,
   * size, whole pages. Stores nothing else than what is there.
   */
  static byte[] touch() {
    Assembler a = Assembler.ia32();
    Label next = a.label("next page");
    Label done = a.label("done");
    a.mov(ECX, ptr(ESP).plus(4)).mov(EDX, ptr(ECX)).mov(ECX, ptr(ECX).plus(8));
    a.bind(next).test(ECX, ECX).jz(done);
    a.lock().or(ptr(EDX).as8(), 0).add(EDX, PAGE).sub(ECX, PAGE).jmp(next);
    a.bind(done).xor(EAX, EAX).ret(PARAMETER);
    return a.assemble().bytes();
  }

  /**
   * Copies an area to those that follow it: address, number of the others. Adapts the addresses in
   * their code, and gives them their numbers.
   *
   * @param addresses offsets of addresses in the code of a slot
   */
  static byte[] copyAreas(List<Integer> addresses) {
    Assembler a = Assembler.ia32();
    Label next = a.label("next area");
    Label slot = a.label("next slot");
    Label done = a.label("done");
    a.push(EBX).push(ESI).push(EDI).push(EBP).mov(ECX, ptr(ESP).plus(20)).cld();
    a.mov(EBX, ptr(ECX)).mov(EBP, ptr(ECX).plus(8)).xor(EDX, EDX).xor(EAX, EAX);
    // edx is the distance from the first area, eax that of the numbers.
    a.bind(next).test(EBP, EBP).jz(done).add(EDX, AreaLayout32.ALIGNMENT);
    a.add(EAX, 1 << AREA_IN_META).lea(ESI, ptr(EBX).plus(AreaLayout32.CODE));
    a.lea(EDI, ptr(ESI).index(EDX, 1)).mov(ECX, (AreaLayout32.TABLE - AreaLayout32.CODE) / 4);
    a.rep().movsd();
    a.lea(EDI, ptr(EBX).index(EDX, 1).plus(AreaLayout32.code(0)));
    a.mov(ECX, AreaLayout32.SLOTS).bind(slot);
    for (int at : addresses) {
      a.add(ptr(EDI).plus(at), EDX);
    }
    a.add(ptr(EDI).plus(AreaLayout32.DELTA + AreaLayout32.META), EAX);
    a.add(EDI, AreaLayout32.STRIDE).dec(ECX).jnz(slot);
    // The overflow's number follows the slots'.
    a.add(ptr(EDI).plus(AreaLayout32.DELTA + AreaLayout32.META), EAX);
    a.dec(EBP).jmp(next);
    a.bind(done).xor(EAX, EAX).pop(EBP).pop(EDI).pop(ESI).pop(EBX).ret(PARAMETER);
    return a.assemble().bytes();
  }

  private static final int COST_ROUNDS = 40;
  private static final int NOT_RECORDED = -1;

  /** Out: what a traced function returned, and what the return address was for it. */
  static final int TEST_RESULT = 16;

  /** Out: the return address that the function saw. */
  static final int TEST_RETURN = 24;

  /** Out: distance of the stack pointer after the call from where it was before. */
  static final int TEST_STACK = 32;

  /** Bytes of the parameters of the test. */
  static final int TEST_SIZE = 40;

  /** Result of the function of the test. */
  static final int TEST_VALUE = 0x5EED_1D32;

  /** Bytes of arguments that this function removes. */
  private static final int TEST_ARGUMENTS = 80;

  /** Makes an area the one of this thread: ebx = the parameters. Uses eax, ecx, edx. */
  private static void take(Assembler a, TlsOffsets32 words) {
    a.mov(EDX, ptr(EBX).plus(SlotOverheadTest.AREA)).mov(EAX, fs(TlsOffsets32.STACK_BASE));
    a.mov(ptr(EDX).plus(AreaLayout32.STACK_BASE), EAX).lea(ECX, ptr(EAX).plus(4));
    a.mov(ptr(EDX).plus(AreaLayout32.data(-1) + AreaLayout32.KEY), ECX);
    a.add(EAX, fs(TlsOffsets32.THREAD_BLOCK)).neg(EAX);
    a.mov(ptr(EDX).plus(AreaLayout32.NEGATED_BASE), EAX);
    a.mov(EAX, ptr(EBX).plus(SlotOverheadTest.SLOT)).mov(fs(words.slot()), EAX);
  }

  /** Gives the area back: ebx = the parameters. Uses eax, edx. */
  private static void giveBack(Assembler a, TlsOffsets32 words) {
    a.xor(EAX, EAX).mov(fs(words.slot()), EAX).mov(fs(words.record()), EAX);
    a.mov(EDX, ptr(EBX).plus(SlotOverheadTest.AREA));
    a.mov(ptr(EDX).plus(AreaLayout32.STACK_BASE), EAX);
    a.mov(ptr(EDX).plus(AreaLayout32.NEGATED_BASE), EAX);
  }

  /**
   * Calls a function through a slot, one that removes 80 bytes of arguments; {@link SlotCallTest}
   * judges what came of it.
   *
   * @param at address of the routine
   */
  static byte[] selfTest(TlsOffsets32 words, long at) {
    Assembler a = Assembler.ia32();
    Label stub = a.label("stub");
    Label body = a.label("body");
    a.push(EBX).push(ESI).push(EDI).mov(EBX, ptr(ESP).plus(16));
    take(a, words);
    a.mov(ESI, ESP);
    for (int i = 0; i < TEST_ARGUMENTS / 4; i++) {
      a.push(i);
    }
    a.call(stub).sub(ESI, ESP).add(ESP, ESI).mov(ptr(EBX).plus(TEST_STACK), ESI);
    a.mov(ptr(EBX).plus(TEST_RESULT), EAX).mov(ptr(EBX).plus(TEST_RETURN), EDX);
    giveBack(a, words);
    a.xor(EAX, EAX).pop(EDI).pop(ESI).pop(EBX).ret(PARAMETER);
    a.align(16).bind(stub).push(EAX).push(ECX).mov(EAX, Imm.address(body));
    a.mov(ECX, fs(words.slot())).jmp(ECX);
    a.bind(body).mov(EDX, ptr(ESP)).mov(EAX, TEST_VALUE).ret(TEST_ARGUMENTS);
    return a.assemble().bytesAt(at);
  }

  /**
   * Measures the overhead of tracing a function that only returns; the shortest of 40 measurements.
   *
   * @param at address of the routine
   */
  static byte[] cost(TlsOffsets32 words, int record, CallDetail detail, long at) {
    // The thread's word is that of its table, or goes on from the first record.
    int first = detail == CallDetail.RECORDS ? record : 0;
    int calls = SlotOverheadTest.calls(record);
    Assembler a = Assembler.ia32();
    Label stub = a.label("stub");
    Label body = a.label("body");
    a.push(EBX).push(ESI).push(EDI).push(EBP).mov(EBX, ptr(ESP).plus(20));
    // Room for arguments on the stack, as most calls have above them; two words are locals.
    a.sub(ESP, 0x50);
    take(a, words);
    goes(a, words, calls, first, SlotOverheadTest.TRACED, () -> a.call(stub));
    // A slot that is left without a place for records makes the thread unknown.
    goes(
        a,
        words,
        calls,
        NOT_RECORDED,
        SlotOverheadTest.UNRECORDED,
        () ->
            a.mov(EAX, ptr(EBX).plus(SlotOverheadTest.SLOT)).mov(fs(words.slot()), EAX).call(stub));
    goes(a, words, calls, NOT_RECORDED, SlotOverheadTest.PLAIN, () -> a.call(body));
    goes(a, words, calls, NOT_RECORDED, SlotOverheadTest.CLOCK, () -> a.rdtsc().rdtsc());
    giveBack(a, words);
    a.add(ESP, 0x50).pop(EBP).pop(EDI).pop(ESI).pop(EBX).ret(PARAMETER);
    a.align(16).bind(stub).push(EAX).push(ECX);
    if (detail == CallDetail.COUNTS) {
      Label undo = a.label("counted");
      a.mov(ECX, fs(words.record())).jecxz(undo);
      SlotTotals32.saveFlags(a);
      SlotTotals32.one(a, ptr(ECX).plus(CallTables.FIRST_ROW));
      SlotTotals32.restoreFlags(a);
      a.bind(undo).pop(ECX).pop(EAX).jmp(body);
    } else {
      a.mov(EAX, Imm.address(body)).mov(ECX, fs(words.slot())).jmp(ECX);
    }
    a.align(16).nop(16 - SlotTotals32.ROW_BEFORE_BODY).dd(CallTables.FIRST_ROW).nop(2);
    a.bind(body).ret();
    return a.assemble().bytesAt(at);
  }

  /**
   * Assembles measurements of one kind. They take less than 2^32 ticks.
   *
   * @param first distance of the thread's word from the buffer, or {@link #NOT_RECORDED}
   */
  private static void goes(
      Assembler a, TlsOffsets32 words, int calls, int first, int out, Runnable what) {
    Label outer = a.label();
    Label inner = a.label();
    Label longer = a.label();
    a.mov(ptr(ESP).as32(), COST_ROUNDS).mov(EBP, -1L);
    a.bind(outer).xor(EAX, EAX);
    if (first != NOT_RECORDED) {
      a.mov(EAX, ptr(EBX).plus(SlotOverheadTest.BUFFER)).add(EAX, first);
    }
    a.mov(fs(words.record()), EAX).mov(EDI, calls).rdtsc().mov(ESI, EAX).bind(inner);
    what.run();
    a.dec(EDI).jnz(inner).rdtsc().sub(EAX, ESI);
    a.cmp(EAX, EBP).jae(longer).mov(EBP, EAX).bind(longer).dec(ptr(ESP).as32()).jnz(outer);
    a.mov(ptr(EBX).plus(out), EBP).mov(ptr(EBX).plus(out + 4).as32(), 0);
  }
}
