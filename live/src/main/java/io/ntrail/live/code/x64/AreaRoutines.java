package io.ntrail.live.code.x64;

import static io.ntrail.live.code.x64.AreaLayout.DELTA;
import static io.ntrail.live.code.x64.AreaLayout.FIRST;
import static io.ntrail.live.code.x64.AreaLayout.KEY;
import static io.ntrail.live.code.x64.AreaLayout.STRIDE;
import static io.ntrail.programs.x86.asm.operands.Mem.gs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg32.R8D;
import static io.ntrail.programs.x86.asm.operands.Reg64.R10;
import static io.ntrail.programs.x86.asm.operands.Reg64.R11;
import static io.ntrail.programs.x86.asm.operands.Reg64.R8;
import static io.ntrail.programs.x86.asm.operands.Reg64.R9;
import static io.ntrail.programs.x86.asm.operands.Reg64.RAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RCX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RDX;

import io.ntrail.live.code.SessionLayout;
import io.ntrail.programs.x86.asm.operands.Label;

/** Routines that give a stack an area, and drop the stale frames of one. */
final class AreaRoutines extends RuntimeRoutines {
  /** Limit of the search of a stack for an interrupted call. */
  private static final int SEARCHED = 0x8000;

  final Label assign = a.label("assign");
  final Label settle = a.label("settle");
  private final StackAreaCache index;
  private final int exit;

  AreaRoutines(RoutineContext parts) {
    super(parts);
    this.index = new StackAreaCache(parts);
    this.exit = SlotCode.assemble(words, parts.slotRecord(), parts.samples().exist()).exit();
  }

  void write() {
    writeAssign();
    index.write();
    writeSettle();
  }

  /**
   * Finds an area. Called with rcx = base of the stack, r11 = S + 8: its area in r9 and the first
   * free slot in r8, or r8 = 0. Uses rax, rdx, r10.
   */
  private void writeAssign() {
    Label next = a.label("next area");
    Label known = a.label("known");
    Label found = a.label("found");
    Label take = a.label("take");
    Label again = a.label("again");
    Label none = a.label("no area");
    Label untraced = a.label("known to have none");
    range(
        0,
        () -> {
          a.bind(assign).mov(R10, control);
          index.seek(found, untraced);
          a.lock()
              .inc(control(SessionLayout.AT_SEARCHES).as64())
              .mov(EAX, control(SessionLayout.AT_AREAS))
              .bind(next)
              .test(EAX, EAX)
              .jz(take)
              .dec(EAX)
              .mov(R9, ptr(R10).index(RAX, 8).plus(SessionLayout.AT_AREA_ADDRESSES))
              .test(R9, R9)
              .jz(next)
              .cmp(ptr(R9).plus(AreaLayout.STACK_BASE), RCX)
              .jne(next)
              .bind(known);
          index.rememberArea();
          a.bind(found);
          freeSlot();
          a
              // The area is this thread's from now on.
              .mov(RDX, RCX)
              .add(RDX, gs(0x30))
              .neg(RDX)
              .mov(ptr(R9).plus(AreaLayout.NEGATED_BASE), RDX)
              .ret()
              .bind(take)
              .mov(EAX, control(SessionLayout.AT_AREAS_TAKEN))
              .bind(again)
              .cmp(EAX, control(SessionLayout.AT_AREAS_OFFERED))
              .je(none)
              .mov(EDX, EAX)
              .and(EDX, SessionLayout.AREA_MASK)
              .mov(R8D, ptr(R10).index(RDX, 4).plus(SessionLayout.AT_AREA_RING))
              .lea(EDX, ptr(RAX).plus(1))
              .lock()
              .cmpxchg(control(SessionLayout.AT_AREAS_TAKEN), EDX)
              .jne(again)
              .mov(R9, ptr(R10).index(R8, 8).plus(SessionLayout.AT_AREA_ADDRESSES))
              .lea(RDX, ptr(RCX).plus(8))
              // Index -1 is the outermost frame there can be.
              .mov(ptr(R9).plus(AreaLayout.data(-1) + KEY), RDX)
              .mov(EDX, gs(0x48))
              .mov(ptr(R9).plus(AreaLayout.THREAD), EDX)
              .mov(ptr(R9).plus(AreaLayout.STACK_BASE), RCX)
              .jmp(known)
              .bind(none);
          index.rememberNone();
          a.bind(untraced).xor(R8D, R8D).ret();
        });
  }

  /**
   * Finds a free slot. With rcx = base of the stack, r9 = its area, r11 = S + 8: r8 = the first
   * free slot. Uses rax, rdx, r10.
   */
  private void freeSlot() {
    Label scan = a.label("scan");
    Label used = a.label("in use");
    Label idle = a.label("no frame");
    Label near = a.label("near enough");
    Label look = a.label("look for it");
    Label nothing = a.label("not interrupted");
    Label out = a.label("free");
    // Frames in use: their keys fall from slot to slot, down to where we are.
    a.lea(R8, ptr(R9).plus(FIRST))
        .mov(RAX, RCX)
        .bind(scan)
        .mov(RDX, ptr(R8).plus(DELTA + KEY))
        .cmp(RDX, RAX)
        // After a tail call two frames have the same key.
        .ja(idle)
        .cmp(RDX, R11)
        .jb(out)
        .mov(RAX, RDX)
        .bind(used)
        .add(R8, STRIDE)
        .lea(RDX, ptr(R9).plus(AreaLayout.code(AreaLayout.SLOTS)))
        .cmp(R8, RDX)
        .jb(scan)
        .jmp(out)
        // Free, or interrupted while it is taken or left, by what calls now and had switched to
        // another stack in between. Then the stack holds, above us and below the frame of the slot
        // before, what runs there: an address in the slot.
        .bind(idle)
        .lea(R10, ptr(RCX).plus(AreaLayout.UNKNOWN_KEY))
        .cmp(RDX, R10)
        .jne(out)
        .lea(RDX, ptr(RAX).plus(-8))
        .lea(RCX, ptr(R11).plus(SEARCHED))
        .cmp(RCX, RDX)
        .jbe(near)
        .mov(RCX, RDX)
        .bind(near)
        .mov(R10, R11)
        .bind(look)
        .cmp(R10, RCX)
        .ja(nothing)
        .mov(RDX, ptr(R10))
        .add(R10, 8)
        .sub(RDX, R8)
        .cmp(RDX, STRIDE)
        .jae(look)
        // Where a body returned to may lie about from an earlier call.
        .cmp(RDX, exit)
        .je(look)
        .mov(RCX, gs(8))
        .jmp(used)
        .bind(nothing)
        .mov(RCX, gs(8))
        .bind(out);
  }

  /**
   * Drops stale slots. Called with r8 = a slot, r9 = its area, r11 = S + 8: drops those below it. A
   * slot whose return point lies at S is alive regardless of its key: a tail call may have moved
   * the return address. Uses rcx, rdx.
   */
  private void writeSettle() {
    Label next = a.label("next slot");
    Label keys = a.label("keys");
    Label out = a.label("settled");
    range(
        0,
        () -> {
          a.bind(settle)
              .bind(next)
              .lea(RDX, ptr(R9).plus(FIRST))
              .cmp(R8, RDX)
              .jbe(out)
              .lea(RCX, ptr(R8).plus(exit - STRIDE))
              .cmp(ptr(R11).plus(-8), RCX)
              .jne(keys)
              .mov(ptr(R8).plus(DELTA + KEY - STRIDE), R11)
              .ret()
              .bind(keys)
              .cmp(ptr(R8).plus(DELTA + KEY - STRIDE), R11)
              .ja(out)
              .mov(ptr(R8).plus(DELTA + KEY - STRIDE).as64(), 0);
          if (parts.tables().exist()) {
            SlotTotals.abandon(a, words, ptr(R8).plus(DELTA - STRIDE));
          }
          a.sub(R8, STRIDE).jmp(next).bind(out).ret();
        });
  }
}
