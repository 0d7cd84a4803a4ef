package io.ntrail.live.code.x64;

import static io.ntrail.programs.x86.asm.operands.Mem.gs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg64.R10;
import static io.ntrail.programs.x86.asm.operands.Reg64.R11;
import static io.ntrail.programs.x86.asm.operands.Reg64.R9;
import static io.ntrail.programs.x86.asm.operands.Reg64.RAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RCX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RDX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSP;

import io.ntrail.live.code.SessionLayout;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Reg16;

/**
 * Language handler of slots, which the system calls for each traced frame that an exception or a
 * long jump leaves. It writes a record and changes nothing: who unwinds may itself be traced and
 * use higher slots.
 */
final class SlotExceptionHandler {
  private static final int FRAME = 0x28;
  private static final int PROLOGUE = 4;

  /** EXCEPTION_UNWINDING, EXIT_UNWIND, TARGET_UNWIND, COLLIDED_UNWIND. */
  private static final int UNWINDING = 0x66;

  private SlotExceptionHandler() {}

  /**
   * Assembles it.
   *
   * @param record bytes of a record; 0: calls are added up
   * @param exit distance of the return point from the beginning of a slot
   */
  static byte[] assemble(TlsOffsets words, int record, long full, int exit) {
    if (record == 0) {
      return SlotTotals.exceptionHandler(words, exit, FRAME, UNWINDING);
    }
    Assembler a = Assembler.x64();
    Label out = a.label("out");
    Label end = a.label("end of the chunk");
    return a.sub(RSP, FRAME)
        .test(ptr(RCX).plus(4).as32(), UNWINDING)
        .jz(out)
        // The control PC is the return point.
        .mov(R10, ptr(R9))
        .mov(R11, gs(words.record()))
        .test(R11, R11)
        .jz(out)
        .add(R10, AreaLayout.DELTA - exit)
        // The establisher frame is S - 8.
        .add(RDX, 16)
        .mov(ptr(R11).plus(SessionLayout.RECORD_KEY), RDX)
        .mov(EAX, ptr(RCX))
        .mov(ptr(R11).plus(SessionLayout.RECORD_VALUE), RAX)
        .rdtsc()
        .mov(ptr(R11), EAX)
        .mov(ptr(R11).plus(4), EDX)
        .mov(RAX, ptr(R10).plus(AreaLayout.BODY))
        .mov(ptr(R11).plus(SessionLayout.RECORD_FUNCTION), EAX)
        .mov(EAX, ptr(R10).plus(AreaLayout.META))
        .add(EAX, 2)
        .mov(ptr(R11).plus(SessionLayout.RECORD_META), EAX)
        .add(R11, record)
        .test(Reg16.R11W, Reg16.R11W)
        .jz(end)
        .mov(gs(words.record()), R11)
        .jmp(out)
        .bind(end)
        .mov(RAX, full)
        .call(RAX)
        .bind(out)
        .mov(EAX, 1)
        .add(RSP, FRAME)
        .ret()
        .assemble()
        .bytes();
  }

  /** Adds its unwind data. */
  static void describe(FunctionTableBuilder functions, int begin, int length) {
    int[] codes = {UnwindBytes.allocation(PROLOGUE, FRAME / 8)};
    functions.add(begin, begin + length, new UnwindBytes(1, PROLOGUE, 0, codes));
  }
}
