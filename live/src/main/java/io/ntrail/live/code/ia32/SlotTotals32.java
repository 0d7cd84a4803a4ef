package io.ntrail.live.code.ia32;

import static io.ntrail.live.code.ia32.AreaLayout32.CHILD;
import static io.ntrail.live.code.ia32.AreaLayout32.FLAGS;
import static io.ntrail.live.code.ia32.AreaLayout32.ROW;
import static io.ntrail.live.code.ia32.AreaLayout32.START;
import static io.ntrail.live.code.ia32.AreaLayout32.STRIDE;
import static io.ntrail.programs.x86.asm.operands.Mem.fs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDI;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESI;
import static io.ntrail.programs.x86.asm.operands.Reg8.AL;

import io.ntrail.live.code.CallTables;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.Condition;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Mem;

/**
 * Routines of slots that add calls up in the thread's table ({@link CallTables}). They keep flags
 * by LAHF and SETO, which take a fraction of the time of PUSHFD and POPFD.
 *
 * <p>A thread writes into its own table only, each half of a number with one instruction that reads
 * and writes, so that nothing gets lost where a call interrupts another one of the same thread.
 */
final class SlotTotals32 extends RuntimeRoutines32 {
  /** Distance of a function's row number from its body thunk, in front of it. */
  static final int ROW_BEFORE_BODY = 6;

  final Label enter = a.label("enter totals");
  final Label leave = a.label("leave totals");

  SlotTotals32(RoutineContext32 parts) {
    super(parts);
  }

  /** Puts the flags into eax. */
  static void saveFlags(Assembler a) {
    a.lahf().set(Condition.O, AL);
  }

  /** Restores the flags that eax holds. */
  static void restoreFlags(Assembler a) {
    a.add(AL, 0x7F).sahf();
  }

  /** Adds one to 64 bits. */
  static void one(Assembler a, Mem number) {
    a.add(number.as32(), 1).adc(number.plus(4).as32(), 0);
  }

  void write() {
    writeEnter();
    writeLeave();
  }

  /** Assembles the entry of a call: eax = the slot's data, ecx = the table; edx is free. */
  private void writeEnter() {
    Label clean = a.label("no call left");
    a.bind(enter).mov(EDX, EAX);
    saveFlags(a);
    a.push(EAX)
        // A call whose frame went without the slot being left.
        .mov(EAX, ptr(EDX).plus(START))
        .or(EAX, ptr(EDX).plus(START + 4))
        .jz(clean)
        .mov(EAX, ptr(EDX).plus(ROW));
    one(a, ptr(ECX).index(EAX, 1).plus(CallTables.ABANDONED));
    a.bind(clean)
        .mov(EAX, ptr(EDX).plus(AreaLayout32.BODY))
        .mov(EAX, ptr(EAX).plus(-ROW_BEFORE_BODY))
        .mov(ptr(EDX).plus(ROW), EAX);
    one(a, ptr(ECX).index(EAX, 1).plus(CallTables.CALLS));
    a.mov(ptr(EDX).plus(CHILD).as32(), 0)
        .mov(ptr(EDX).plus(CHILD + 4).as32(), 0)
        .mov(ECX, EDX)
        .pop(EAX);
    restoreFlags(a);
    a.rdtsc().mov(ptr(ECX).plus(START), EAX).mov(ptr(ECX).plus(START + 4), EDX).ret();
  }

  /** Assembles the exit of a call: eax = the slot's data, ecx = the table; edx is free. */
  private void writeLeave() {
    Label skip = a.label("not counted");
    Label later = a.label("later than the entry");
    Label self = a.label("inner calls took less");
    Label longest = a.label("no longer one");
    Label shortest = a.label("no shorter one");
    Label low = a.label("fits 32 bits");
    Label bucket = a.label("in the histogram");
    Label known = a.label("place in the histogram");
    a.bind(leave).mov(EDX, EAX);
    saveFlags(a);
    a.mov(ptr(EDX).plus(FLAGS), EAX)
        .push(EBX)
        .push(ESI)
        .push(EDI)
        .mov(ESI, EDX)
        .mov(EDI, ECX)
        .rdtsc()
        .mov(EBX, ptr(ESI).plus(START))
        .mov(ECX, ptr(ESI).plus(START + 4))
        .sub(EAX, EBX)
        .sbb(EDX, ECX)
        .jae(later)
        .xor(EAX, EAX)
        .xor(EDX, EDX)
        .bind(later)
        .or(EBX, ECX)
        .jz(skip)
        .mov(ptr(ESI).plus(START).as32(), 0)
        .mov(ptr(ESI).plus(START + 4).as32(), 0)
        .add(EDI, ptr(ESI).plus(ROW));
    one(a, ptr(EDI).plus(CallTables.EXITS));
    add(ptr(EDI).plus(CallTables.TOTAL));
    add(ptr(ESI).plus(CHILD - STRIDE));
    a.mov(EBX, EAX)
        .mov(ECX, EDX)
        .sub(EBX, ptr(ESI).plus(CHILD))
        .sbb(ECX, ptr(ESI).plus(CHILD + 4))
        .jae(self)
        .xor(EBX, EBX)
        .xor(ECX, ECX)
        .bind(self)
        .add(ptr(EDI).plus(CallTables.SELF), EBX)
        .adc(ptr(EDI).plus(CallTables.SELF + 4), ECX)
        .mov(EBX, EAX)
        .mov(ECX, EDX)
        .sub(EBX, ptr(EDI).plus(CallTables.LONGEST))
        .sbb(ECX, ptr(EDI).plus(CallTables.LONGEST + 4))
        .jb(longest)
        .mov(ptr(EDI).plus(CallTables.LONGEST), EAX)
        .mov(ptr(EDI).plus(CallTables.LONGEST + 4), EDX)
        .bind(longest)
        .not(EAX)
        .not(EDX)
        .mov(EBX, EAX)
        .mov(ECX, EDX)
        .sub(EBX, ptr(EDI).plus(CallTables.SHORTEST))
        .sbb(ECX, ptr(EDI).plus(CallTables.SHORTEST + 4))
        .jb(shortest)
        .mov(ptr(EDI).plus(CallTables.SHORTEST), EAX)
        .mov(ptr(EDI).plus(CallTables.SHORTEST + 4), EDX)
        .bind(shortest)
        .not(EAX)
        .not(EDX)
        .test(EDX, EDX)
        .jz(low)
        .bsr(ECX, EDX)
        .add(ECX, Integer.SIZE)
        .jmp(known)
        .bind(low)
        .or(EAX, 1)
        .bsr(ECX, EAX)
        .bind(known)
        .cmp(ECX, CallTables.BUCKETS - 1)
        .jbe(bucket)
        .mov(ECX, CallTables.BUCKETS - 1)
        .bind(bucket);
    one(a, ptr(EDI).index(ECX, 8).plus(CallTables.HISTOGRAM));
    a.bind(skip).mov(EAX, ptr(ESI).plus(FLAGS)).pop(EDI).pop(ESI).pop(EBX);
    restoreFlags(a);
    a.ret();
  }

  /** Adds edx:eax to 64 bits. */
  private void add(Mem number) {
    a.add(number, EAX).adc(number.plus(4), EDX);
  }

  /**
   * Counts the call of a slot that is dropped, if there is one. Uses ecx, edx, flags.
   *
   * @param data address of the slot's data
   */
  static void abandon(Assembler a, TlsOffsets32 words, Mem data) {
    Label none = a.label("no call");
    a.mov(ECX, data.plus(START))
        .or(ECX, data.plus(START + 4))
        .jz(none)
        .mov(data.plus(START).as32(), 0)
        .mov(data.plus(START + 4).as32(), 0)
        .mov(ECX, fs(words.record()))
        .test(ECX, ECX)
        .jz(none)
        .mov(EDX, data.plus(ROW));
    one(a, ptr(ECX).index(EDX, 1).plus(CallTables.ABANDONED));
    a.bind(none);
  }
}
