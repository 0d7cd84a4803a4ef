package io.ntrail.live.code.x64;

import static io.ntrail.programs.x86.asm.operands.Mem.gs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RCX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RDX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSP;

import io.ntrail.live.code.SessionLayout;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Mem;

/**
 * Routine that records the arguments on the stack: the eight words above the caller's home space.
 * Called with rcx = the record and rdx = the key, it changes rax and no flag.
 *
 * <p>A function may be called where less than these words lies between it and the end of its stack,
 * and after that there may be no memory: words beyond the stack are recorded as 0, and so are all
 * words of a stack that the system does not know.
 */
final class StackArguments {
  private static final int WORDS = 8;

  /** Distance from the key to the first word. */
  private static final int HOME = 32;

  private static final int STACK_BASE = 8;
  private static final int STACK_LIMIT = 0x10;

  private StackArguments() {}

  /** Takes the ranges of code with their unwind data. */
  @FunctionalInterface
  interface Ranges {
    void add(Label begin, Label end, UnwindBytes info);
  }

  static void write(Assembler a, Label begin, Ranges ranges) {
    Label below = a.label("ends below the base");
    Label all = a.label("all words");
    Label some = a.label("some words");
    a.bind(begin)
        .push(RCX)
        .push(RDX)
        // The base minus the end of the words.
        .mov(RAX, RDX)
        .not(RAX)
        .mov(RCX, gs(STACK_BASE))
        .lea(RAX, ptr(RAX).index(RCX, 1).plus(1 - HOME - 8 * WORDS))
        .cqo()
        .mov(RCX, RDX)
        .jrcxz(below)
        .jmp(some)
        .bind(below)
        // The place of the return address minus the limit.
        .mov(RAX, ptr(RSP))
        .mov(RCX, gs(STACK_LIMIT))
        .not(RCX)
        .lea(RAX, ptr(RAX).index(RCX, 1).plus(1 - 8))
        .cqo()
        .mov(RCX, RDX)
        .jrcxz(all)
        .jmp(some)
        .bind(all);
    restore(a);
    Label copy = a.here("copy");
    ranges.add(begin, copy, UnwindBytes.prologue(0, 1, 2));
    for (int word = 0; word < WORDS; word++) {
      a.mov(RAX, ptr(RDX).plus(HOME + 8 * word)).mov(target(word), RAX);
    }
    a.ret();
    a.bind(some);
    ranges.add(copy, some, UnwindBytes.NONE);
    writeSome(a, some, ranges);
  }

  /** Reads as many words as the stack has. */
  private static void writeSome(Assembler a, Label some, Ranges ranges) {
    Label known = a.label("known stack");
    a.pushfq()
        .mov(RDX, ptr(RSP).plus(8))
        .mov(RCX, ptr(RSP).plus(16))
        .lea(RAX, ptr(RDX).plus(-8))
        .cmp(RAX, gs(STACK_LIMIT))
        .jae(known)
        // From there on every word is beyond.
        .mov(RDX, gs(STACK_BASE))
        .bind(known);
    for (int word = 0; word < WORDS; word++) {
      Label beyond = a.label();
      Label store = a.label();
      a.lea(RAX, ptr(RDX).plus(HOME + 8 * word + 8))
          .cmp(RAX, gs(STACK_BASE))
          .ja(beyond)
          .mov(RAX, ptr(RAX).plus(-8))
          .jmp(store)
          .bind(beyond)
          .xor(EAX, EAX)
          .bind(store)
          .mov(target(word), RAX);
    }
    a.popfq();
    Label last = a.here("flags are back");
    ranges.add(some, last, UnwindBytes.prologue(2, 1));
    restore(a);
    Label end = a.here("restored");
    ranges.add(last, end, UnwindBytes.pushed(2));
    a.ret();
    ranges.add(end, a.here("end of stack arguments"), UnwindBytes.NONE);
  }

  private static Mem target(int word) {
    return ptr(RCX).plus(SessionLayout.RECORD_STACK_ARGUMENTS + 8 * word);
  }

  private static void restore(Assembler a) {
    a.mov(RDX, ptr(RSP)).mov(RCX, ptr(RSP).plus(8)).lea(RSP, ptr(RSP).plus(16));
  }
}
