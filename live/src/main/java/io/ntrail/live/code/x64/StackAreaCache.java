package io.ntrail.live.code.x64;

import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg32.R9D;
import static io.ntrail.programs.x86.asm.operands.Reg64.R8;
import static io.ntrail.programs.x86.asm.operands.Reg64.R9;
import static io.ntrail.programs.x86.asm.operands.Reg64.RAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RCX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RDX;

import io.ntrail.live.code.SessionLayout;
import io.ntrail.programs.x86.asm.operands.Label;

/**
 * Cache of the areas of stacks, so that all areas need not be searched at each switch of fibers, or
 * at each call of a stack for which there is no area.
 *
 * <p>512 lines of eight words, in the runtime block. Which line is a stack's follows from its base.
 * A word is the address of its area, with bits of the base below; or, with bit 63, the base and,
 * above it, the low 15 bits of how many areas were offered when it got none; or 0. A cached area is
 * used only if the area confirms it; a cached absence only until another area is offered. Threads
 * write it without a lock: a word that gets lost is found again.
 */
final class StackAreaCache extends RuntimeRoutines {
  private static final int LINE = 64;
  private static final int LINE_BITS = 9;

  /** Its size. */
  static final int BYTES = LINE << LINE_BITS;

  /** The golden ratio in 64 bits: spreads what differs anywhere over the highest bits. */
  private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

  private static final int PAGE_BITS = 12;
  private static final int BASE_BITS = 48;
  private static final int NO_AREA = 0x8000;

  private final Label rememberArea = a.label("remember an area");
  private final Label rememberNone = a.label("remember that there is none");

  StackAreaCache(RoutineContext parts) {
    super(parts);
  }

  /**
   * Looks an area up. With rcx = base of the stack and r10 = control: goes where its area is in r9,
   * or where there is none, or continues. Uses rax, rdx, r8, r9.
   */
  void seek(Label found, Label none) {
    Label next = a.label("next word");
    Label miss = a.label("another stack's");
    line();
    a.mov(R9, RDX)
        .mov(EAX, control(SessionLayout.AT_AREAS_OFFERED))
        .or(EAX, NO_AREA)
        .shl(RAX, BASE_BITS)
        .or(RAX, RCX)
        .mov(R8, RCX)
        .shr(R8, PAGE_BITS)
        .bind(next)
        .mov(RDX, ptr(R9))
        .cmp(RDX, RAX)
        .je(none)
        .test(RDX, RDX)
        .jle(miss)
        .xor(RDX, R8)
        .test(EDX, AreaLayout.ALIGNMENT - 1)
        .jnz(miss)
        .xor(RDX, R8)
        .and(RDX, -AreaLayout.ALIGNMENT)
        .cmp(ptr(RDX).plus(AreaLayout.STACK_BASE), RCX)
        .jne(miss)
        .mov(R9, RDX)
        .jmp(found)
        .bind(miss)
        .add(R9, 8)
        .test(R9D, LINE - 1)
        .jnz(next);
  }

  /** Stores an area. With rcx = base of the stack, r9 = its area. Uses rax, rdx, r8. */
  void rememberArea() {
    a.call(rememberArea);
  }

  /**
   * Stores that there is no area. With rcx = base of the stack, eax = number of offered areas, all
   * taken. Uses rax, rdx, r8.
   */
  void rememberNone() {
    a.call(rememberNone);
  }

  void write() {
    Label put = a.label("put");
    Label move = a.label("move on");
    range(
        0,
        () -> {
          a.bind(rememberNone)
              .or(EAX, NO_AREA)
              .shl(RAX, BASE_BITS)
              .or(RAX, RCX)
              .jmp(put)
              .bind(rememberArea)
              .mov(RAX, RCX)
              .shr(RAX, PAGE_BITS)
              .and(RAX, AreaLayout.ALIGNMENT - 1)
              .or(RAX, R9)
              .bind(put);
          line();
          // Into the first place; what was there moves on, and the last of the line is forgotten.
          a.bind(move).xchg(ptr(RDX), RAX).add(RDX, 8).test(EDX, LINE - 1).jnz(move).ret();
        });
  }

  /** Computes the line of a stack. With rcx = its base: rdx = its line. Uses r8. */
  private void line() {
    a.mov(RDX, SPREAD)
        .imul(RDX, RCX)
        .shr(RDX, Long.SIZE - LINE_BITS)
        .shl(RDX, Integer.numberOfTrailingZeros(LINE))
        .mov(R8, parts.block() + AreaLayout.INDEX)
        .add(RDX, R8);
  }
}
