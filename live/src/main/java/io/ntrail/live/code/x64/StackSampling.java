package io.ntrail.live.code.x64;

import static io.ntrail.programs.x86.asm.operands.Mem.gs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg32.R8D;
import static io.ntrail.programs.x86.asm.operands.Reg64.R10;
import static io.ntrail.programs.x86.asm.operands.Reg64.R11;
import static io.ntrail.programs.x86.asm.operands.Reg64.R12;
import static io.ntrail.programs.x86.asm.operands.Reg64.R13;
import static io.ntrail.programs.x86.asm.operands.Reg64.R14;
import static io.ntrail.programs.x86.asm.operands.Reg64.R15;
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

import io.ntrail.live.code.SamplePlaces;
import io.ntrail.live.code.SessionLayout;
import io.ntrail.programs.x86.asm.Condition;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Reg64;
import java.util.List;

/**
 * Routine that copies the stack of one of each so many calls into a place of the session file.
 * Called with rcx = the record, whose key and ticks are stored, and rax = the address of the
 * countdown, it changes rax, rdx and no flag. Of a call that is copied it stores the ticks again,
 * afterwards: the time that the copy takes is none of the call's.
 *
 * <p>It never waits: where no place is free, the call is counted. No nonvolatile register is
 * changed.
 */
final class StackSampling extends RuntimeRoutines {
  /** Stacks larger than this are made up by the program; reading there may fail. */
  private static final int MOST_STACK = 1 << 30;

  private static final int STACK_BASE = 8;
  private static final int STACK_LIMIT = 0x10;
  private static final int THREAD_ID = 0x48;

  /** Registers in the order of {@link SamplePlaces#REGISTERS}. */
  private static final List<Reg64> REGISTERS = List.of(RBX, RBP, RSI, RDI, R12, R13, R14, R15);

  /** Words that the routine pushes. */
  private static final int WORDS = 6;

  final Label begin = a.label("stack sampling");
  private final SamplePlaces places;

  StackSampling(RoutineContext parts) {
    super(parts);
    this.places = parts.samples();
  }

  void write() {
    Label sample = a.label("sample");
    Label take = a.label("sample: take");
    Label unknown = a.label("sample: unknown stack");
    Label done = a.label("sample: done");
    a.bind(begin)
        .mov(RDX, RCX)
        .mov(RCX, ptr(RAX))
        .jrcxz(sample)
        .lea(RCX, ptr(RCX).plus(-1))
        .mov(ptr(RAX), RCX)
        .mov(RCX, RDX)
        .ret()
        .bind(sample);
    parts.add(begin, sample, UnwindBytes.NONE);
    Label end = a.label("sample: end");
    a.pushfq().push(R8).push(R9).push(R10).push(R11).push(RDX);
    parts.add(sample, end, UnwindBytes.prologue(0, 1, 3, 5, 7, 9, 10));
    a.mov(R8D, places.every() - 1).mov(ptr(RAX), R8);
    a.mov(R10, control)
        .cmp(ptr(R10).plus(SessionLayout.AT_ENABLED).as32(), 0)
        .je(done)
        .mov(R9, ptr(RDX).plus(SessionLayout.RECORD_KEY))
        .sub(R9, Long.BYTES)
        // Whatever is read lies on the stack as the system knows it.
        .cmp(R9, gs(STACK_LIMIT))
        .jb(unknown)
        .mov(R11, gs(STACK_BASE))
        .mov(RAX, R11)
        .sub(RAX, gs(STACK_LIMIT))
        .cmp(RAX, MOST_STACK)
        .ja(unknown)
        .sub(R11, R9)
        .jbe(unknown);
    claim(take, done);
    a.bind(unknown)
        .lock()
        .inc(ptr(R10).plus(SessionLayout.AT_SAMPLES_UNKNOWN).as64())
        .jmp(done)
        .bind(take);
    copy();
    clock();
    Label restore = a.label("sample: restore");
    a.mov(ptr(R10).plus(SamplePlaces.TICKS), EAX)
        .mov(ptr(R10).plus(SamplePlaces.TICKS + 4), EDX)
        // The last store hands the place over.
        .mov(ptr(R10).as32(), SamplePlaces.WRITTEN)
        .jmp(restore)
        .bind(done);
    clock();
    a.bind(restore)
        .mov(RCX, ptr(RSP))
        .mov(R11, ptr(RSP).plus(8))
        .mov(R10, ptr(RSP).plus(16))
        .mov(R9, ptr(RSP).plus(24))
        .mov(R8, ptr(RSP).plus(32))
        .lea(RSP, ptr(RSP).plus(8 * (WORDS - 1)))
        .bind(end);
    range(1, () -> a.popfq());
    range(0, () -> a.ret());
  }

  /** Stores the ticks of the record again. */
  private void clock() {
    a.mov(RCX, ptr(RSP))
        .rdtsc()
        .mov(ptr(RCX).plus(SessionLayout.RECORD_TICKS), EAX)
        .mov(ptr(RCX).plus(SessionLayout.RECORD_TICKS + 4), EDX);
  }

  /** Claims a place, which r10 holds then; r10 is the control block if there is none. */
  private void claim(Label take, Label done) {
    Label next = a.label("sample: next place");
    Label busy = a.label("sample: busy place");
    a.mov(R10, control + places.at())
        .mov(R8D, SamplePlaces.PLACES)
        .mov(EDX, SamplePlaces.CLAIMED)
        .bind(next)
        .xor(EAX, EAX)
        .cmp(ptr(R10).as32(), SamplePlaces.FREE)
        .jne(busy)
        .lock()
        .cmpxchg(ptr(R10), EDX)
        .je(take)
        .bind(busy)
        .add(R10, SamplePlaces.PLACE_BYTES)
        .dec(R8D)
        .jnz(next)
        .mov(R10, control)
        .lock()
        .inc(ptr(R10).plus(SessionLayout.AT_SAMPLES_MISSED).as64())
        .jmp(done);
  }

  /** Fills the place in r10: r9 is where the return address lies, r11 the bytes up to the base. */
  private void copy() {
    Label frame = a.label("sample: frame");
    Label stack = a.label("sample: stack");
    Label word = a.label("sample: word");
    Label none = a.label("sample: no word");
    a.mov(EAX, gs(THREAD_ID))
        .mov(ptr(R10).plus(SamplePlaces.THREAD), EAX)
        .lea(RAX, ptr(R9).plus(Long.BYTES))
        .mov(ptr(R10).plus(SamplePlaces.KEY), RAX)
        .mov(RCX, gs(STACK_BASE))
        .mov(ptr(R10).plus(SamplePlaces.STACK_BASE), RCX);
    for (int i = 0; i < REGISTERS.size(); i++) {
      a.mov(ptr(R10).plus(SamplePlaces.REGISTERS + Long.BYTES * i), REGISTERS.get(i));
    }
    a.mov(ptr(R10).plus(SamplePlaces.AREA).as64(), 0)
        .lea(RDX, ptr(R10).plus(SamplePlaces.FRAMES))
        .mov(R8, gs(words.slot()))
        .test(R8, R8)
        .jz(stack)
        .mov(RAX, R8)
        .and(RAX, -AreaLayout.ALIGNMENT)
        // An area of another stack knows nothing of this one.
        .cmp(ptr(RAX).plus(AreaLayout.STACK_BASE), RCX)
        .jne(stack)
        .mov(ptr(R10).plus(SamplePlaces.AREA), RAX)
        .lea(RCX, ptr(RAX).plus(AreaLayout.FIRST))
        .bind(frame)
        .sub(R8, AreaLayout.STRIDE)
        .cmp(R8, RCX)
        .jb(stack)
        .mov(RAX, ptr(R8).plus(AreaLayout.DELTA + AreaLayout.KEY))
        .mov(ptr(RDX), RAX)
        .mov(RAX, ptr(R8).plus(AreaLayout.DELTA + AreaLayout.RET))
        .mov(ptr(RDX).plus(Long.BYTES), RAX)
        .add(RDX, SamplePlaces.FRAME_BYTES)
        .jmp(frame)
        .bind(stack)
        .mov(RAX, RDX)
        .sub(RAX, R10)
        .mov(ptr(R10).plus(SamplePlaces.STACK_AT), EAX)
        .mov(R8D, SamplePlaces.PLACE_BYTES)
        .sub(R8, RAX)
        .cmp(R11, R8)
        .cmov(Condition.A, R11, R8)
        .shr(R11, 3)
        .mov(RAX, R11)
        .shl(RAX, 3)
        .mov(ptr(R10).plus(SamplePlaces.STACK_BYTES), EAX)
        .test(R11, R11)
        .jz(none)
        .bind(word)
        .mov(RAX, ptr(R9))
        .mov(ptr(RDX), RAX)
        .add(R9, Long.BYTES)
        .add(RDX, Long.BYTES)
        .dec(R11)
        .jnz(word)
        .bind(none);
  }
}
