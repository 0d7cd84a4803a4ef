package io.ntrail.live.capture;

import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
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

import io.ntrail.live.agent.SystemLayout;
import io.ntrail.live.windows.WindowsApi;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;

/**
 * Machine code that the agent runs in its own process: it suspends a thread of another process,
 * copies its registers, the used part of its stack and further ranges of memory, and resumes it.
 *
 * <p>One call does all of it, so that the thread is resumed also if the controller dies meanwhile.
 * The thread is suspended for as short a time as can be: what may be read before is read before.
 * Arguments: handle of the thread, handle of its process, address of the thread's environment
 * block, address of the head, most bytes of stack. The head, 16-byte aligned, is laid out by the
 * constants; what it does not say has to be 0.
 */
final class CaptureRoutine {
  /** Out, i32: status of the suspension; all else is undefined if it failed. */
  static final int SUSPENDED = 0;

  /** Out, u32: how often the thread was suspended before. */
  static final int SUSPEND_COUNT = 4;

  /** Out, i32: status of the registers; there is no stack if it failed. */
  static final int REGISTERS = 8;

  /** Out, u64: bytes of the stack that were read. */
  static final int STACK_BYTES = 16;

  /** Out, u64: performance counter before the suspension. */
  static final int BEFORE = 24;

  /** Out, u64: performance counter after the thread was resumed. */
  static final int AFTER = 32;

  /** In, u64: number of further ranges, at most {@link #MAX_RANGES}. */
  static final int RANGES = 40;

  /** In, u64: address in the agent that the stack is copied to, from the stack pointer on. */
  static final int STACK_AT = 48;

  /** Out, u64: performance counter when the registers were there, and so the thread stood. */
  static final int STOOD = 56;

  /** Out: first bytes of the thread's environment block. */
  static final int BLOCK = 64;

  /** Bytes of that block. */
  static final int BLOCK_BYTES = 0x60;

  /** In: ranges, each u64 address, u64 size, u64 address in the agent; out, u64: bytes read. */
  static final int FIRST_RANGE = 0x100;

  /** Bytes that describe a range. */
  static final int RANGE = 32;

  /** Largest number of ranges. */
  static final int MAX_RANGES = 24;

  /** In and out: the structure with the registers, whose flags say which registers are wanted. */
  static final int CONTEXT = 0x400;

  /** Most bytes of a stack that is not the thread's own, as far as there is memory. */
  static final int FOREIGN_STACK = 0x1_0000;

  static final int PAGE = 0x1000;

  /** Class of NtQueryInformationThread: registers of the 32-bit side. */
  private static final int WOW64_CONTEXT = 29;

  /** Bytes of the routine's frame below the saved registers. */
  private static final int FRAME = 0x38;

  /** Offset from the stack pointer of the fifth argument: frame, six registers, return address. */
  private static final int FIFTH = FRAME + 6 * 8 + 8 + 32;

  /** Bytes that the address of a head is a multiple of, since it has a CONTEXT. */
  private static final int ALIGNMENT = 16;

  private CaptureRoutine() {}

  /** Returns the bytes of a head, of which several can follow each other. */
  static int headBytes(CaptureLayout layout) {
    return CONTEXT + layout.contextBytes() + ALIGNMENT - 1 & -ALIGNMENT;
  }

  /** Returns the code, which can lie anywhere, for one side of threads. */
  static byte[] code(WindowsApi calls, CaptureLayout layout) {
    if (calls.layout().equals(SystemLayout.X86)) {
      return CaptureRoutine32.code(calls);
    }
    Assembler a = Assembler.x64();
    Label piece = a.label("piece of the stack");
    Label foreign = a.label("foreign stack");
    Label ranges = a.label("ranges");
    Label range = a.label("next range");
    Label resume = a.label("resume");
    Label end = a.label("end");
    long read = calls.address("ntdll!NtReadVirtualMemory");
    a.push(RBX).push(RSI).push(RDI).push(RBP).push(R12).push(R13).sub(RSP, FRAME);
    a.mov(RBX, R9).mov(RSI, RCX).mov(RDI, RDX).mov(RBP, R8);
    readBlock(a, read);
    a.lea(RCX, ptr(RBX).plus(BEFORE));
    call(a, calls.address("kernel32!QueryPerformanceCounter"));
    a.mov(RCX, RSI).lea(RDX, ptr(RBX).plus(SUSPEND_COUNT));
    call(a, calls.address("ntdll!NtSuspendThread"));
    a.mov(ptr(RBX).plus(SUSPENDED), EAX).test(EAX, EAX).js(end);
    readRegisters(a, calls, layout);
    a.mov(ptr(RBX).plus(REGISTERS), EAX).lea(RCX, ptr(RBX).plus(STOOD));
    call(a, calls.address("kernel32!QueryPerformanceCounter"));
    a.cmp(ptr(RBX).plus(REGISTERS).as32(), 0).jl(resume);

    load(a, CONTEXT + layout.stackPointer(), layout);
    a.mov(R12, RAX);
    Label own = a.label("own stack");
    Label moved = a.label("moved");
    load(a, BLOCK + layout.stackLimit(), layout);
    a.cmp(R12, RAX).jb(moved);
    load(a, BLOCK + layout.stackBase(), layout);
    a.cmp(R12, RAX).jb(own);
    // The stack has grown since the block was read, or is another one.
    a.bind(moved);
    readBlock(a, read);
    load(a, BLOCK + layout.stackLimit(), layout);
    a.cmp(R12, RAX).jb(foreign);
    load(a, BLOCK + layout.stackBase(), layout);
    a.cmp(R12, RAX).jae(foreign);
    // Of the thread's own stack all that is used, as far as there is room for it.
    a.bind(own).mov(RBP, RAX).sub(RBP, R12);
    a.mov(R13, ptr(RSP).plus(FIFTH)).cmp(RBP, R13);
    Label fits = a.label("it fits");
    a.jb(fits).mov(RBP, R13).bind(fits).mov(R13, RBP).jmp(piece);
    // Of another one page by page what is there: nobody says where it ends.
    a.bind(foreign).mov(RBP, FOREIGN_STACK).mov(R13, R12).neg(R13).and(R13, PAGE - 1);
    Label aligned = a.label("within a page");
    a.jnz(aligned).mov(R13, PAGE).bind(aligned);

    a.bind(piece).mov(RCX, RDI).mov(RDX, R12).mov(R9, R13);
    a.mov(R8, ptr(RBX).plus(STACK_AT)).add(R8, ptr(RBX).plus(STACK_BYTES));
    a.mov(ptr(RSP).plus(32).as64(), 0);
    call(a, read);
    Label unread = a.label("not read");
    a.test(EAX, EAX).js(unread).add(ptr(RBX).plus(STACK_BYTES), R13).add(R12, R13);
    a.mov(R13, PAGE).cmp(ptr(RBX).plus(STACK_BYTES), RBP).jb(piece).jmp(ranges);
    a.bind(unread).cmp(R13, PAGE).ja(foreign);

    a.bind(ranges).mov(R12, ptr(RBX).plus(RANGES)).lea(R13, ptr(RBX).plus(FIRST_RANGE));
    a.bind(range).test(R12, R12).jz(resume);
    a.mov(RCX, RDI).mov(RDX, ptr(R13)).mov(R9, ptr(R13).plus(8)).mov(R8, ptr(R13).plus(16));
    a.lea(RAX, ptr(R13).plus(24)).mov(ptr(RSP).plus(32), RAX);
    call(a, read);
    a.add(R13, RANGE).dec(R12).jmp(range);

    a.bind(resume).mov(RCX, RSI).xor(EDX, EDX);
    call(a, calls.address("ntdll!NtResumeThread"));
    a.lea(RCX, ptr(RBX).plus(AFTER));
    call(a, calls.address("kernel32!QueryPerformanceCounter"));
    a.bind(end).xor(EAX, EAX).xor(ECX, ECX).add(RSP, FRAME);
    a.pop(R13).pop(R12).pop(RBP).pop(RDI).pop(RSI).pop(RBX).ret();
    return a.assemble().bytes();
  }

  /** Puts the registers of the thread into the buffer; EAX is the status. */
  private static void readRegisters(Assembler a, WindowsApi calls, CaptureLayout layout) {
    switch (layout) {
      case X64 -> {
        a.mov(RCX, RSI).lea(RDX, ptr(RBX).plus(CONTEXT));
        call(a, calls.address("ntdll!NtGetContextThread"));
      }
      case X86 -> {
        a.mov(RCX, RSI).mov(EDX, WOW64_CONTEXT).lea(R8, ptr(RBX).plus(CONTEXT));
        a.mov(R9, layout.contextBytes()).mov(ptr(RSP).plus(32).as64(), 0);
        call(a, calls.address("ntdll!NtQueryInformationThread"));
      }
    }
  }

  /** Loads a pointer of the buffer into RAX. */
  private static void load(Assembler a, int offset, CaptureLayout layout) {
    switch (layout) {
      case X64 -> a.mov(RAX, ptr(RBX).plus(offset));
      case X86 -> a.mov(EAX, ptr(RBX).plus(offset));
    }
  }

  /** Reads the environment block, whose address is in RBP. */
  private static void readBlock(Assembler a, long read) {
    a.mov(RDX, RBP).lea(R8, ptr(RBX).plus(BLOCK)).mov(R9, BLOCK_BYTES);
    a.mov(ptr(RSP).plus(32).as64(), 0).mov(RCX, RDI);
    call(a, read);
  }

  private static void call(Assembler a, long address) {
    a.mov(RAX, address).call(RAX);
  }
}
