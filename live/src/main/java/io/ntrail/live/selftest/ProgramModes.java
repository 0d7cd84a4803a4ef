package io.ntrail.live.selftest;

import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESI;
import static io.ntrail.programs.x86.asm.operands.Reg32.R8D;
import static io.ntrail.programs.x86.asm.operands.Reg32.R9D;
import static io.ntrail.programs.x86.asm.operands.Reg64.R8;
import static io.ntrail.programs.x86.asm.operands.Reg64.R9;
import static io.ntrail.programs.x86.asm.operands.Reg64.RAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RBX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RCX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RDI;
import static io.ntrail.programs.x86.asm.operands.Reg64.RDX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSI;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSP;

import io.ntrail.formats.pe.build.UnwindInfoBuilder;
import io.ntrail.live.selftest.SelfTestProgram.Mode;
import io.ntrail.live.selftest.SelfTestProgram.Policy;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;

/** Functions of the modes of a {@link SelfTestProgram}. */
final class ProgramModes {
  private static final int STARTUP_INFO = 104;
  private static final int PROCESS_INFORMATION = 24;
  private static final int OUTER_IN_TURN = 10;

  private final ImageWriter writer;
  private final Assembler a;
  private final CountedCalls calls;
  private final Label write;
  private final Label hex;
  private final Label child;
  private final Label waiting;
  private final Label guarded;
  private final Label policies;
  private final Label copy;
  private final Label work;

  ProgramModes(ImageWriter writer, CountedCalls calls) {
    this.writer = writer;
    this.calls = calls;
    a = writer.a;
    write = a.label("write");
    hex = a.label("hex");
    child = a.label("child");
    waiting = a.label("waiting");
    guarded = a.label("guarded");
    policies = a.label("policies");
    copy = a.label("copy");
    work = a.label("work");
  }

  /** Writes them. */
  void write() {
    text();
    children();
    waiting();
    policies();
    copy();
    work();
  }

  /** Writes the work of a mode into the function that chooses it. */
  void run(Mode mode) {
    switch (mode) {
      case WORK -> a.call(work);
      case CHILDREN -> {
        a.lea(RCX, writer.data("child, works")).call(child);
        a.lea(RCX, writer.data("child, nothing")).call(child);
      }
      case CHILD_X86 -> a.lea(RCX, writer.data("x86")).call(child);
      case COPY -> a.call(copy);
      case POLICIES -> a.call(policies);
      case GUARDED -> a.call(guarded).call(waiting);
      case WAIT -> a.call(waiting);
      case NOTHING -> a.nop(1);
    }
  }

  /** Writes a text; changes what every call changes. */
  private void say(String text) {
    a.lea(RCX, writer.data(text)).call(write);
  }

  /** Writes the functions that write text: rcx up to a NUL, and ecx in hexadecimal. */
  private void text() {
    Label count = a.label("count");
    UnwindInfoBuilder frame = UnwindInfoBuilder.prologue(5).push(1, 3).allocate(5, 0x40);
    writer.function(
        "write",
        write,
        frame,
        () -> {
          a.push(RBX).sub(RSP, 0x40).mov(RBX, RCX);
          a.mov(ECX, -11).call(writer.imported("GetStdHandle"));
          a.mov(RCX, RAX).mov(RDX, RBX).xor(R8D, R8D).dec(R8D);
          a.bind(count).inc(R8D).cmp(ptr(RBX).index(R8, 1).as8(), 0).jne(count);
          a.lea(R9, ptr(RSP).plus(48)).mov(ptr(RSP).plus(32).as64(), 0);
          a.call(writer.imported("WriteFile")).add(RSP, 0x40).pop(RBX).ret();
        });
    Label digit = a.label("digit");
    Label decimal = a.label("decimal");
    writer.function(
        "hex",
        hex,
        ImageWriter.small(),
        () -> {
          // Eight digits, the end of a line and a NUL.
          writer.enter();
          a.lea(RDX, writer.data("cells")).mov(R8D, 8);
          a.bind(digit).rol(ECX, 4).mov(EAX, ECX).and(EAX, 15).add(EAX, '0');
          a.cmp(EAX, '9').jbe(decimal).add(EAX, 'a' - '9' - 1).bind(decimal);
          a.mov(ptr(RDX).as32(), EAX).inc(RDX).dec(R8D).jnz(digit);
          a.mov(ptr(RDX).as32(), '\r' | '\n' << 8).lea(RCX, writer.data("cells")).call(write);
          writer.leave();
        });
  }

  /** Writes what starts a child, rcx its command line, and waits for its end. */
  private void children() {
    int info = 0x50;
    int about = info + STARTUP_INFO;
    int size = about + PROCESS_INFORMATION;
    Label none = a.label("no child");
    Label out = a.label("child, out");
    UnwindInfoBuilder frame =
        UnwindInfoBuilder.prologue(9).push(1, 3).push(2, 7).allocate(9, size + 8);
    writer.function(
        "child",
        child,
        frame,
        () -> {
          a.push(RBX).push(RDI).sub(RSP, size + 8).mov(RBX, RCX);
          a.lea(RDI, ptr(RSP).plus(info)).mov(ECX, (size - info) / 8).xor(EAX, EAX);
          a.rep().stosq().mov(ptr(RSP).plus(info).as32(), STARTUP_INFO);
          for (int i = 4; i < 8; i++) {
            a.mov(ptr(RSP).plus(8L * i).as64(), 0);
          }
          // Handles are inherited: it has the same output.
          a.mov(ptr(RSP).plus(32).as32(), 1);
          a.lea(RAX, ptr(RSP).plus(info)).mov(ptr(RSP).plus(64), RAX);
          a.lea(RAX, ptr(RSP).plus(about)).mov(ptr(RSP).plus(72), RAX);
          a.xor(ECX, ECX).mov(RDX, RBX).xor(R8D, R8D).xor(R9D, R9D);
          a.call(writer.imported("CreateProcessW")).test(EAX, EAX).jz(none);
          a.mov(RCX, ptr(RSP).plus(about)).mov(EDX, SelfTestProgram.LIFE_MILLIS);
          a.call(writer.imported("WaitForSingleObject")).jmp(out);
          a.bind(none);
          say(SelfTestProgram.NO_CHILD);
          a.bind(out).add(RSP, size + 8).pop(RDI).pop(RBX).ret();
        });
  }

  /** Writes what calls functions until the file is there. */
  private void waiting() {
    Label loop = a.label("waits on");
    Label turn = a.label("turn");
    Label over = a.label("over");
    UnwindInfoBuilder frame = UnwindInfoBuilder.prologue(6).push(1, 3).push(2, 6).allocate(6, 0x28);
    writer.function(
        "waiting",
        waiting,
        frame,
        () -> {
          a.push(RBX).push(RSI).sub(RSP, 0x28);
          say(SelfTestProgram.READY);
          a.call(writer.imported("GetTickCount64"))
              .mov(RBX, RAX)
              .add(RBX, SelfTestProgram.LIFE_MILLIS);
          a.bind(loop).mov(ESI, OUTER_IN_TURN);
          a.bind(turn).mov(ECX, ESI).call(calls.outer).dec(ESI).jnz(turn).call(calls.catcher);
          a.mov(ECX, 1).call(writer.imported("Sleep"));
          a.call(writer.imported("GetTickCount64")).cmp(RAX, RBX).ja(over);
          a.lea(RCX, writer.data("stop")).call(writer.imported("GetFileAttributesW"));
          a.cmp(EAX, -1).je(loop);
          say(SelfTestProgram.ENDED);
          a.bind(over).add(RSP, 0x28).pop(RSI).pop(RBX).ret();
        });
  }

  private void policies() {
    int flags = 0x20;
    Label not = a.label("not forbidden");
    Label out = a.label("guarded, out");
    UnwindInfoBuilder frame = UnwindInfoBuilder.prologue(5).push(1, 3).allocate(5, 0x40);
    writer.function(
        "guarded",
        guarded,
        frame,
        () -> {
          a.push(RBX).sub(RSP, 0x40).mov(ptr(RSP).plus(flags).as64(), 1);
          a.mov(ECX, Policy.DYNAMIC_CODE.number()).lea(RDX, ptr(RSP).plus(flags)).mov(R8D, 4);
          a.call(writer.imported("SetProcessMitigationPolicy"));
          query(Policy.DYNAMIC_CODE, flags, not);
          a.test(ptr(RSP).plus(flags).as32(), 1).jz(not);
          say(SelfTestProgram.FORBIDDEN);
          a.jmp(out).bind(not);
          say(SelfTestProgram.NOT_FORBIDDEN);
          a.bind(out).add(RSP, 0x40).pop(RBX).ret();
        });
    UnwindInfoBuilder same = UnwindInfoBuilder.prologue(5).push(1, 3).allocate(5, 0x40);
    writer.function(
        "policies",
        policies,
        same,
        () -> {
          a.push(RBX).sub(RSP, 0x40);
          say(SelfTestProgram.CHECKED);
          a.mov(ECX, SelfTestProgram.CHECK_NUMBER).call(hex);
          for (Policy policy : Policy.values()) {
            Label unknown = a.label("unknown " + policy);
            Label done = a.label("done " + policy);
            say(policy.name());
            query(policy, flags, unknown);
            a.mov(ECX, ptr(RSP).plus(flags)).call(hex).jmp(done).bind(unknown);
            say("unknown");
            a.bind(done);
          }
          a.add(RSP, 0x40).pop(RBX).ret();
        });
  }

  /** Queries a policy; where the system does not say, or leaves the flags alone, it is unknown. */
  private void query(Policy policy, int flags, Label unknown) {
    a.mov(ptr(RSP).plus(flags).as64(), -1).mov(RCX, -1L).mov(EDX, policy.number());
    a.lea(R8, ptr(RSP).plus(flags)).mov(R9D, 4);
    a.call(writer.imported("GetProcessMitigationPolicy")).test(EAX, EAX).jz(unknown);
    a.cmp(ptr(RSP).plus(flags).as32(), -1).je(unknown);
  }

  private void copy() {
    Label next = a.label("next piece");
    Label over = a.label("end of input");
    UnwindInfoBuilder frame = UnwindInfoBuilder.prologue(6).push(1, 3).push(2, 6).allocate(6, 0x38);
    writer.function(
        "copy",
        copy,
        frame,
        () -> {
          a.push(RBX).push(RSI).sub(RSP, 0x38);
          a.mov(ECX, -10).call(writer.imported("GetStdHandle")).mov(RBX, RAX);
          a.mov(ECX, -11).call(writer.imported("GetStdHandle")).mov(RSI, RAX);
          a.bind(next).mov(ptr(RSP).plus(32).as64(), 0).mov(ptr(RSP).plus(40).as64(), 0);
          a.mov(RCX, RBX).lea(RDX, writer.data("cells")).mov(R8D, SelfTestProgram.COPIED);
          a.lea(R9, ptr(RSP).plus(40)).call(writer.imported("ReadFile"));
          a.test(EAX, EAX).jz(over).mov(R8D, ptr(RSP).plus(40)).test(R8D, R8D).jz(over);
          a.mov(RCX, RSI).lea(RDX, writer.data("cells")).lea(R9, ptr(RSP).plus(40));
          a.mov(ptr(RSP).plus(32).as64(), 0).call(writer.imported("WriteFile")).jmp(next);
          a.bind(over).add(RSP, 0x38).pop(RSI).pop(RBX).ret();
        });
  }

  private void work() {
    int handles = 0x30;
    Label start = a.label("start a thread");
    Label wait = a.label("wait for a thread");
    Label late = a.label("late calls");
    Label none = a.label("no library");
    UnwindInfoBuilder frame = UnwindInfoBuilder.prologue(6).push(1, 3).push(2, 6).allocate(6, 0x58);
    writer.function(
        "work",
        work,
        frame,
        () -> {
          a.push(RBX).push(RSI).sub(RSP, 0x58).xor(EBX, EBX);
          a.bind(start).xor(ECX, ECX).xor(EDX, EDX).lea(R8, ptr(calls.worker)).xor(R9D, R9D);
          a.mov(ptr(RSP).plus(32).as64(), 0).mov(ptr(RSP).plus(40).as64(), 0);
          a.call(writer.imported("CreateThread")).mov(ptr(RSP).index(RBX, 8).plus(handles), RAX);
          a.inc(EBX).cmp(EBX, SelfTestProgram.THREADS).jb(start);
          a.bind(wait).dec(EBX).mov(RCX, ptr(RSP).index(RBX, 8).plus(handles)).mov(EDX, -1);
          a.call(writer.imported("WaitForSingleObject"));
          a.mov(RCX, ptr(RSP).index(RBX, 8).plus(handles)).call(writer.imported("CloseHandle"));
          a.test(EBX, EBX).jnz(wait);
          a.lea(RCX, writer.data("library")).call(writer.imported("LoadLibraryW"));
          a.test(RAX, RAX).jz(none).mov(RCX, RAX).lea(RDX, writer.data("late"));
          a.call(writer.imported("GetProcAddress")).test(RAX, RAX).jz(none);
          a.mov(RSI, RAX).mov(EBX, SelfTestProgram.LATE_CALLS);
          a.bind(late).mov(ECX, EBX).call(RSI).dec(EBX).jnz(late).bind(none);
          say(SelfTestProgram.DONE);
          a.add(RSP, 0x58).pop(RSI).pop(RBX).ret();
        });
  }
}
