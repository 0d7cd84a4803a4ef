package io.ntrail.live.capture;

import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBP;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDI;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESI;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESP;

import io.ntrail.live.windows.WindowsApi;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;

/**
 * Twin of {@link CaptureRoutine} for an agent of 32-bit code: the same arguments and the same head,
 * whose fields of 64 bits have a high half of 0.
 */
final class CaptureRoutine32 {
  // Arguments, from the frame: behind four registers and the return address.
  private static final int THREAD = 20;
  private static final int PROCESS = 24;
  private static final int BLOCK_AT = 28;
  private static final int HEAD = 32;
  private static final int MOST_STACK = 36;

  /** Bytes of the stack that are wanted, when the head's address is in a register. */
  private static final int STACK_WANTED = HEAD;

  private final Assembler a = Assembler.ia32();
  private final WindowsApi calls;
  private final CaptureLayout layout = CaptureLayout.X86;

  private CaptureRoutine32(WindowsApi calls) {
    this.calls = calls;
  }

  /** Returns the code, which can lie anywhere. */
  static byte[] code(WindowsApi calls) {
    return new CaptureRoutine32(calls).write();
  }

  private byte[] write() {
    Label ranges = a.label("ranges");
    Label range = a.label("next range");
    Label resume = a.label("resume");
    Label end = a.label("end");
    a.push(EBP).push(EBX).push(ESI).push(EDI).mov(EBP, ESP).mov(EBX, ptr(EBP).plus(HEAD));
    readBlock();
    count(CaptureRoutine.BEFORE);
    a.lea(EAX, ptr(EBX).plus(CaptureRoutine.SUSPEND_COUNT)).push(EAX);
    a.push(ptr(EBP).plus(THREAD).as32());
    call("ntdll!NtSuspendThread");
    a.mov(ptr(EBX).plus(CaptureRoutine.SUSPENDED), EAX).test(EAX, EAX).js(end);
    a.lea(EAX, ptr(EBX).plus(CaptureRoutine.CONTEXT)).push(EAX);
    a.push(ptr(EBP).plus(THREAD).as32());
    call("ntdll!NtGetContextThread");
    a.mov(ptr(EBX).plus(CaptureRoutine.REGISTERS), EAX);
    count(CaptureRoutine.STOOD);
    a.cmp(ptr(EBX).plus(CaptureRoutine.REGISTERS).as32(), 0).jl(resume);
    copyStack(ranges);

    a.bind(ranges).mov(EDI, ptr(EBX).plus(CaptureRoutine.RANGES));
    a.lea(ESI, ptr(EBX).plus(CaptureRoutine.FIRST_RANGE));
    a.bind(range).test(EDI, EDI).jz(resume).lea(EAX, ptr(ESI).plus(24)).push(EAX);
    a.push(ptr(ESI).plus(8).as32()).push(ptr(ESI).plus(16).as32()).push(ptr(ESI).as32());
    read();
    a.add(ESI, CaptureRoutine.RANGE).dec(EDI).jmp(range);

    a.bind(resume).push(0).push(ptr(EBP).plus(THREAD).as32());
    call("ntdll!NtResumeThread");
    count(CaptureRoutine.AFTER);
    a.bind(end).xor(EAX, EAX).mov(ESP, EBP).pop(EDI).pop(ESI).pop(EBX).pop(EBP).ret();
    return a.assemble().bytes();
  }

  /** Copies the stack: esi what is next, edi the bytes that are tried at once. */
  private void copyStack(Label done) {
    Label piece = a.label("piece of the stack");
    Label foreign = a.label("foreign stack");
    Label own = a.label("own stack");
    Label moved = a.label("moved");
    Label fits = a.label("it fits");
    Label aligned = a.label("within a page");
    Label unread = a.label("not read");
    int limit = CaptureRoutine.BLOCK + layout.stackLimit();
    int base = CaptureRoutine.BLOCK + layout.stackBase();
    a.mov(ESI, ptr(EBX).plus(CaptureRoutine.CONTEXT + layout.stackPointer()));
    a.cmp(ESI, ptr(EBX).plus(limit)).jb(moved).cmp(ESI, ptr(EBX).plus(base)).jb(own);
    // The stack has grown since the block was read, or is another one.
    a.bind(moved);
    readBlock();
    a.cmp(ESI, ptr(EBX).plus(limit)).jb(foreign).cmp(ESI, ptr(EBX).plus(base)).jae(foreign);
    // Of the thread's own stack all that is used, as far as there is room for it.
    a.bind(own).mov(EDI, ptr(EBX).plus(base)).sub(EDI, ESI);
    a.cmp(EDI, ptr(EBP).plus(MOST_STACK)).jb(fits).mov(EDI, ptr(EBP).plus(MOST_STACK));
    a.bind(fits).mov(ptr(EBP).plus(STACK_WANTED), EDI).jmp(piece);
    // Of another one page by page what is there: nobody says where it ends.
    a.bind(foreign).mov(ptr(EBP).plus(STACK_WANTED).as32(), CaptureRoutine.FOREIGN_STACK);
    a.mov(EDI, ESI).neg(EDI).and(EDI, CaptureRoutine.PAGE - 1).jnz(aligned);
    a.mov(EDI, CaptureRoutine.PAGE).bind(aligned);

    a.bind(piece).push(0).push(EDI);
    a.mov(EAX, ptr(EBX).plus(CaptureRoutine.STACK_AT));
    a.add(EAX, ptr(EBX).plus(CaptureRoutine.STACK_BYTES)).push(EAX).push(ESI);
    read();
    a.test(EAX, EAX).js(unread).add(ptr(EBX).plus(CaptureRoutine.STACK_BYTES), EDI).add(ESI, EDI);
    a.mov(EDI, CaptureRoutine.PAGE).mov(ECX, ptr(EBP).plus(STACK_WANTED));
    a.cmp(ptr(EBX).plus(CaptureRoutine.STACK_BYTES), ECX).jb(piece).jmp(done);
    a.bind(unread).cmp(EDI, CaptureRoutine.PAGE).ja(foreign);
  }

  private void readBlock() {
    a.push(0).push(CaptureRoutine.BLOCK_BYTES);
    a.lea(EAX, ptr(EBX).plus(CaptureRoutine.BLOCK)).push(EAX);
    a.push(ptr(EBP).plus(BLOCK_AT).as32());
    read();
  }

  /** Reads memory of the process; all arguments but the process are pushed. */
  private void read() {
    a.push(ptr(EBP).plus(PROCESS).as32());
    call("ntdll!NtReadVirtualMemory");
  }

  private void count(int to) {
    a.lea(EAX, ptr(EBX).plus(to)).push(EAX);
    call("kernel32!QueryPerformanceCounter");
  }

  private void call(String function) {
    a.mov(EAX, calls.address(function)).call(EAX);
  }
}
