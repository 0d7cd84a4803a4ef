package io.ntrail.live.code.ia32;

import static io.ntrail.programs.x86.asm.operands.Mem.fs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBP;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESP;

import io.ntrail.live.code.SessionLayout;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Reg16;

/** Routine that records the calls of functions whose exits are not recorded. It touches no slot. */
final class EntryOnlyRoutine32 extends RuntimeRoutines32 {
  final Label entryOnly = a.label("entry only");
  private final Label firstCall;
  private final Label arguments;
  private final Label sampling;
  private final Label full;

  EntryOnlyRoutine32(
      RoutineContext32 parts, Label firstCall, Label arguments, Label sampling, Label full) {
    super(parts);
    this.firstCall = firstCall;
    this.arguments = arguments;
    this.sampling = sampling;
    this.full = full;
  }

  /** Assembles the routine: esp = S - 8, eax = the body thunk. */
  void write() {
    Label cold = a.label("cold");
    Label write = a.label("write");
    Label done = a.label("done");
    Label ends = a.label("entry only, full");
    Label unknown = a.label("unknown thread");
    Label none = a.label("no record");
    a.bind(cold).mov(ECX, fs(words.slot())).jecxz(unknown);
    skip();
    a.bind(unknown).jmp(none);
    a.bind(entryOnly)
        .mov(ECX, fs(words.record()))
        .jecxz(cold)
        .bind(write)
        .push(EDX)
        .mov(ptr(ECX).plus(SessionLayout.RECORD_KEY + 4), EDX)
        .mov(EDX, ptr(ESP).plus(4))
        .mov(ptr(ECX).plus(SessionLayout.RECORD_VALUE + 4), EDX)
        .lea(EDX, ptr(ESP).plus(16))
        .mov(ptr(ECX).plus(SessionLayout.RECORD_KEY), EDX)
        .push(EAX);
    if (record > SessionLayout.RECORD_ARGUMENTS) {
      a.call(arguments).mov(EAX, ptr(ESP));
    }
    a.mov(EDX, ptr(ESP).plus(16))
        .mov(ptr(ECX).plus(SessionLayout.RECORD_VALUE), EDX)
        .mov(ptr(ECX).plus(SessionLayout.RECORD_FUNCTION), EAX)
        .rdtsc()
        .mov(ptr(ECX), EAX)
        .mov(ptr(ECX).plus(4), EDX);
    if (parts.samples().exist()) {
      sample();
    }
    a.mov(ptr(ECX).plus(SessionLayout.RECORD_META).as32(), SessionLayout.ENTRY_ONLY)
        .lea(EDX, ptr(ECX).plus(record))
        .movzx(ECX, Reg16.DX)
        .jecxz(ends)
        .mov(fs(words.record()), EDX)
        .bind(done)
        .mov(EAX, ptr(ESP))
        .mov(EDX, ptr(ESP).plus(4))
        .lea(ESP, ptr(ESP).plus(8));
    skip();
    a.bind(ends).call(full).jmp(done);
    Label nothing = a.label("nothing is recorded");
    enter(none);
    a.lea(EBP, ptr(ESP).plus(TO_KEY)).call(firstCall).popad().popfd();
    a.mov(ECX, fs(words.record())).jecxz(nothing).jmp(write).bind(nothing);
    skip();
  }

  /** Counts with the calls of the area that the thread is in. */
  private void sample() {
    Label none = a.label("entry only, no area");
    a.pushfd()
        .mov(EAX, fs(words.slot()))
        .test(EAX, EAX)
        .jz(none)
        .and(EAX, -AreaLayout32.ALIGNMENT)
        .lea(EAX, ptr(EAX).plus(AreaLayout32.COUNTDOWN))
        .call(sampling)
        .bind(none)
        .popfd();
  }
}
