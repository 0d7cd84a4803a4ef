package io.ntrail.programs.x86.asm;

import static io.ntrail.programs.x86.asm.SlotCode64.DELTA;
import static io.ntrail.programs.x86.asm.SlotCode64.HEADER;
import static io.ntrail.programs.x86.asm.SlotCode64.KEY;
import static io.ntrail.programs.x86.asm.SlotCode64.RECORD_TLS;
import static io.ntrail.programs.x86.asm.SlotCode64.SLOTS;
import static io.ntrail.programs.x86.asm.SlotCode64.SLOT_TLS;
import static io.ntrail.programs.x86.asm.SlotCode64.STRIDE;
import static io.ntrail.programs.x86.asm.operands.Mem.gs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg32.R10D;
import static io.ntrail.programs.x86.asm.operands.Reg32.R9D;
import static io.ntrail.programs.x86.asm.operands.Reg64.R10;
import static io.ntrail.programs.x86.asm.operands.Reg64.R11;
import static io.ntrail.programs.x86.asm.operands.Reg64.R8;
import static io.ntrail.programs.x86.asm.operands.Reg64.R9;
import static io.ntrail.programs.x86.asm.operands.Reg64.RAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RCX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RDX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSP;

import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Reg16;

/**
 * Slow-path routines of slots of 64-bit code: a stale slot or another stack, the first function of
 * a stack, the end of a chunk of records, an exception that passes a traced function.
 */
final class Routines64 {
  // The page before the slots.
  static final int STACK_BASE = 0;
  static final int NEGATED_BASE = 8;
  static final int THREAD = 16;

  // The control block.
  static final int ENABLED = 64;
  static final int AREA_HEAD = 72;
  static final int AREA_TAIL = 76;
  static final int FREE_HEAD = 80;
  static final int FREE_TAIL = 84;
  static final int FULL_HEAD = 88;
  static final int LOST = 96;
  static final int NO_AREA = 104;
  static final int SLOW_PASSES = 120;
  static final int CHUNKS = 1024;
  static final int AREAS = 4096;
  static final int FREE_RING = 36864;
  static final int FULL_RING = 45056;

  private static final int RING_MASK = 2047;
  private static final int CHUNK = 0x1_0000;
  private static final int RECORD = 32;

  private Routines64() {}

  /**
   * A slot found what it did not expect: drops stale slots above the stack pointer, or changes to
   * the slots of another stack, and enters again.
   *
   * @param firstSlot the code of slot 0 of this area
   * @param exitOffset where a slot's exit is
   */
  static void slow(Assembler a, Cells cells, Label firstSlot, int exitOffset) {
    Label common = a.label("common");
    Label otherStack = a.label("other stack");
    Label settle = a.label("settle");
    Label keys = a.label("compare keys");
    Label settled = a.label("settled");
    saveForSlow(a);
    // The slot has taken itself already, and has saved rdx.
    a.mov(R8, gs(SLOT_TLS))
        .sub(R8, STRIDE)
        .mov(RDX, ptr(R8).plus(DELTA + SlotCode64.SAVE_RDX))
        .jmp(common);
    a.here("overflow");
    saveForSlow(a);
    a.mov(R8, gs(SLOT_TLS))
        .bind(common)
        .lea(R11, ptr(RSP).plus(64 + 8))
        .lea(R9, ptr(firstSlot))
        .mov(RCX, gs(8))
        .cmp(RCX, ptr(firstSlot).plus(-HEADER - STRIDE + STACK_BASE))
        .jne(otherStack)
        .bind(settle)
        .cmp(R8, R9)
        .je(settled)
        .lea(R10, ptr(R8).plus(exitOffset - STRIDE))
        .cmp(ptr(R11).plus(-8), R10)
        .jne(keys)
        // Live whatever its key says: a tail call may have moved its return address.
        .cmp(ptr(R8).plus(DELTA + KEY - STRIDE), R11)
        .jae(settled)
        .mov(ptr(R8).plus(DELTA + KEY - STRIDE), R11)
        .jmp(settled)
        .bind(keys)
        .cmp(ptr(R8).plus(DELTA + KEY - STRIDE), R11)
        .ja(settled)
        .and(ptr(R8).plus(DELTA + KEY - STRIDE).as64(), 0)
        .sub(R8, STRIDE)
        .jmp(settle)
        .bind(settled)
        .mov(gs(SLOT_TLS), R8)
        .mov(RCX, ptr(cells.control))
        .lock()
        .inc(ptr(RCX).plus(SLOW_PASSES).as64())
        .mov(RCX, R8);
    restoreForSlow(a);
    a.jmp(RCX).bind(otherStack);
    otherStack(a, cells, settle);
  }

  /** Finds the area of the stack whose base is in rcx, and the first slot that it does not use. */
  private static void otherStack(Assembler a, Cells cells, Label settle) {
    Label next = a.label("next area");
    Label none = a.label("no area");
    Label scan = a.label("scan");
    a.mov(R10, ptr(cells.control))
        .mov(EAX, ptr(R10).plus(AREA_HEAD))
        .bind(next)
        .test(EAX, EAX)
        .jz(none)
        .dec(EAX)
        .mov(R8, ptr(R10).index(RAX, 8).plus(AREAS))
        .test(R8, R8)
        .jz(next)
        .cmp(ptr(R8).plus(STACK_BASE), RCX)
        .jne(next)
        .mov(RAX, ptr(R8).plus(HEADER + DELTA + KEY))
        .add(R8, HEADER + STRIDE)
        .mov(R9, R8)
        .lea(R10, ptr(R8).plus(SLOTS * STRIDE))
        .bind(scan)
        .mov(RCX, ptr(R8).plus(DELTA + KEY))
        .cmp(RCX, RAX)
        .jae(settle)
        .cmp(RCX, R11)
        .jbe(settle)
        .mov(RAX, RCX)
        .add(R8, STRIDE)
        .cmp(R8, R10)
        .jb(scan)
        .jmp(settle)
        .bind(none)
        .mov(RCX, ptr(cells.init));
    restoreForSlow(a);
    a.jmp(RCX);
  }

  private static void saveForSlow(Assembler a) {
    a.pushfq().push(R8).push(R9).push(R10).push(R11).push(RAX);
  }

  private static void restoreForSlow(Assembler a) {
    a.pop(RAX).pop(R11).pop(R10).pop(R9).pop(R8).popfq();
  }

  /** The first traced function of a stack: takes an area, and goes to its first slot. */
  static void init(Assembler a, Cells cells) {
    Label leave = a.label("leave");
    Label none = a.label("none");
    Label untraced = a.label("untraced");
    Label recording = a.label("recording");
    a.pushfq()
        .push(RDX)
        .push(R8)
        .push(R9)
        .lea(RDX, ptr(untraced))
        .mov(gs(SLOT_TLS), RDX)
        .mov(R8, ptr(cells.control))
        .cmp(ptr(R8).plus(ENABLED).as32(), 0)
        .je(leave)
        .cmp(RSP, gs(8))
        .jae(leave)
        .cmp(RSP, gs(0x10))
        .jb(leave)
        .mov(R9D, 1)
        .lock()
        .xadd(ptr(R8).plus(AREA_HEAD), R9D)
        .cmp(R9D, ptr(R8).plus(AREA_TAIL))
        .jae(none)
        .mov(R9, ptr(R8).index(R9, 8).plus(AREAS))
        .mov(RDX, gs(8))
        .mov(ptr(R9).plus(STACK_BASE), RDX)
        .lea(RCX, ptr(RDX).plus(8))
        .mov(ptr(R9).plus(HEADER + DELTA + KEY), RCX)
        .neg(RDX)
        .mov(ptr(R9).plus(NEGATED_BASE), RDX)
        .mov(EDX, gs(0x48))
        .mov(ptr(R9).plus(THREAD), EDX)
        .cmp(gs(RECORD_TLS).as64(), 0)
        .jne(recording)
        .push(RAX)
        .call(ptr(cells.firstChunk))
        .pop(RAX)
        .bind(recording)
        .lea(RCX, ptr(R9).plus(HEADER + STRIDE))
        .mov(gs(SLOT_TLS), RCX)
        .pop(R9)
        .pop(R8)
        .pop(RDX)
        .popfq()
        .jmp(RCX)
        .bind(none)
        .lock()
        .inc(ptr(R8).plus(NO_AREA).as64())
        .mov(gs(SLOT_TLS).as64(), 0)
        .bind(leave)
        .pop(R9)
        .pop(R8)
        .pop(RDX)
        .popfq()
        .bind(untraced)
        .lea(RAX, ptr(RAX).plus(-2))
        .jmp(RAX);
  }

  /**
   * The end of a chunk of records: hands it over and takes another; rax, rcx, rdx need not be kept.
   */
  static void full(Assembler a, Cells cells) {
    Label take = a.label("take");
    Label again = a.label("again");
    Label spill = a.label("spill");
    Label set = a.label("set");
    a.pushfq()
        .push(R8)
        .push(R9)
        .push(R10)
        .mov(R8, gs(RECORD_TLS))
        .mov(R9, ptr(cells.control))
        .sub(R8, CHUNK)
        .mov(R10, R8)
        .sub(R10, R9)
        .shr(R10, 16)
        .cmp(R10, ptr(R9).plus(CHUNKS))
        .ja(spill)
        .mov(ptr(R8).as32(), 2)
        .mov(EAX, 1)
        .lock()
        .xadd(ptr(R9).plus(FULL_HEAD), EAX)
        .and(EAX, RING_MASK)
        .mov(ptr(R9).index(RAX, 4).plus(FULL_RING), R10D)
        .bind(take)
        .mov(EAX, ptr(R9).plus(FREE_HEAD))
        .bind(again)
        .cmp(EAX, ptr(R9).plus(FREE_TAIL))
        .je(spill)
        .mov(EDX, EAX)
        .and(EDX, RING_MASK)
        .mov(R10D, ptr(R9).index(RDX, 4).plus(FREE_RING))
        .lea(EDX, ptr(RAX).plus(1))
        .lock()
        .cmpxchg(ptr(R9).plus(FREE_HEAD), EDX)
        .jne(again)
        .shl(R10, 16)
        .lea(R8, ptr(R9).index(R10, 1).plus(CHUNK))
        .rdtsc()
        .shl(RDX, 32)
        .or(RAX, RDX)
        .mov(ptr(R8).plus(16), RAX)
        .mov(EAX, gs(0x48))
        .mov(ptr(R8).plus(4), EAX)
        .mov(ptr(R8).as32(), 1)
        .jmp(set)
        .bind(spill)
        .lock()
        .add(ptr(R9).plus(LOST).as64(), CHUNK / RECORD - 1)
        .mov(R8, ptr(cells.spill))
        .bind(set)
        .add(R8, RECORD)
        .mov(gs(RECORD_TLS), R8)
        .pop(R10)
        .pop(R9)
        .pop(R8)
        .popfq()
        .ret();
  }

  /** Assembles the handler for exceptions that pass a traced function. */
  static void handler(Assembler a, Cells cells, int exitOffset) {
    Label out = a.label("out");
    a.test(ptr(RCX).plus(4).as32(), 0x66)
        .jz(out)
        .mov(R10, ptr(R9))
        .mov(R11, gs(RECORD_TLS))
        .test(R11, R11)
        .jz(out)
        .add(R10, DELTA - exitOffset)
        .add(RDX, 16)
        .mov(ptr(R11).plus(24), RDX)
        .mov(EAX, ptr(RCX))
        .mov(ptr(R11).plus(16), RAX)
        .rdtsc()
        .mov(ptr(R11), EAX)
        .mov(ptr(R11).plus(4), EDX)
        .mov(RAX, ptr(R10).plus(SlotCode64.BODY))
        .mov(ptr(R11).plus(8), EAX)
        .mov(EAX, ptr(R10).plus(SlotCode64.META))
        .add(EAX, 2)
        .mov(ptr(R11).plus(12), EAX)
        .add(R11, RECORD)
        .mov(gs(RECORD_TLS), R11)
        .test(Reg16.R11W, Reg16.R11W)
        .jnz(out)
        .sub(RSP, 0x28)
        .call(ptr(cells.full))
        .add(RSP, 0x28)
        .bind(out)
        .mov(EAX, 1)
        .ret();
  }

  /** Pointers that lie beside the routines. */
  static final class Cells {
    final Label control;
    final Label init;
    final Label full;
    final Label firstChunk;
    final Label spill;

    Cells(Assembler a) {
      control = a.label("control");
      init = a.label("init");
      full = a.label("full");
      firstChunk = a.label("first chunk");
      spill = a.label("spill");
    }

    /** Gives them their places here. */
    void bind(Assembler a) {
      a.bind(control).dq(0).bind(init).dq(0).bind(full).dq(0);
      a.bind(firstChunk).dq(0).bind(spill).dq(0);
    }
  }
}
