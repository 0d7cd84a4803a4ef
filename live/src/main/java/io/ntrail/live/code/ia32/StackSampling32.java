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

import io.ntrail.live.code.SamplePlaces;
import io.ntrail.live.code.SessionLayout;
import io.ntrail.programs.x86.asm.Condition;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Reg32;
import java.util.List;

/**
 * Routine that copies the stack of one of each so many calls into a place of the session file.
 * Called with ecx = the record, whose key, function and ticks are stored, and eax = the address of
 * the countdown, it changes eax, edx and no flag. Of a call that is copied it stores the ticks
 * again, afterwards: the time that the copy takes is none of the call's.
 *
 * <p>It never waits: where no place is free, the call is counted. High halves of the place's fields
 * stay 0, as they are in a new file.
 */
final class StackSampling32 extends RuntimeRoutines32 {
  /** Stacks larger than this are made up by the program; reading there may fail. */
  private static final int MOST_STACK = 1 << 30;

  /** Registers in the order of {@link SamplePlaces#REGISTERS}, as they are pushed. */
  private static final List<Reg32> REGISTERS = List.of(EBX, EBP, ESI, EDI);

  final Label begin = a.label("stack sampling");
  private final SamplePlaces places;

  StackSampling32(RoutineContext32 parts) {
    super(parts);
    this.places = parts.samples();
  }

  void write() {
    Label sample = a.label("sample");
    Label take = a.label("sample: take");
    Label unknown = a.label("sample: unknown stack");
    Label done = a.label("sample: done");
    Label restore = a.label("sample: restore");
    a.bind(begin)
        .mov(EDX, ECX)
        .mov(ECX, ptr(EAX))
        .jecxz(sample)
        .lea(ECX, ptr(ECX).plus(-1))
        .mov(ptr(EAX), ECX)
        .mov(ECX, EDX)
        .ret()
        .bind(sample)
        .pushfd();
    REGISTERS.forEach(a::push);
    a.push(EDX).mov(ptr(EAX).as32(), places.every() - 1);
    loadControl(EBX);
    a.cmp(control(SessionLayout.AT_ENABLED).as32(), 0)
        .je(done)
        .mov(ESI, ptr(EDX).plus(SessionLayout.RECORD_KEY))
        .sub(ESI, Integer.BYTES)
        // Whatever is read lies on the stack as the system knows it.
        .cmp(ESI, fs(TlsOffsets32.STACK_LIMIT))
        .jb(unknown)
        .mov(EDI, fs(TlsOffsets32.STACK_BASE))
        .mov(EAX, EDI)
        .sub(EAX, fs(TlsOffsets32.STACK_LIMIT))
        .cmp(EAX, MOST_STACK)
        .ja(unknown)
        .sub(EDI, ESI)
        .jbe(unknown);
    claim(take, done);
    a.bind(unknown);
    count(EBX, SessionLayout.AT_SAMPLES_UNKNOWN);
    a.jmp(done).bind(take);
    copy();
    clock();
    a.mov(ptr(EBP).plus(SamplePlaces.TICKS), EAX)
        .mov(ptr(EBP).plus(SamplePlaces.TICKS + 4), EDX)
        // The last store hands the place over.
        .mov(ptr(EBP).as32(), SamplePlaces.WRITTEN)
        .jmp(restore)
        .bind(done);
    clock();
    a.bind(restore).pop(ECX);
    REGISTERS.reversed().forEach(a::pop);
    a.popfd().ret();
  }

  /** Stores the ticks of the record again. */
  private void clock() {
    a.mov(ECX, ptr(ESP))
        .rdtsc()
        .mov(ptr(ECX).plus(SessionLayout.RECORD_TICKS), EAX)
        .mov(ptr(ECX).plus(SessionLayout.RECORD_TICKS + 4), EDX);
  }

  /** Claims a place, which ebp holds then; goes to the end if there is none. */
  private void claim(Label take, Label done) {
    Label next = a.label("sample: next place");
    Label busy = a.label("sample: busy place");
    a.lea(EBP, control((int) places.at()))
        .mov(ECX, SamplePlaces.PLACES)
        .mov(EDX, SamplePlaces.CLAIMED)
        .bind(next)
        .xor(EAX, EAX)
        .cmp(ptr(EBP).as32(), SamplePlaces.FREE)
        .jne(busy)
        .lock()
        .cmpxchg(ptr(EBP), EDX)
        .je(take)
        .bind(busy)
        .add(EBP, SamplePlaces.PLACE_BYTES)
        .dec(ECX)
        .jnz(next);
    count(EBX, SessionLayout.AT_SAMPLES_MISSED);
    a.jmp(done);
  }

  /** Fills the place in ebp: esi is where the return address lies, edi the bytes up to the base. */
  private void copy() {
    Label frame = a.label("sample: frame");
    Label stack = a.label("sample: stack");
    Label word = a.label("sample: word");
    Label none = a.label("sample: no word");
    a.mov(EAX, fs(TlsOffsets32.THREAD_ID))
        .mov(ptr(EBP).plus(SamplePlaces.THREAD), EAX)
        .lea(EAX, ptr(ESI).plus(Integer.BYTES))
        .mov(ptr(EBP).plus(SamplePlaces.KEY), EAX)
        .mov(ECX, fs(TlsOffsets32.STACK_BASE))
        .mov(ptr(EBP).plus(SamplePlaces.STACK_BASE), ECX)
        .mov(EDX, ptr(ESP))
        .mov(EAX, ptr(EDX).plus(SessionLayout.RECORD_FUNCTION))
        .mov(ptr(EBP).plus(SamplePlaces.FUNCTION), EAX);
    int count = REGISTERS.size();
    for (int i = 0; i < count; i++) {
      a.mov(EAX, ptr(ESP).plus(4L * (count - i)))
          .mov(ptr(EBP).plus(SamplePlaces.REGISTERS + Long.BYTES * i), EAX);
    }
    a.mov(ptr(EBP).plus(SamplePlaces.AREA).as32(), 0)
        .lea(EDX, ptr(EBP).plus(SamplePlaces.FRAMES))
        .mov(EAX, fs(words.slot()))
        .test(EAX, EAX)
        .jz(stack)
        .mov(EBX, EAX)
        .and(EBX, -AreaLayout32.ALIGNMENT)
        // An area of another stack knows nothing of this one.
        .cmp(ptr(EBX).plus(AreaLayout32.STACK_BASE), ECX)
        .jne(stack)
        .mov(ptr(EBP).plus(SamplePlaces.AREA), EBX)
        .lea(EBX, ptr(EBX).plus(AreaLayout32.FIRST))
        .bind(frame)
        .sub(EAX, AreaLayout32.STRIDE)
        .cmp(EAX, EBX)
        .jb(stack)
        .mov(ECX, ptr(EAX).plus(AreaLayout32.DELTA + AreaLayout32.KEY))
        .mov(ptr(EDX), ECX)
        .mov(ECX, ptr(EAX).plus(AreaLayout32.DELTA + AreaLayout32.RET))
        .mov(ptr(EDX).plus(Long.BYTES), ECX)
        .add(EDX, SamplePlaces.FRAME_BYTES)
        .jmp(frame)
        .bind(stack)
        .mov(EAX, EDX)
        .sub(EAX, EBP)
        .mov(ptr(EBP).plus(SamplePlaces.STACK_AT), EAX)
        .mov(ECX, SamplePlaces.PLACE_BYTES)
        .sub(ECX, EAX)
        .cmp(ECX, EDI)
        .cmov(Condition.A, ECX, EDI)
        .and(ECX, -Integer.BYTES)
        .mov(ptr(EBP).plus(SamplePlaces.STACK_BYTES), ECX)
        .shr(ECX, 2)
        .jz(none)
        .bind(word)
        .mov(EAX, ptr(ESI))
        .mov(ptr(EDX), EAX)
        .add(ESI, Integer.BYTES)
        .add(EDX, Integer.BYTES)
        .dec(ECX)
        .jnz(word)
        .bind(none);
  }
}
