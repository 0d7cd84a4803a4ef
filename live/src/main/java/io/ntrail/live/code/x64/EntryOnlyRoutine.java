package io.ntrail.live.code.x64;

import static io.ntrail.programs.x86.asm.operands.Mem.gs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg64.R11;
import static io.ntrail.programs.x86.asm.operands.Reg64.R8;
import static io.ntrail.programs.x86.asm.operands.Reg64.R9;
import static io.ntrail.programs.x86.asm.operands.Reg64.RAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RCX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RDX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSP;

import io.ntrail.live.code.SessionLayout;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Reg16;

/** Routine that records the calls of functions whose exits are not recorded. It touches no slot. */
final class EntryOnlyRoutine extends RuntimeRoutines {
  final Label entryOnly = a.label("entry only");
  private final Label firstCall;
  private final Label stackArguments;
  private final Label sampling;
  private final Label full;

  EntryOnlyRoutine(
      RoutineContext parts, Label firstCall, Label stackArguments, Label sampling, Label full) {
    super(parts);
    this.firstCall = firstCall;
    this.stackArguments = stackArguments;
    this.sampling = sampling;
    this.full = full;
  }

  void write() {
    writeEntryOnly();
  }

  /** Assembles the routine: rsp = S - 16, rax = the body thunk. */
  private void writeEntryOnly() {
    Label cold = a.label("cold");
    Label write = a.label("write");
    Label done = a.label("done");
    range(
        STUB_PUSHED,
        () -> {
          a.bind(entryOnly).mov(RCX, gs(words.record()));
          if (parts.samples().exist()) {
            // The short jump does not reach so far.
            Label near = a.label("cold, near");
            a.jrcxz(near).jmp(write).bind(near).jmp(cold);
          } else {
            a.jrcxz(cold);
          }
          a.bind(write).push(RDX);
        });
    Label full = a.label("entry only, full");
    range(
        STUB_PUSHED + 1,
        () -> {
          // What they point to may be copied with those on the stack.
          if (record > SessionLayout.RECORD_ARGUMENTS) {
            a.mov(RDX, ptr(RSP).plus(8)).mov(ptr(RCX).plus(SessionLayout.RECORD_ARGUMENTS), RDX);
            a.mov(RDX, ptr(RSP)).mov(ptr(RCX).plus(SessionLayout.RECORD_ARGUMENTS + 8), RDX);
            a.mov(ptr(RCX).plus(SessionLayout.RECORD_ARGUMENTS + 16), R8);
            a.mov(ptr(RCX).plus(SessionLayout.RECORD_ARGUMENTS + 24), R9);
          }
          a.lea(RDX, ptr(RSP).plus(32)).mov(ptr(RCX).plus(SessionLayout.RECORD_KEY), RDX);
          if (record > SessionLayout.RECORD_STACK_ARGUMENTS) {
            a.push(RAX);
          }
        });
    if (record > SessionLayout.RECORD_STACK_ARGUMENTS) {
      range(
          STUB_PUSHED + 2,
          () -> a.call(stackArguments).mov(RAX, ptr(RSP)).lea(RSP, ptr(RSP).plus(8)));
    }
    range(
        STUB_PUSHED + 1,
        () -> {
          a.mov(RDX, ptr(RSP).plus(24)).mov(ptr(RCX).plus(SessionLayout.RECORD_VALUE), RDX);
          a.mov(ptr(RCX).plus(SessionLayout.RECORD_FUNCTION), EAX).push(RAX);
        });
    Runnable clock = () -> a.rdtsc().mov(ptr(RCX), EAX).mov(ptr(RCX).plus(4), EDX);
    Runnable finish =
        () ->
            a.mov(ptr(RCX).plus(SessionLayout.RECORD_META).as32(), SessionLayout.ENTRY_ONLY)
                .lea(RDX, ptr(RCX).plus(record))
                .movzx(ECX, Reg16.DX)
                .jrcxz(full)
                .mov(gs(words.record()), RDX)
                .bind(done)
                .mov(RAX, ptr(RSP))
                .mov(RDX, ptr(RSP).plus(8))
                .lea(RSP, ptr(RSP).plus(16));
    if (parts.samples().exist()) {
      range(STUB_PUSHED + 2, clock);
      sample();
      range(STUB_PUSHED + 2, finish);
    } else {
      range(
          STUB_PUSHED + 2,
          () -> {
            clock.run();
            finish.run();
          });
    }
    range(STUB_PUSHED, () -> a.lea(RAX, ptr(RAX).plus(-2)).jmp(RAX));
    range(STUB_PUSHED + 2, () -> a.bind(full).call(this.full).jmp(done));
    Label unknown = a.label("unknown thread");
    range(
        STUB_PUSHED,
        () ->
            a.bind(cold)
                .mov(RCX, gs(words.slot()))
                .jrcxz(unknown)
                .lea(RAX, ptr(RAX).plus(-2))
                .jmp(RAX));
    Label end = enter(unknown, STUB_PUSHED);
    a.lea(R11, ptr(RSP).plus(TO_KEY)).call(firstCall);
    leave(end);
    range(
        STUB_PUSHED,
        () -> {
          Label none = a.label("no record");
          a.mov(RCX, gs(words.record())).jrcxz(none).jmp(write);
          a.bind(none).lea(RAX, ptr(RAX).plus(-2)).jmp(RAX);
        });
  }

  /** Counts with the calls of the area that the thread is in. */
  private void sample() {
    Label none = a.label("entry only, no area");
    Label begin = a.here("entry only, sampling");
    a.pushfq();
    Label pushed = a.here("entry only, flags pushed");
    parts.add(begin, pushed, UnwindBytes.pushed(STUB_PUSHED + 2));
    range(
        STUB_PUSHED + 3,
        () ->
            a.mov(RAX, gs(words.slot()))
                .test(RAX, RAX)
                .jz(none)
                .and(RAX, -AreaLayout.ALIGNMENT)
                .lea(RAX, ptr(RAX).plus(AreaLayout.COUNTDOWN))
                .call(sampling)
                .bind(none)
                .popfq());
  }
}
