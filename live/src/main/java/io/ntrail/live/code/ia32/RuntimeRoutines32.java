package io.ntrail.live.code.ia32;

import static io.ntrail.programs.x86.asm.operands.Mem.fs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESP;

import io.ntrail.live.code.CallDetail;
import io.ntrail.live.code.CallTables;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Mem;
import io.ntrail.programs.x86.asm.operands.Reg32;

/**
 * Routines of a runtime block. Those that stubs and slots jump to have a frame in common: flags and
 * all registers, above the two that the stub pushed. Inside them ebx is the control block, edi a
 * slot, esi its area, ebp = S + 4.
 */
abstract class RuntimeRoutines32 {
  /** Distance from the stack pointer of a routine that is jumped to, to S + 4. */
  static final int TO_KEY = 4 * (8 + 1 + 2 + 1);

  // Distances to saved registers, in the order of PUSHAD.
  static final int TO_EDX = 20;
  static final int TO_ECX = 24;
  static final int TO_EAX = 28;

  final RoutineContext32 parts;
  final Assembler a;
  final long control;
  final TlsOffsets32 words;
  final int record;

  RuntimeRoutines32(RoutineContext32 parts) {
    this.parts = parts;
    this.a = parts.assembler();
    this.control = parts.addresses().control();
    this.words = parts.words();
    this.record = parts.record();
  }

  static Mem control(int field) {
    return ptr(EBX).plus(field);
  }

  /** Begins a routine that is jumped to. */
  final void enter(Label begin) {
    a.bind(begin).pushfd().pushad();
  }

  /** Restores everything except ecx, which holds the destination from now on. */
  final void leave(Reg32 destination) {
    a.mov(ptr(ESP).plus(TO_ECX), destination).popad().popfd();
  }

  /**
   * Counts a call without an end in the thread's table, if it has one, from a routine that is
   * jumped to. Uses ecx, edx, flags.
   */
  final void countEntry() {
    Label none = a.label("no table");
    a.mov(ECX, fs(words.record()))
        .test(ECX, ECX)
        .jz(none)
        .mov(EDX, ptr(ESP).plus(TO_EAX))
        .mov(EDX, ptr(EDX).plus(-SlotTotals32.ROW_BEFORE_BODY));
    SlotTotals32.one(a, ptr(ECX).index(EDX, 1).plus(CallTables.CALLS));
    if (parts.tables().detail() == CallDetail.TIMES) {
      SlotTotals32.one(a, ptr(ECX).index(EDX, 1).plus(CallTables.ENTRY_ONLY));
    }
    a.bind(none);
  }

  /** Runs the function without tracing, from a routine that is jumped to. */
  final void goUntraced() {
    a.popad().popfd();
    skip();
  }

  /** Runs the function without tracing: eax is its body thunk. */
  final void skip() {
    a.lea(EAX, ptr(EAX).plus(-2)).jmp(EAX);
  }

  /** Adds one to a count of 64 bits that all threads write. */
  final void count(Reg32 base, int field) {
    a.lock().add(ptr(base).plus(field).as32(), 1);
    a.lock().adc(ptr(base).plus(field + 4).as32(), 0);
  }

  /** Adds eax, or edx:eax, to such a count. */
  final void count(Reg32 base, int field, Reg32 low, Reg32 high) {
    a.lock().add(ptr(base).plus(field), low);
    a.lock().adc(ptr(base).plus(field + 4), high);
  }

  /** Loads the address of the control block. */
  final void loadControl(Reg32 into) {
    a.mov(into, control);
  }

  /** Jumps to ecx. */
  final void jumpOn() {
    a.jmp(ECX);
  }
}
