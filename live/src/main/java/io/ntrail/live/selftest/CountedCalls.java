package io.ntrail.live.selftest;

import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg32.R8D;
import static io.ntrail.programs.x86.asm.operands.Reg32.R9D;
import static io.ntrail.programs.x86.asm.operands.Reg64.R8;
import static io.ntrail.programs.x86.asm.operands.Reg64.RBX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RCX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RDX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSP;

import io.ntrail.formats.pe.build.UnwindInfoBuilder;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;

/**
 * Functions whose calls are counted: {@code outer} calls {@code leaf}; {@code catcher} calls {@code
 * between}, which calls {@code thrower}, which raises an exception that the handler of {@code
 * catcher} takes.
 */
final class CountedCalls {
  private static final int UNWINDING = 0x66;

  private final ImageWriter writer;
  private final Assembler a;
  private final Label leaf;
  private final Label thrower;
  private final Label between;
  private final Label handler;

  /** Function that calls {@code leaf}. */
  final Label outer;

  /** Function that takes an exception. */
  final Label catcher;

  /** Function of each thread. */
  final Label worker;

  CountedCalls(ImageWriter writer) {
    this.writer = writer;
    a = writer.a;
    leaf = a.label("leaf");
    outer = a.label("outer");
    thrower = a.label("thrower");
    between = a.label("between");
    catcher = a.label("catcher");
    handler = a.label("handler");
    worker = a.label("worker");
  }

  /** Writes them. */
  void write() {
    traced();
    worker();
  }

  /** Writes the functions whose calls are counted. */
  private void traced() {
    writer.leaf("leaf", leaf, () -> a.mov(EAX, ECX).add(EAX, 0x1234).xor(EAX, 0x55).ret());
    writer.function(
        "outer",
        outer,
        ImageWriter.small(),
        () -> {
          writer.enter();
          a.mov(EBX, ECX);
          for (int i = 0; i < SelfTestProgram.LEAVES; i++) {
            a.lea(ECX, ptr(RBX).plus(i)).call(leaf);
          }
          writer.leave();
        });
    writer.function(
        "thrower",
        thrower,
        ImageWriter.small(),
        () -> {
          writer.enter();
          a.mov(ECX, SelfTestProgram.EXCEPTION).xor(EDX, EDX).xor(R8D, R8D).xor(R9D, R9D);
          a.call(writer.imported("RaiseException")).int3();
        });
    writer.function(
        "between",
        between,
        ImageWriter.small(),
        () -> {
          writer.enter();
          a.call(thrower).nop(1);
          writer.leave();
        });
    Label caught = a.label("caught");
    writer.function(
        "catcher",
        catcher,
        ImageWriter.small().handler(true, false, "handler", null),
        () -> {
          writer.enter();
          a.call(between).nop(1).bind(caught);
          writer.leave();
        });
    Label search = a.label("search on");
    writer.function(
        "handler",
        handler,
        UnwindInfoBuilder.prologue(4).allocate(4, 0x28),
        () -> {
          a.sub(RSP, 0x28).test(ptr(RCX).plus(4).as32(), UNWINDING).jnz(search);
          a.cmp(ptr(RCX).as32(), SelfTestProgram.EXCEPTION).jne(search);
          a.xor(R9D, R9D).mov(R8, RCX).mov(RCX, RDX).lea(RDX, ptr(caught));
          a.call(writer.imported("RtlUnwind"));
          a.bind(search).mov(EAX, 1).add(RSP, 0x28).ret();
        });
  }

  /** Writes what each thread does. */
  private void worker() {
    writer.function(
        "worker",
        worker,
        ImageWriter.small(),
        () -> {
          writer.enter();
          repeat(SelfTestProgram.OUTER, outer);
          repeat(SelfTestProgram.CATCHES, catcher);
          a.xor(EAX, EAX);
          writer.leave();
        });
  }

  /** Calls a function so many times; ebx counts. */
  private void repeat(int times, Label function) {
    a.mov(EBX, times);
    Label next = a.here("next of " + times);
    a.mov(ECX, EBX).call(function).dec(EBX).jnz(next);
  }
}
