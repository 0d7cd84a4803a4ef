package io.ntrail.live.code.ia32;

import static io.ntrail.programs.x86.asm.operands.Mem.absolute;
import static io.ntrail.programs.x86.asm.operands.Mem.fs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDI;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESI;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESP;
import static io.ntrail.programs.x86.asm.operands.Reg8.AL;

import io.ntrail.live.code.SessionLayout;
import io.ntrail.live.code.TracedCode;
import io.ntrail.live.code.UnwindProbes;
import io.ntrail.programs.x86.asm.AssembledCode;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Reg16;

/**
 * Code in front of unwinders. It writes one record with the frame that control goes to and the
 * thread's next free slot, and touches no slot: RtlUnwind follows the list of registrations, and
 * frames that are left are found by their keys.
 */
final class UnwindProbe implements UnwindProbes {
  private static final int MOST = 320;

  /** Code of an unwind that no exception is known of: STATUS_UNWIND. */
  private static final long STATUS_UNWIND = 0xC000_0027L;

  /** Code of long jumps: STATUS_LONGJUMP. */
  private static final long STATUS_LONGJUMP = 0x8000_0026L;

  /**
   * Esp in the jmp_buf of Microsoft's C runtimes: Ebp, Ebx, Edi, Esi, Esp, Eip. It is that at the
   * entry of setjmp, where the return address lies.
   */
  private static final int JUMP_ESP = 16;

  /**
   * Bytes from there to the highest key of what the caller of setjmp calls: its return address and
   * its two arguments, since another function may have none. The caller's own key is above that.
   */
  private static final int SETJMP_CALL = 12;

  // Above the stack pointer, with flags and registers pushed: the arguments.
  private static final int FIRST_ARGUMENT = 4 * (8 + 1 + 1);
  private static final int THIRD_ARGUMENT = FIRST_ARGUMENT + 8;

  // The system's own registration while a handler runs: the frame that the handler was asked for
  // lies behind the link and the handler, and in front of it are the handler's arguments. Seen in
  // ntdll of Wine 8 (call_exception_handler) and described so for Windows (ExecuteHandler2).
  private static final int ASKED_FOR = 8;
  private static final int RECORD_ARGUMENT = -16;
  private static final int FRAME_ARGUMENT = -12;

  /** The lowest one lies above the four arguments of RtlUnwind and the four of the handler. */
  private static final int LOWEST = FIRST_ARGUMENT + 16 - RECORD_ARGUMENT;

  /** Bytes of a registration. */
  private static final int REGISTRATION = 8;

  private final RoutineContext32 parts;

  UnwindProbe(RoutineContext32 parts) {
    this.parts = parts;
  }

  @Override
  public int most() {
    return MOST;
  }

  @Override
  public Probe code(Unwinder unwinder, TracedCode function, long at) {
    if (!function.relative().isEmpty()) {
      throw new IllegalArgumentException("operands relative to the instruction pointer");
    }
    Assembler a = Assembler.ia32();
    Label out = a.label("out");
    Label full = a.label("full");
    Label known = a.label("slot known");
    Label nothing = a.label("no slot");
    Label body = a.label("body");
    int record = parts.record();
    a.pushfd()
        .pushad()
        .cld()
        .mov(ECX, fs(parts.words().record()))
        .test(ECX, ECX)
        .jz(out)
        .mov(EDI, fs(parts.words().slot()))
        .test(EDI, EDI)
        .jz(nothing)
        // In the runtime block, where nothing is traced, there is no slot either.
        .mov(EAX, EDI)
        .and(EAX, -AreaLayout32.ALIGNMENT)
        .cmp(EAX, parts.addresses().block())
        .je(nothing)
        .mov(EBX, ptr(EDI).plus(AreaLayout32.DELTA + AreaLayout32.META))
        .add(EBX, SessionLayout.UNWIND_TARGET - SessionLayout.ENTRY)
        .jmp(known)
        .bind(nothing)
        .mov(EBX, SessionLayout.UNWIND_TARGET)
        .bind(known);
    target(a, unwinder);
    a.lea(EAX, ptr(ESP).plus(FIRST_ARGUMENT - 4))
        .mov(ptr(ECX).plus(SessionLayout.RECORD_KEY + 4), EAX)
        .mov(ptr(ECX).plus(SessionLayout.RECORD_VALUE + 4).as32(), 0)
        .mov(ptr(ECX).plus(SessionLayout.RECORD_FUNCTION).as32(), function.address())
        .rdtsc()
        .mov(ptr(ECX), EAX)
        .mov(ptr(ECX).plus(4), EDX)
        .mov(ptr(ECX).plus(SessionLayout.RECORD_META), EBX)
        .lea(EDX, ptr(ECX).plus(record))
        .test(Reg16.DX, Reg16.DX)
        .jz(full)
        .mov(fs(parts.words().record()), EDX)
        .bind(out)
        .popad()
        .popfd()
        .bind(body)
        .bytes(function.unit())
        .jmp(function.address() + function.unit().length)
        .bind(full)
        .call(absolute(parts.cells().full()).as32())
        .jmp(out);
    AssembledCode code = a.assemble();
    if (code.length() > MOST) {
      throw new IllegalArgumentException("a unit of " + function.unit().length + " bytes");
    }
    return new Probe(code.bytesAt(at), code.offset(body));
  }

  /** Stores the target and the code. Uses eax, edx, esi, edi. */
  private static void target(Assembler a, Unwinder unwinder) {
    Label coded = a.label("code known");
    switch (unwinder) {
      case RTL_UNWIND -> {
        Label given = a.label("exception known");
        a.mov(EAX, ptr(ESP).plus(FIRST_ARGUMENT))
            .mov(ptr(ECX).plus(SessionLayout.RECORD_KEY), EAX)
            .mov(EDX, ptr(ESP).plus(THIRD_ARGUMENT))
            .test(EDX, EDX)
            .jnz(given);
        handled(a, coded);
        a.bind(given).mov(EAX, ptr(EDX)).bind(coded);
      }
      case LONGJMP ->
          a.mov(EAX, ptr(ESP).plus(FIRST_ARGUMENT))
              .mov(EAX, ptr(EAX).plus(JUMP_ESP))
              .add(EAX, SETJMP_CALL)
              .mov(ptr(ECX).plus(SessionLayout.RECORD_KEY), EAX)
              .mov(EAX, STATUS_LONGJUMP);
    }
    a.mov(ptr(ECX).plus(SessionLayout.RECORD_VALUE), EAX);
  }

  /**
   * Finds the exception whose handler unwinds: {@code _except_handler3} names none to RtlUnwind.
   * While a handler runs, a registration of the system lies among those of the program. The
   * innermost one whose handler was asked for the target frame is that of the exception.
   *
   * <p>Nothing outside the thread's stack is read, and the list only upwards. Expects the target in
   * eax; leaves the record of the exception in edx, or continues at {@code coded} with the code in
   * eax. Uses esi, edi.
   */
  private static void handled(Assembler a, Label coded) {
    Label next = a.label("next registration");
    Label other = a.label("not the handler's");
    Label unknown = a.label("exception unknown");
    Label found = a.label("exception found");
    a.cmp(ESP, fs(TlsOffsets32.STACK_LIMIT))
        .jb(unknown)
        .mov(EDX, fs(TlsOffsets32.STACK_BASE))
        .sub(EDX, REGISTRATION)
        .cmp(EAX, EDX)
        .ja(unknown)
        .test(AL, 3)
        .jnz(unknown)
        .lea(EDI, ptr(ESP).plus(LOWEST))
        .mov(ESI, fs(TlsOffsets32.REGISTRATIONS))
        .bind(next)
        .cmp(ESI, EDI)
        .jb(unknown)
        .cmp(ESI, EAX)
        .jae(unknown)
        .test(ESI, 3)
        .jnz(unknown)
        .cmp(ptr(ESI).plus(ASKED_FOR), EAX)
        .jne(other)
        .cmp(ptr(ESI).plus(FRAME_ARGUMENT), EAX)
        .jne(other)
        .mov(EDX, ptr(ESI).plus(RECORD_ARGUMENT))
        .cmp(EDX, ESI)
        .jb(unknown)
        .cmp(EDX, fs(TlsOffsets32.STACK_BASE))
        .jae(unknown)
        .test(EDX, 3)
        .jz(found)
        .jmp(unknown)
        .bind(other)
        .lea(EDI, ptr(ESI).plus(1))
        .mov(ESI, ptr(ESI))
        .jmp(next)
        .bind(unknown)
        .mov(EAX, STATUS_UNWIND)
        .jmp(coded)
        .bind(found);
  }
}
