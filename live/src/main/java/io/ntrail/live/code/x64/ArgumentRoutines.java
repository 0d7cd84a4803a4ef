package io.ntrail.live.code.x64;

import static io.ntrail.programs.x86.asm.operands.Mem.gs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.R12D;
import static io.ntrail.programs.x86.asm.operands.Reg32.R13D;
import static io.ntrail.programs.x86.asm.operands.Reg32.R8D;
import static io.ntrail.programs.x86.asm.operands.Reg64.R10;
import static io.ntrail.programs.x86.asm.operands.Reg64.R11;
import static io.ntrail.programs.x86.asm.operands.Reg64.R12;
import static io.ntrail.programs.x86.asm.operands.Reg64.R13;
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

import io.ntrail.live.code.ArgumentCopies.Copy;
import io.ntrail.live.code.SessionLayout;
import io.ntrail.programs.x86.asm.Condition;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Mem;
import io.ntrail.programs.x86.asm.operands.Reg64;
import io.ntrail.programs.x86.asm.operands.Reg8;
import io.ntrail.programs.x86.asm.operands.Xmm;
import java.util.List;

/**
 * Routine that records the arguments on the stack: the eight words above the caller's home space;
 * and memory that arguments point to, where a session has copies of it. Called with rcx = the
 * record, which has the arguments in registers, and rdx = the key, it changes rax and rdx, and no
 * flag.
 *
 * <p>A function may be called where less than these words lies between it and the end of its stack,
 * and after that there may be no memory: words beyond the stack are recorded as 0, and so are all
 * words of a stack that the system does not know.
 *
 * <p>Memory is copied only as far as the system says that it can be read, and never from a guard
 * page, which reading would remove. What another thread takes away meanwhile ends the copy, by a
 * handler of exceptions. Functions that run meanwhile are not traced.
 */
final class ArgumentRoutines extends RuntimeRoutines {
  private static final int WORDS = 8;

  /** Distance from the key to the first word. */
  private static final int HOME = 32;

  private static final int STACK_BASE = 8;
  private static final int STACK_LIMIT = 0x10;
  private static final int STACK_RESERVED = 0x1478;

  /** Bytes of stack that have to be left where memory is copied. */
  private static final int STACK_NEEDED = 0x4000;

  /** Registers that are pushed behind the flags, the frame register last. */
  private static final List<Reg64> PUSHED =
      List.of(RCX, R8, R9, R10, R11, RBX, RSI, RDI, R12, R13, RBP);

  /** The first so many of them need not be kept by a call. */
  private static final int VOLATILE = 5;

  /** Xmm0 to xmm5 need not be kept by a call. */
  private static final int VECTORS = 6;

  // Below rbp: registers of vectors, words of the thread.
  private static final int AT_VECTORS = -16 * VECTORS;
  private static final int AT_SLOT = AT_VECTORS - 8;
  private static final int AT_RECORD = AT_SLOT - 8;

  /** MXCSR of the program, and one as functions expect it. */
  private static final int AT_ROUNDING = AT_RECORD - 8;

  private static final int USUAL_ROUNDING = 0x1F80;

  // Above rsp: the fifth and sixth parameter of NtQueryVirtualMemory, MEMORY_BASIC_INFORMATION.
  private static final int AT_FIFTH = 0x20;
  private static final int AT_SIXTH = 0x28;
  private static final int AT_INFORMATION = 0x30;
  private static final int INFORMATION_BYTES = 0x30;
  private static final int AT_LENGTH = AT_INFORMATION + INFORMATION_BYTES;
  private static final int CALL_BYTES = AT_LENGTH + 16;
  private static final int REGION_SIZE = 0x18;
  private static final int STATE = 0x20;
  private static final int PROTECT = 0x24;

  /** NtCurrentProcess. */
  private static final int THIS_PROCESS = -1;

  /** MEM_COMMIT. */
  private static final int COMMITTED = 0x1000;

  /** PAGE_GUARD, PAGE_NOACCESS. */
  private static final int CLOSED = 0x101;

  /** All protections that allow to read. */
  private static final int READABLE = 0xEE;

  /** UWOP_SET_FPREG. */
  private static final int SET_FRAME = 3;

  /** Version 1, UNW_FLAG_EHANDLER. */
  private static final int GUARDED = 0x09;

  private static final int CONTEXT_RIP = 0xF8;

  /** EXCEPTION_UNWINDING, EXIT_UNWIND, TARGET_UNWIND, COLLIDED_UNWIND. */
  private static final int UNWINDING = 0x66;

  private static final int ACCESS_VIOLATION = 0xC000_0005;
  private static final int IN_PAGE_ERROR = 0xC000_0006;
  private static final int GUARD_PAGE = 0x8000_0001;

  final Label begin = a.label("arguments");
  private final Label untraced;

  /**
   * Routine of a session.
   *
   * @param untraced where functions go that are not to be traced
   */
  ArgumentRoutines(RoutineContext parts, Label untraced) {
    super(parts);
    this.untraced = untraced;
  }

  void write() {
    if (parts.records().copies().exist()) {
      Label words = a.label("stack arguments");
      writeStackWords(words);
      writeCopies(words);
    } else {
      writeStackWords(begin);
    }
  }

  private void writeStackWords(Label from) {
    Label below = a.label("ends below the base");
    Label all = a.label("all words");
    Label some = a.label("some words");
    a.bind(from)
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
    restoreTwo();
    Label copy = a.here("copy");
    parts.add(from, copy, UnwindBytes.prologue(0, 1, 2));
    for (int word = 0; word < WORDS; word++) {
      a.mov(RAX, ptr(RDX).plus(HOME + 8 * word)).mov(target(word), RAX);
    }
    a.ret();
    a.bind(some);
    parts.add(copy, some, UnwindBytes.NONE);
    writeSome(some);
  }

  /** Reads as many words as the stack has. */
  private void writeSome(Label some) {
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
    parts.add(some, last, UnwindBytes.prologue(2, 1));
    restoreTwo();
    Label end = a.here("restored");
    parts.add(last, end, UnwindBytes.pushed(2));
    a.ret();
    parts.add(end, a.here("end of stack arguments"), UnwindBytes.NONE);
  }

  private static Mem target(int word) {
    return ptr(RCX).plus(SessionLayout.RECORD_STACK_ARGUMENTS + 8 * word);
  }

  private void restoreTwo() {
    a.mov(RDX, ptr(RSP)).mov(RCX, ptr(RSP).plus(8)).lea(RSP, ptr(RSP).plus(16));
  }

  // Copies of memory.

  private void writeCopies(Label stackWords) {
    Label handler = a.label("copies: exception");
    Label load = a.label("copies: load");
    Label ended = a.label("copies: ended");
    Label one = a.label("copies: one");
    Label leave = a.label("copies: leave");
    a.bind(begin).pushfq();
    PUSHED.forEach(a::push);
    // From here on nothing that is pushed or called changes what unwinders find.
    a.mov(RBP, RSP)
        .call(stackWords)
        .mov(RBX, RCX)
        // Where little stack is left, the program needs it itself; another stack is none of ours.
        .mov(RAX, RSP)
        .cmp(RAX, gs(STACK_BASE))
        .jae(leave)
        .sub(RAX, gs(STACK_RESERVED))
        .jb(leave)
        .cmp(RAX, STACK_NEEDED)
        .jb(leave)
        .lea(RSP, ptr(RBP).plus(AT_ROUNDING))
        .and(RSP, -16);
    for (int i = 0; i < VECTORS; i++) {
      a.movups(ptr(RBP).plus(AT_VECTORS + 16 * i), Xmm.values()[i]);
    }
    a.cld()
        .stmxcsr(ptr(RBP).plus(AT_ROUNDING))
        .mov(ptr(RBP).plus(AT_ROUNDING + 4).as32(), USUAL_ROUNDING)
        .ldmxcsr(ptr(RBP).plus(AT_ROUNDING + 4))
        .mov(RAX, gs(words.slot()))
        .mov(ptr(RBP).plus(AT_SLOT), RAX)
        .lea(RAX, ptr(untraced))
        .mov(gs(words.slot()), RAX)
        .xor(EAX, EAX)
        .xchg(gs(words.record()).as64(), RAX)
        .mov(ptr(RBP).plus(AT_RECORD), RAX);
    int at = SessionLayout.RECORD_COPIES;
    for (Copy copy : parts.records().copies().copies()) {
      a.mov(RSI, ptr(RBX).plus(SessionLayout.RECORD_ARGUMENTS + 8 * copy.argument()))
          .lea(RSI, ptr(RSI).plus(copy.offset()))
          .lea(RDI, ptr(RBX).plus(at + SessionLayout.COPY_HEAD))
          .mov(R12D, copy.length())
          .mov(R13D, copy.isText() ? 1 : 0)
          .call(one)
          .sub(RDI, RBX)
          .sub(RDI, at + SessionLayout.COPY_HEAD)
          .mov(ptr(RBX).plus(at), RDI);
      at += copy.recordBytes();
    }
    a.mov(RAX, ptr(RBP).plus(AT_RECORD))
        .mov(gs(words.record()), RAX)
        .mov(RAX, ptr(RBP).plus(AT_SLOT))
        .mov(gs(words.slot()), RAX)
        .ldmxcsr(ptr(RBP).plus(AT_ROUNDING));
    for (int i = 0; i < VECTORS; i++) {
      a.movups(Xmm.values()[i], ptr(RBP).plus(AT_VECTORS + 16 * i));
    }
    a.jmp(leave);
    writeOne(one, load, ended);
    a.bind(leave);
    restore(handler);
    writeHandler(handler, load, ended);
  }

  /** Copies what rsi points to: r12 bytes at most to rdi, up to a NUL if r13 is not 0. */
  private void writeOne(Label one, Label load, Label ended) {
    Label region = a.label("copies: region");
    Label more = a.label("copies: more");
    a.bind(one)
        // The return address is a word more than a multiple of 16.
        .lea(RSP, ptr(RSP).plus(-(CALL_BYTES + 8)))
        .bind(region)
        .test(R12, R12)
        .jz(ended)
        .mov(RCX, THIS_PROCESS)
        .mov(RDX, RSI)
        .xor(R8D, R8D)
        .lea(R9, ptr(RSP).plus(AT_INFORMATION))
        .mov(ptr(RSP).plus(AT_FIFTH).as64(), INFORMATION_BYTES)
        .lea(RAX, ptr(RSP).plus(AT_LENGTH))
        .mov(ptr(RSP).plus(AT_SIXTH), RAX)
        .mov(RAX, parts.query())
        .call(RAX)
        .test(EAX, EAX)
        .jnz(ended)
        .cmp(ptr(RSP).plus(AT_INFORMATION + STATE).as32(), COMMITTED)
        .jne(ended)
        .mov(EAX, ptr(RSP).plus(AT_INFORMATION + PROTECT))
        .test(EAX, CLOSED)
        .jnz(ended)
        .test(EAX, READABLE)
        .jz(ended)
        .mov(RCX, ptr(RSP).plus(AT_INFORMATION))
        .add(RCX, ptr(RSP).plus(AT_INFORMATION + REGION_SIZE))
        .sub(RCX, RSI)
        .jbe(ended)
        .cmp(RCX, R12)
        .cmov(Condition.A, RCX, R12)
        .sub(R12, RCX)
        .bind(load)
        .movzx(EAX, ptr(RSI).as8())
        .mov(ptr(RDI), Reg8.AL)
        .inc(RDI)
        .inc(RSI)
        .test(R13D, R13D)
        .jz(more)
        .test(EAX, EAX)
        .jz(ended)
        .bind(more)
        .dec(RCX)
        .jnz(load)
        .jmp(region)
        .bind(ended)
        .lea(RSP, ptr(RSP).plus(CALL_BYTES + 8))
        .ret();
  }

  /** Ends the frame of rbp, below which everything is still as it was pushed. */
  private void restore(Label handler) {
    int last = PUSHED.size() - 1;
    for (int i = 0; i < last; i++) {
      a.mov(PUSHED.get(i), ptr(RBP).plus(8L * (last - i)));
    }
    a.mov(RSP, RBP);
    Label left = a.here("copies: frame is left");
    parts.addGuarded(begin, left, frame(), handler);
    a.pop(RBP);
    Label popped = a.here("copies: rbp is back");
    int[] codes = {push(0, RBP), UnwindBytes.allocation(0, PUSHED.size())};
    parts.add(left, popped, new UnwindBytes(1, 0, 0, codes));
    range(PUSHED.size(), () -> a.lea(RSP, ptr(RSP).plus(8L * last)));
    range(1, () -> a.popfq());
    range(0, () -> a.ret());
  }

  /** Returns the unwind data of the prologue: flags and registers are pushed, rbp is the frame. */
  private static UnwindBytes frame() {
    int words = PUSHED.size() + 1;
    int[] codes = new int[words + 1];
    int end = 1;
    codes[words] = UnwindBytes.allocation(end, 1);
    for (int i = 0; i < PUSHED.size(); i++) {
      Reg64 register = PUSHED.get(i);
      end += register.number() < 8 ? 1 : 2;
      codes[words - 1 - i] = i < VOLATILE ? UnwindBytes.allocation(end, 1) : push(end, register);
    }
    end += 3;
    codes[0] = end | SET_FRAME << 8;
    return new UnwindBytes(GUARDED, end, RBP.number(), codes);
  }

  /** Returns the unwind code of a nonvolatile register that was pushed. */
  private static int push(int at, Reg64 register) {
    return at | register.number() << 12;
  }

  /** Handler of exceptions: one at the load ends the copy. */
  private void writeHandler(Label handler, Label load, Label ended) {
    Label other = a.label("copies: not ours");
    Label ours = a.label("copies: ours");
    a.bind(handler)
        .test(ptr(RCX).plus(4).as32(), UNWINDING)
        .jnz(other)
        .lea(RAX, ptr(load))
        .cmp(RAX, ptr(R8).plus(CONTEXT_RIP))
        .jne(other)
        .mov(EAX, ptr(RCX))
        .cmp(EAX, ACCESS_VIOLATION)
        .je(ours)
        .cmp(EAX, IN_PAGE_ERROR)
        .je(ours)
        .cmp(EAX, GUARD_PAGE)
        .jne(other)
        .bind(ours)
        .lea(RAX, ptr(ended))
        .mov(ptr(R8).plus(CONTEXT_RIP), RAX)
        // ExceptionContinueExecution.
        .xor(EAX, EAX)
        .ret()
        .bind(other)
        // ExceptionContinueSearch.
        .mov(EAX, 1)
        .ret();
    parts.add(handler, a.here("copies: end"), UnwindBytes.NONE);
  }
}
