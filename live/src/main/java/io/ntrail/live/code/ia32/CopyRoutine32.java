package io.ntrail.live.code.ia32;

import static io.ntrail.programs.x86.asm.operands.Mem.fs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBP;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDI;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESI;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESP;

import io.ntrail.live.code.ArgumentCopies.Copy;
import io.ntrail.live.code.SessionLayout;
import io.ntrail.programs.x86.asm.Condition;
import io.ntrail.programs.x86.asm.operands.Imm;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Mem;
import io.ntrail.programs.x86.asm.operands.Reg32;
import java.util.List;

/**
 * Routine that records what may be arguments, and memory that they point to. Called with ecx = the
 * record, which has ecx and edx, and edx = the key, it changes eax and edx, and no flag.
 *
 * <p>Memory is copied only as far as the system says that it can be read, and never from a guard
 * page, which reading would remove. The system copies it: what another thread takes away meanwhile
 * ends the copy, and nothing faults. A handler of exceptions would not do, as Windows takes none
 * that lies outside of modules (SafeSEH). Functions that run meanwhile are not traced.
 */
final class CopyRoutine32 extends RuntimeRoutines32 {
  /** Bytes of stack that have to be left where memory is copied. */
  private static final int STACK_NEEDED = 0x4000;

  /** Registers that are pushed behind the flags, the frame register last. */
  private static final List<Reg32> PUSHED = List.of(ECX, EBX, ESI, EDI, EBP);

  // Below ebp: words of the thread.
  private static final int AT_SLOT = -4;
  private static final int AT_RECORD = -8;

  // What the system is asked, and answers.
  private static final int AT_LEFT = -12;
  private static final int AT_PART = -16;
  private static final int AT_DONE = -20;

  /** MXCSR as functions expect it. */
  private static final int AT_ROUNDING = -24;

  /** MEMORY_BASIC_INFORMATION. */
  private static final int INFORMATION_BYTES = 28;

  private static final int AT_INFORMATION = AT_ROUNDING - INFORMATION_BYTES;
  private static final int REGION_SIZE = 12;
  private static final int STATE = 16;
  private static final int PROTECT = 20;

  /** Bytes that FXSAVE stores, at a multiple of 16. */
  private static final int FLOATING_BYTES = 512;

  private static final int USUAL_ROUNDING = 0x1F80;

  /** NtCurrentProcess. */
  private static final int THIS_PROCESS = -1;

  /** MEM_COMMIT. */
  private static final int COMMITTED = 0x1000;

  /** PAGE_GUARD, PAGE_NOACCESS. */
  private static final int CLOSED = 0x101;

  /** All protections that allow to read. */
  private static final int READABLE = 0xEE;

  final Label begin = a.label("copies");
  private final Label arguments;
  private final Label untraced;

  /**
   * Routine of a session.
   *
   * @param arguments routine that records the arguments alone
   * @param untraced where functions go that are not to be traced
   */
  CopyRoutine32(RoutineContext32 parts, Label arguments, Label untraced) {
    super(parts);
    this.arguments = arguments;
    this.untraced = untraced;
  }

  private static Mem local(int at) {
    return ptr(EBP).plus(at);
  }

  void write() {
    Label bytes = a.label("copies: bytes");
    Label text = a.label("copies: text");
    Label leave = a.label("copies: leave");
    a.bind(begin).pushfd();
    PUSHED.forEach(a::push);
    a.mov(EBP, ESP)
        .call(arguments)
        .mov(EBX, ECX)
        // Where little stack is left, the program needs it itself; another stack is none of ours.
        .mov(EAX, ESP)
        .cmp(EAX, fs(TlsOffsets32.STACK_BASE))
        .jae(leave)
        .sub(EAX, fs(TlsOffsets32.STACK_RESERVED))
        .jb(leave)
        .cmp(EAX, STACK_NEEDED)
        .jb(leave)
        .lea(ESP, local(AT_INFORMATION - FLOATING_BYTES))
        .and(ESP, -16)
        .fxsave(ptr(ESP))
        .mov(local(AT_ROUNDING).as32(), USUAL_ROUNDING)
        .ldmxcsr(local(AT_ROUNDING))
        .cld()
        .mov(EAX, fs(words.slot()))
        .mov(local(AT_SLOT), EAX)
        .mov(fs(words.slot()).as32(), Imm.address(untraced))
        .xor(EAX, EAX)
        .xchg(fs(words.record()), EAX)
        .mov(local(AT_RECORD), EAX);
    int at = SessionLayout.RECORD_COPIES;
    for (Copy copy : parts.addresses().records().copies().copies()) {
      a.mov(ESI, ptr(EBX).plus(SessionLayout.RECORD_ARGUMENTS + 8L * copy.argument()))
          .lea(ESI, ptr(ESI).plus(copy.offset()))
          .lea(EDI, ptr(EBX).plus(at + SessionLayout.COPY_HEAD))
          .mov(local(AT_LEFT).as32(), copy.length())
          .call(copy.isText() ? text : bytes)
          .sub(EDI, EBX)
          .sub(EDI, at + SessionLayout.COPY_HEAD)
          .mov(ptr(EBX).plus(at), EDI)
          .mov(ptr(EBX).plus(at + 4).as32(), 0);
      at += copy.recordBytes();
    }
    a.mov(EAX, local(AT_RECORD))
        .mov(fs(words.record()), EAX)
        .mov(EAX, local(AT_SLOT))
        .mov(fs(words.slot()), EAX)
        .fxrstor(ptr(ESP))
        .bind(leave)
        .mov(ESP, EBP);
    PUSHED.reversed().forEach(a::pop);
    a.popfd().ret();
    Label part = a.label("copies: part");
    writeBytes(bytes, part);
    writeText(text, part);
    writePart(part);
  }

  /** Copies what esi points to, all that is left, to edi. */
  private void writeBytes(Label bytes, Label part) {
    Label ended = a.label("copies: no more bytes");
    a.bind(bytes)
        .call(part)
        .add(EDI, ECX)
        .cmp(ECX, local(AT_PART))
        .jne(ended)
        .test(ECX, ECX)
        .jnz(bytes)
        .bind(ended)
        .ret();
  }

  /** Copies what esi points to, up to a NUL or all that is left, to edi. */
  private void writeText(Label text, Label part) {
    Label next = a.label("copies: next letter");
    Label more = a.label("copies: more text");
    Label ended = a.label("copies: no more text");
    a.bind(text)
        .call(part)
        .test(ECX, ECX)
        .jz(ended)
        .bind(next)
        .inc(EDI)
        .cmp(ptr(EDI).plus(-1).as8(), 0)
        .je(ended)
        .dec(ECX)
        .jnz(next)
        .mov(EAX, local(AT_DONE))
        .cmp(EAX, local(AT_PART))
        .je(more)
        .bind(ended)
        .ret()
        .bind(more)
        .jmp(text);
  }

  /**
   * Copies from esi to edi as far as one region reaches: ecx bytes, which is 0 if nothing is left
   * or can be read. Moves esi behind them. Uses eax, edx.
   */
  private void writePart(Label part) {
    Label none = a.label("copies: nothing");
    a.bind(part).mov(local(AT_PART).as32(), 0).mov(local(AT_DONE).as32(), 0);
    a.cmp(local(AT_LEFT).as32(), 0).je(none);
    a.lea(EAX, local(AT_DONE)).push(EAX).push(INFORMATION_BYTES);
    a.lea(EAX, local(AT_INFORMATION)).push(EAX).push(0).push(ESI).push(THIS_PROCESS);
    a.mov(EAX, parts.addresses().query()).call(EAX);
    a.mov(local(AT_DONE).as32(), 0)
        .test(EAX, EAX)
        .jnz(none)
        .cmp(local(AT_INFORMATION + STATE).as32(), COMMITTED)
        .jne(none)
        .mov(EAX, local(AT_INFORMATION + PROTECT))
        .test(EAX, CLOSED)
        .jnz(none)
        .test(EAX, READABLE)
        .jz(none)
        .mov(ECX, local(AT_INFORMATION))
        .add(ECX, local(AT_INFORMATION + REGION_SIZE))
        .sub(ECX, ESI)
        .jbe(none)
        .cmp(ECX, local(AT_LEFT))
        .cmov(Condition.A, ECX, local(AT_LEFT))
        .mov(local(AT_PART), ECX);
    a.lea(EAX, local(AT_DONE)).push(EAX).push(ECX).push(EDI).push(ESI).push(THIS_PROCESS);
    // Of a part that could be read the system says how long that is, whatever else it answers.
    a.mov(EAX, parts.addresses().read()).call(EAX);
    a.mov(ECX, local(AT_DONE)).cmp(ECX, local(AT_PART)).ja(none);
    a.add(ESI, ECX).sub(local(AT_LEFT), ECX).ret();
    a.bind(none).xor(ECX, ECX).mov(local(AT_DONE), ECX).ret();
  }
}
