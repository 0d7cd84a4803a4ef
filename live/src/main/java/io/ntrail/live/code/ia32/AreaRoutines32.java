package io.ntrail.live.code.ia32;

import static io.ntrail.live.code.ia32.AreaLayout32.DELTA;
import static io.ntrail.live.code.ia32.AreaLayout32.FIRST;
import static io.ntrail.live.code.ia32.AreaLayout32.KEY;
import static io.ntrail.live.code.ia32.AreaLayout32.STRIDE;
import static io.ntrail.programs.x86.asm.operands.Mem.fs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Mem.scaled;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBP;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDI;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESI;

import io.ntrail.live.code.SessionLayout;
import io.ntrail.programs.x86.asm.operands.Label;

/** Routines that give a stack an area, and drop the stale frames of one. */
final class AreaRoutines32 extends RuntimeRoutines32 {
  /** Limit of the search of a stack for an interrupted call. */
  private static final int SEARCHED = 0x8000;

  private static final int PAGE = 0x1000;

  /** Bit of a word of the index: the stack has no area. Areas lie at whole pages. */
  private static final int ABSENT = 1;

  /** The golden ratio in 32 bits: spreads what differs anywhere over the highest bits. */
  private static final int SPREAD = 0x9E37_79B9;

  final Label assign = a.label("assign");
  final Label settle = a.label("settle");
  private final int exit;

  AreaRoutines32(RoutineContext32 parts) {
    super(parts);
    this.exit =
        SlotCode32.assemble(words, parts.slotRecord(), parts.cells(), parts.samples().exist())
            .exit();
  }

  void write() {
    writeAssign();
    writeSettle();
  }

  /**
   * Finds an area. Called with ecx = base of the stack, ebp = S + 4, ebx = control: its area in esi
   * and the first free slot in edi, or edi = 0. Uses eax, edx.
   */
  private void writeAssign() {
    Label search = a.label("search");
    Label next = a.label("next area");
    Label known = a.label("known");
    Label found = a.label("found");
    Label take = a.label("take");
    Label again = a.label("again");
    Label none = a.label("no area");
    Label absent = a.label("had none");
    Label untraced = a.label("has none");
    int shift = Integer.SIZE - AreaLayout32.INDEX_ENTRIES_BITS;
    a.bind(assign)
        // The area that a stack with such a base used last, true only if the area confirms it; or
        // that it got none.
        .imul(EDX, ECX, SPREAD)
        .shr(EDX, shift)
        .lea(EDX, scaled(EDX, 4).plus(parts.addresses().block() + AreaLayout32.INDEX))
        .mov(ESI, ptr(EDX))
        .test(ESI, ESI)
        .jz(search)
        .test(ESI, ABSENT)
        .jnz(absent)
        .cmp(ptr(ESI).plus(AreaLayout32.STACK_BASE), ECX)
        .je(found)
        .jmp(search)
        .bind(absent)
        .mov(EAX, control(SessionLayout.AT_AREAS_OFFERED));
    absence(search);
    a.cmp(ESI, EAX).je(untraced).bind(search);
    count(EBX, SessionLayout.AT_SEARCHES);
    a.mov(EAX, control(SessionLayout.AT_AREAS))
        .bind(next)
        .test(EAX, EAX)
        .jz(take)
        .dec(EAX)
        .mov(ESI, ptr(EBX).index(EAX, 8).plus(SessionLayout.AT_AREA_ADDRESSES))
        .test(ESI, ESI)
        .jz(next)
        .cmp(ptr(ESI).plus(AreaLayout32.STACK_BASE), ECX)
        .jne(next)
        .bind(known)
        .mov(ptr(EDX), ESI)
        .bind(found);
    freeSlot();
    a
        // The area is this thread's from now on.
        .mov(EDX, ECX)
        .add(EDX, fs(TlsOffsets32.THREAD_BLOCK))
        .neg(EDX)
        .mov(ptr(ESI).plus(AreaLayout32.NEGATED_BASE), EDX)
        .ret()
        .bind(take)
        .mov(EAX, control(SessionLayout.AT_AREAS_TAKEN))
        .bind(again)
        .cmp(EAX, control(SessionLayout.AT_AREAS_OFFERED))
        .je(none)
        .mov(EDI, EAX)
        .and(EDI, SessionLayout.AREA_MASK)
        .mov(EDI, ptr(EBX).index(EDI, 4).plus(SessionLayout.AT_AREA_RING))
        .lea(ESI, ptr(EAX).plus(1));
    a.lock()
        .cmpxchg(control(SessionLayout.AT_AREAS_TAKEN), ESI)
        .jne(again)
        .mov(ESI, ptr(EBX).index(EDI, 8).plus(SessionLayout.AT_AREA_ADDRESSES))
        // Index -1 is the outermost frame there can be.
        .lea(EAX, ptr(ECX).plus(4))
        .mov(ptr(ESI).plus(AreaLayout32.data(-1) + KEY), EAX)
        .mov(EAX, fs(TlsOffsets32.THREAD_ID))
        .mov(ptr(ESI).plus(AreaLayout32.THREAD), EAX)
        .mov(ptr(ESI).plus(AreaLayout32.STACK_BASE), ECX)
        .jmp(known)
        .bind(none);
    absence(untraced);
    a.mov(ptr(EDX), EAX).bind(untraced).xor(EDI, EDI).ret();
  }

  /**
   * Makes the word of the index that says that a stack has no area, true until another one is
   * offered: the base of the stack, which ends with a page, and below it the low 11 bits of how
   * many areas were offered. With ecx = base, eax = number: the word in eax.
   *
   * @param none where it goes if the base is not at a page
   */
  private void absence(Label none) {
    a.test(ECX, PAGE - 1)
        .jnz(none)
        .lea(EAX, ptr(EAX).index(EAX, 1).plus(ABSENT))
        .and(EAX, PAGE - 1)
        .or(EAX, ECX);
  }

  /**
   * Finds a free slot. With ecx = base of the stack, esi = its area, ebp = S + 4: edi = the first
   * free slot. Uses eax, edx.
   */
  private void freeSlot() {
    Label scan = a.label("scan");
    Label used = a.label("in use");
    Label below = a.label("below");
    Label idle = a.label("no frame");
    Label near = a.label("near enough");
    Label look = a.label("look for it");
    Label nothing = a.label("not interrupted");
    Label interrupted = a.label("interrupted");
    Label out = a.label("free");
    // Frames in use: their keys fall from slot to slot, down to where we are.
    a.lea(EDI, ptr(ESI).plus(FIRST))
        .mov(EAX, ECX)
        .bind(scan)
        .mov(EDX, ptr(EDI).plus(DELTA + KEY))
        .cmp(EDX, EAX)
        // After a tail call two frames have the same key.
        .ja(idle)
        .cmp(EDX, EBP)
        .jb(below)
        .mov(EAX, EDX)
        .bind(used)
        .add(EDI, STRIDE)
        .lea(EDX, ptr(ESI).plus(AreaLayout32.code(AreaLayout32.SLOTS)))
        .cmp(EDI, EDX)
        .jb(scan)
        .jmp(out)
        // Alive in spite of its key if its return point is ours: the return address was moved up.
        .bind(below)
        .lea(EDX, ptr(EDI).plus(exit))
        .cmp(ptr(EBP).plus(-4), EDX)
        .jne(out)
        .mov(ptr(EDI).plus(DELTA + KEY), EBP)
        .jmp(used)
        // Free, or interrupted while it is taken or left, by what calls now and had switched to
        // another stack in between. Then the stack holds, above us and below the frame of the slot
        // before, what runs there: an address in the slot.
        .bind(idle)
        .lea(ECX, ptr(ECX).plus(AreaLayout32.UNKNOWN_KEY))
        .cmp(EDX, ECX)
        .jne(nothing)
        .push(EAX)
        .lea(ECX, ptr(EBP).plus(SEARCHED))
        .lea(EDX, ptr(EAX).plus(-4))
        .cmp(ECX, EDX)
        .jbe(near)
        .mov(ECX, EDX)
        .bind(near)
        .mov(EAX, EBP)
        .bind(look)
        .cmp(EAX, ECX)
        .ja(interrupted)
        .mov(EDX, ptr(EAX))
        .add(EAX, 4)
        .sub(EDX, EDI)
        .cmp(EDX, STRIDE)
        .jae(look)
        // Where a body returned to may lie about from an earlier call.
        .cmp(EDX, exit)
        .je(look)
        .pop(EAX)
        .mov(ECX, fs(TlsOffsets32.STACK_BASE))
        .jmp(used)
        .bind(interrupted)
        .pop(EAX)
        .bind(nothing)
        .mov(ECX, fs(TlsOffsets32.STACK_BASE))
        .bind(out);
  }

  /**
   * Drops stale slots. Called with edi = a slot, esi = its area, ebp = S + 4: drops those below it.
   * A slot whose return point lies at S is alive regardless of its key: a tail call may have moved
   * the return address, up as well as down. Uses ecx, edx.
   */
  private void writeSettle() {
    Label next = a.label("next slot");
    Label keys = a.label("keys");
    Label out = a.label("settled");
    a.bind(settle)
        .bind(next)
        .lea(EDX, ptr(ESI).plus(FIRST))
        .cmp(EDI, EDX)
        .jbe(out)
        .lea(ECX, ptr(EDI).plus(exit - STRIDE))
        .cmp(ptr(EBP).plus(-4), ECX)
        .jne(keys)
        .cmp(ptr(EDI).plus(DELTA + KEY - STRIDE), EBP)
        .jae(out)
        .mov(ptr(EDI).plus(DELTA + KEY - STRIDE), EBP)
        .ret()
        .bind(keys)
        .cmp(ptr(EDI).plus(DELTA + KEY - STRIDE), EBP)
        .ja(out)
        .mov(ptr(EDI).plus(DELTA + KEY - STRIDE).as32(), 0);
    if (parts.tables().exist()) {
      SlotTotals32.abandon(a, words, ptr(EDI).plus(DELTA - STRIDE));
    }
    a.sub(EDI, STRIDE).jmp(next).bind(out).ret();
  }
}
