package io.ntrail.live.code.ia32;

import static io.ntrail.programs.x86.asm.operands.Mem.absolute;
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

import io.ntrail.live.code.CallbackCode;
import io.ntrail.live.code.ResumeCalls;
import io.ntrail.live.code.SessionLayout;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Mem;

/**
 * Hook in front of {@code NtResumeThread} in a target: whoever resumes a thread of another process
 * notifies the controller through the control block and waits until it may go on. It gives up as
 * that for x64 does. The function itself has to follow it.
 *
 * <p>Of the interrupt time the low half is enough: no wait is as long as that takes to begin anew.
 */
final class ResumeThreadHook32 implements CallbackCode {
  private static final int INTERRUPT_TIME = 0x7FFE_0008;

  /** Life of a heartbeat, in units of 100 ns as all times here. */
  private static final int LIFE = 50_000_000;

  private static final int LONGEST = 600_000_000;

  /** Limit of pauses, for the case that the clock stops. */
  private static final int MAX_PAUSES = 200_000;

  private static final int FIRST_PAUSE = -500;
  private static final int LONGEST_PAUSE = -10_000;

  /** Offset of the process id in the thread environment block. */
  private static final int PROCESS_ID = 0x20;

  /** Size of THREAD_BASIC_INFORMATION, and where the ids of process and thread lie in it. */
  private static final int INFORMATION_SIZE = 28;

  // The frame, above which are four registers and the return address.
  private static final int PAUSE = 0;
  private static final int BEGAN = 8;
  private static final int ALIVE = 12;
  private static final int LEFT = 16;
  private static final int STATE = 20;
  private static final int INFORMATION = 24;
  private static final int INFORMATION_PROCESS = INFORMATION + 8;
  private static final int INFORMATION_THREAD = INFORMATION + 12;
  private static final int FRAME = INFORMATION + INFORMATION_SIZE;
  private static final int HANDLE = FRAME + 4 * 4 + 4;

  private final Assembler a = Assembler.ia32();
  private final ResumeCalls system;
  private final byte[] code;

  /**
   * Assembles the hook; it can lie anywhere.
   *
   * @param control where the target has the session file mapped
   */
  ResumeThreadHook32(long control, ResumeCalls system) {
    this.system = system;
    a.push(EBX).push(EBP).push(ESI).push(EDI).sub(ESP, FRAME).mov(EBX, control);
    write();
    a.add(ESP, FRAME).pop(EDI).pop(ESI).pop(EBP).pop(EBX);
    code = a.assemble().bytes();
  }

  private static Mem control(int field) {
    return ptr(EBX).plus(field).as32();
  }

  private static Mem frame(int place) {
    return ptr(ESP).plus(place).as32();
  }

  private void write() {
    Label look = a.label("look");
    Label claimed = a.label("claimed");
    Label count = a.label("count");
    Label wait = a.label("wait");
    Label free = a.label("free");
    Label out = a.label("out");
    a.cmp(control(SessionLayout.AT_ENABLED), 0).jz(out);
    a.mov(EBP, control(SessionLayout.AT_HEARTBEAT))
        .cmp(EBP, control(SessionLayout.AT_RESUMES_GIVEN_UP))
        .jz(out);
    // Whose thread is it?
    a.mov(ECX, frame(HANDLE)).lea(EAX, ptr(ESP).plus(INFORMATION));
    a.push(0).push(INFORMATION_SIZE).push(EAX).push(0).push(ECX);
    a.mov(EAX, system.query()).call(EAX).test(EAX, EAX).js(out);
    a.mov(EAX, frame(INFORMATION_PROCESS)).cmp(EAX, fs(PROCESS_ID)).jz(out);
    a.lea(ESI, control(SessionLayout.AT_RESUME_RING)).mov(EDI, SessionLayout.RESUME_PLACES);
    a.bind(look).xor(EAX, EAX).mov(ECX, SessionLayout.RESUME_CLAIMED);
    a.lock().cmpxchg(ptr(ESI).plus(SessionLayout.RESUME_STATE), ECX).jz(claimed);
    a.add(ESI, SessionLayout.RESUME_BYTES).dec(EDI).jnz(look).jmp(out);
    a.bind(claimed).mov(EAX, frame(INFORMATION_PROCESS));
    a.mov(ptr(ESI).plus(SessionLayout.RESUME_PROCESS), EAX).mov(EAX, frame(INFORMATION_THREAD));
    a.mov(ptr(ESI).plus(SessionLayout.RESUME_THREAD), EAX).rdtsc();
    a.mov(ptr(ESI).plus(SessionLayout.RESUME_TICKS), EAX);
    a.mov(ptr(ESI).plus(SessionLayout.RESUME_TICKS + 4), EDX);
    // The next number, so that no answer can be meant for another one.
    a.mov(EAX, control(SessionLayout.AT_RESUMES)).bind(count).lea(EDX, ptr(EAX).plus(1));
    a.lea(ECX, Mem.scaled(EDX, 4).plus(SessionLayout.RESUME_ASKED));
    a.mov(ptr(ESI).plus(SessionLayout.RESUME_STATE), ECX).mov(frame(STATE), ECX);
    a.lock().cmpxchg(control(SessionLayout.AT_RESUMES), EDX).jnz(count);
    a.mov(frame(LEFT), MAX_PAUSES).mov(frame(PAUSE), FIRST_PAUSE).mov(frame(PAUSE + 4), -1);
    a.mov(EAX, absolute(INTERRUPT_TIME)).mov(frame(BEGAN), EAX).mov(frame(ALIVE), EAX);
    a.bind(wait).mov(EAX, frame(STATE)).cmp(EAX, ptr(ESI).plus(SessionLayout.RESUME_STATE));
    a.jnz(free);
    pause(free);
    a.jmp(wait);
    a.bind(free).mov(ptr(ESI).plus(SessionLayout.RESUME_STATE).as32(), 0).bind(out);
  }

  private void pause(Label giveUp) {
    Label silent = a.label("silent");
    Label longest = a.label("longest");
    Label known = a.label("known");
    a.cmp(control(SessionLayout.AT_ENABLED), 0).jz(giveUp);
    a.mov(EAX, absolute(INTERRUPT_TIME)).mov(ECX, control(SessionLayout.AT_HEARTBEAT));
    a.cmp(ECX, EBP).jz(silent).mov(EBP, ECX).mov(frame(ALIVE), EAX).jmp(known);
    a.bind(silent).mov(ECX, EAX).sub(ECX, frame(ALIVE)).cmp(ECX, LIFE).jb(known);
    a.mov(control(SessionLayout.AT_RESUMES_GIVEN_UP), EBP).jmp(giveUp);
    a.bind(known).sub(EAX, frame(BEGAN)).cmp(EAX, LONGEST).jae(giveUp);
    a.dec(frame(LEFT)).jz(giveUp);
    a.mov(EAX, ESP).push(EAX).push(0).mov(EAX, system.delay()).call(EAX);
    a.mov(EAX, frame(PAUSE)).cmp(EAX, LONGEST_PAUSE).jle(longest);
    a.add(frame(PAUSE), EAX).bind(longest);
  }

  @Override
  public byte[] code() {
    return code.clone();
  }

  /** There is no function table. */
  @Override
  public byte[] table(int at) {
    return new byte[0];
  }

  @Override
  public int entries() {
    return 0;
  }
}
