package io.ntrail.live.code.x64;

import static io.ntrail.programs.x86.asm.operands.Mem.gs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBP;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg32.R14D;
import static io.ntrail.programs.x86.asm.operands.Reg32.R15D;
import static io.ntrail.programs.x86.asm.operands.Reg32.R9D;
import static io.ntrail.programs.x86.asm.operands.Reg64.R12;
import static io.ntrail.programs.x86.asm.operands.Reg64.R13;
import static io.ntrail.programs.x86.asm.operands.Reg64.R14;
import static io.ntrail.programs.x86.asm.operands.Reg64.R15;
import static io.ntrail.programs.x86.asm.operands.Reg64.R8;
import static io.ntrail.programs.x86.asm.operands.Reg64.RAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RBP;
import static io.ntrail.programs.x86.asm.operands.Reg64.RBX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RCX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RDI;
import static io.ntrail.programs.x86.asm.operands.Reg64.RDX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSI;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSP;

import io.ntrail.live.code.CallbackCode;
import io.ntrail.live.code.ResumeCalls;
import io.ntrail.live.code.SessionLayout;
import io.ntrail.programs.x86.asm.AssembledCode;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Mem;
import io.ntrail.programs.x86.asm.operands.Reg64;
import java.util.List;

/**
 * Hook in front of {@code NtResumeThread} in a target. A process is created with its first thread
 * suspended, and begins to run when its creator resumes that: so whoever resumes a thread of
 * another process notifies the controller through the control block and waits until it may go on.
 *
 * <p>No thread waits for a controller that is gone: not when nothing is recorded, no longer than
 * five seconds after its last heartbeat, and from then on not at all until it gives another one;
 * never longer than a minute. Time is the system's interrupt time, which needs no call.
 */
final class ResumeThreadHook implements CallbackCode {
  private static final int INTERRUPT_TIME = 0x7FFE_0008;

  /** Life of a heartbeat, in units of 100 ns as all times here. */
  private static final int LIFE = 50_000_000;

  private static final int LONGEST = 600_000_000;

  /** Limit of pauses, for the case that the clock stops. */
  private static final int MAX_PAUSES = 200_000;

  private static final int FIRST_PAUSE = -500;
  private static final int LONGEST_PAUSE = -10_000;

  /** Offset of the process id in the thread environment block. */
  private static final int PROCESS_ID = 0x40;

  private static final List<Reg64> SAVED = List.of(RBX, RBP, RSI, RDI, R12, R13, R14, R15);

  /**
   * Size of the frame after the saved registers, with the arguments of calls in its lowest part.
   */
  private static final int FRAME = 0x78;

  private static final int PAUSE = 0x30;

  /** THREAD_BASIC_INFORMATION, 48 bytes. */
  private static final int INFORMATION = 0x38;

  private static final int INFORMATION_SIZE = 48;
  private static final int INFORMATION_PROCESS = INFORMATION + 16;
  private static final int INFORMATION_THREAD = INFORMATION + 24;
  private static final int HANDLE = 0x68;
  private static final int COUNT = 0x70;

  private final Assembler a = Assembler.x64();
  private final FunctionTableBuilder functions = new FunctionTableBuilder();
  private final ResumeCalls system;
  private final byte[] code;

  /**
   * Assembles the hook; it can lie anywhere. The function itself has to follow it.
   *
   * @param control where the target has the session file mapped
   */
  ResumeThreadHook(long control, ResumeCalls system) {
    this.system = system;
    Label begin = a.here("begin");
    Label[] ends = new Label[SAVED.size()];
    for (int i = 0; i < ends.length; i++) {
      a.push(SAVED.get(i));
      ends[i] = a.here("saved");
    }
    a.sub(RSP, FRAME);
    Label framed = a.here("framed");
    a.mov(ptr(RSP).plus(HANDLE), RCX).mov(ptr(RSP).plus(COUNT), RDX).mov(RBX, control);
    write();
    a.mov(RCX, ptr(RSP).plus(HANDLE)).mov(RDX, ptr(RSP).plus(COUNT)).add(RSP, FRAME);
    SAVED.reversed().forEach(a::pop);
    Label end = a.label("end");
    // Unwinders know by a jump that this is the end of a function.
    a.jmp(end).bind(end);
    AssembledCode assembled = a.assemble();
    code = assembled.bytes();
    int[] codes = new int[1 + ends.length];
    codes[0] = UnwindBytes.allocation(assembled.offset(framed), FRAME / 8);
    for (int i = 0; i < ends.length; i++) {
      codes[codes.length - 1 - i] = assembled.offset(ends[i]) | SAVED.get(i).number() << 12;
    }
    functions.add(
        assembled.offset(begin),
        assembled.offset(end),
        new UnwindBytes(1, assembled.offset(framed), 0, codes));
  }

  private static Mem control(int field) {
    return ptr(RBX).plus(field);
  }

  private void write() {
    Label look = a.label("look");
    Label next = a.label("next");
    Label claimed = a.label("claimed");
    Label count = a.label("count");
    Label wait = a.label("wait");
    Label giveUp = a.label("give up");
    Label free = a.label("free");
    Label out = a.label("out");
    a.cmp(control(SessionLayout.AT_ENABLED).as32(), 0).jz(out);
    a.mov(EBP, control(SessionLayout.AT_HEARTBEAT))
        .cmp(EBP, control(SessionLayout.AT_RESUMES_GIVEN_UP))
        .jz(out);
    // Whose thread is it?
    a.xor(EDX, EDX).lea(R8, ptr(RSP).plus(INFORMATION)).mov(R9D, INFORMATION_SIZE);
    a.mov(ptr(RSP).plus(32).as64(), 0).mov(RAX, system.query()).call(RAX);
    a.test(EAX, EAX).js(out);
    a.mov(RAX, ptr(RSP).plus(INFORMATION_PROCESS)).cmp(RAX, gs(PROCESS_ID)).jz(out);
    a.lea(RSI, control(SessionLayout.AT_RESUME_RING)).mov(R14D, SessionLayout.RESUME_PLACES);
    a.bind(look).xor(EAX, EAX).mov(ECX, SessionLayout.RESUME_CLAIMED);
    a.lock().cmpxchg(ptr(RSI).plus(SessionLayout.RESUME_STATE), ECX).jz(claimed);
    a.bind(next).add(RSI, SessionLayout.RESUME_BYTES).dec(R14D).jnz(look).jmp(out);
    a.bind(claimed).mov(EAX, ptr(RSP).plus(INFORMATION_PROCESS));
    a.mov(ptr(RSI).plus(SessionLayout.RESUME_PROCESS), EAX);
    a.mov(EAX, ptr(RSP).plus(INFORMATION_THREAD))
        .mov(ptr(RSI).plus(SessionLayout.RESUME_THREAD), EAX);
    a.rdtsc().shl(RDX, 32).or(RAX, RDX).mov(ptr(RSI).plus(SessionLayout.RESUME_TICKS), RAX);
    // The next number, so that no answer can be meant for another one.
    a.mov(EAX, control(SessionLayout.AT_RESUMES)).bind(count).lea(R15D, ptr(RAX).plus(1));
    a.lea(ECX, Mem.scaled(R15, 4).plus(SessionLayout.RESUME_ASKED));
    a.mov(ptr(RSI).plus(SessionLayout.RESUME_STATE), ECX);
    a.lock().cmpxchg(control(SessionLayout.AT_RESUMES), R15D).jnz(count);
    a.lea(R15D, Mem.scaled(R15, 4).plus(SessionLayout.RESUME_ASKED));
    a.mov(R14D, MAX_PAUSES).mov(ptr(RSP).plus(PAUSE).as64(), FIRST_PAUSE);
    a.mov(EAX, INTERRUPT_TIME).mov(R13, ptr(RAX)).mov(R12, R13);
    a.bind(wait).cmp(R15D, ptr(RSI).plus(SessionLayout.RESUME_STATE)).jnz(free);
    pause(giveUp);
    a.jmp(wait);
    a.bind(giveUp).bind(free).mov(ptr(RSI).plus(SessionLayout.RESUME_STATE).as32(), 0).bind(out);
  }

  private void pause(Label giveUp) {
    Label silent = a.label("silent");
    Label longest = a.label("longest");
    Label known = a.label("known");
    a.cmp(control(SessionLayout.AT_ENABLED).as32(), 0).jz(giveUp);
    a.mov(EAX, INTERRUPT_TIME).mov(RAX, ptr(RAX)).mov(ECX, control(SessionLayout.AT_HEARTBEAT));
    a.cmp(ECX, EBP).jz(silent).mov(EBP, ECX).mov(R12, RAX).jmp(known);
    a.bind(silent).mov(RCX, RAX).sub(RCX, R12).cmp(RCX, LIFE).jb(known);
    a.mov(control(SessionLayout.AT_RESUMES_GIVEN_UP), EBP).jmp(giveUp);
    a.bind(known).sub(RAX, R13).cmp(RAX, LONGEST).jae(giveUp);
    a.dec(R14D).jz(giveUp);
    a.xor(ECX, ECX).lea(RDX, ptr(RSP).plus(PAUSE)).mov(RAX, system.delay()).call(RAX);
    a.mov(RAX, ptr(RSP).plus(PAUSE)).cmp(RAX, LONGEST_PAUSE).jle(longest);
    a.add(ptr(RSP).plus(PAUSE).as64(), RAX).bind(longest);
  }

  @Override
  public byte[] code() {
    return code.clone();
  }

  @Override
  public byte[] table(int at) {
    return functions.bytes(at);
  }

  @Override
  public int entries() {
    return functions.count();
  }
}
