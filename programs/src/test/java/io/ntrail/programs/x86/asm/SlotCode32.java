package io.ntrail.programs.x86.asm;

import static io.ntrail.programs.x86.asm.operands.Mem.absolute;
import static io.ntrail.programs.x86.asm.operands.Mem.fs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBP;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESP;

import io.ntrail.programs.x86.asm.operands.Imm;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Mem;
import io.ntrail.programs.x86.asm.operands.Reg16;
import io.ntrail.programs.x86.asm.operands.Reg32;

/**
 * Stub and slot of a traced function in 32-bit code; every address is absolute. Nothing here
 * changes a flag.
 */
final class SlotCode32 {
  static final int AREA = 0x10_0000;
  static final int STRIDE = 384;
  static final int SLOT = AREA + 0x1000 + STRIDE;
  static final int CELLS = SLOT + 0x19000;
  static final int SLOW = 0x20_0000;
  static final int FULL = 0x20_1000;
  static final int INIT = 0x20_2000;
  private static final Mem TLS_SLOT = fs(0xE18);
  private static final Mem TLS_RECORD = fs(0xE1C);

  private SlotCode32() {}

  /** The stub, with {@code mov edi, edi} as the first instruction of the function. */
  static void stub(Assembler a, long functionBehindUnit) {
    Label body = a.label("body");
    Label cold = a.label("cold");
    a.push(EAX)
        .push(ECX)
        .mov(EAX, Imm.address(body))
        .mov(ECX, TLS_SLOT)
        .jecxz(cold)
        .jmp(ECX)
        .bind(cold)
        .jmp(INIT);
    a.pop(ECX).pop(EAX).bind(body).mov(Reg32.EDI, Reg32.EDI).jmp(functionBehindUnit);
  }

  /** Writes one record where the unwinder begins, then what it begins with. */
  static void unwindProbe(Assembler a, long unwinder, long behindUnit) {
    Label out = a.label("out");
    Label full = a.label("full");
    Label known = a.label("code known");
    a.push(EAX)
        .push(ECX)
        .push(EDX)
        .mov(ECX, TLS_RECORD)
        .jecxz(out)
        .rdtsc()
        .mov(ptr(ECX), EAX)
        .mov(ptr(ECX).plus(4), EDX)
        .mov(EAX, ptr(ESP).plus(16))
        .mov(ptr(ECX).plus(24), EAX)
        .mov(EDX, ECX)
        .mov(ECX, ptr(ESP).plus(24))
        .mov(EAX, 0xC000_0027L)
        .jecxz(known)
        .mov(EAX, ptr(ECX))
        .bind(known)
        .mov(ptr(EDX).plus(16), EAX)
        .mov(ptr(EDX).plus(8).as32(), unwinder)
        .mov(ptr(EDX).plus(12).as32(), 5)
        .lea(EDX, ptr(EDX).plus(32))
        .mov(TLS_RECORD, EDX)
        .movzx(ECX, Reg16.DX)
        .jecxz(full)
        .bind(out)
        .pop(EDX)
        .pop(ECX)
        .pop(EAX)
        .push(EBP)
        .mov(EBP, ESP)
        .lea(ESP, ptr(ESP).plus(-0x2D4))
        .jmp(behindUnit)
        .bind(full)
        .call(FULL)
        .jmp(out);
  }

  private static Mem cell(int offset) {
    return absolute(CELLS + offset);
  }

  static void enter32(Assembler a, Label exit, boolean nearJump) {
    Label same = a.label("same");
    Label equal = a.label("equal");
    Label fresh = a.label("fresh");
    Label tail = a.label("tail");
    Label go = a.label("go");
    Label full = a.label("full at entry");
    Label done = a.label("done at entry");
    Label slow = a.label("slow");
    a.mov(TLS_SLOT.as32(), SLOT + STRIDE)
        .mov(cell(12), EAX)
        .mov(cell(16), EDX)
        .mov(ECX, fs(4))
        .mov(EDX, absolute(AREA))
        .lea(ECX, ptr(ECX).index(EDX, 1))
        .jecxz(same);
    (nearJump ? a.jmpNear(slow) : a.jmp(slow))
        .bind(same)
        .mov(ECX, ESP)
        .not(ECX)
        .mov(EDX, cell(8 - STRIDE))
        .lea(EAX, ptr(ECX).index(EDX, 1).plus(-11))
        .mov(ECX, EAX)
        .jecxz(equal)
        .cdq()
        .mov(ECX, EDX)
        .jecxz(fresh)
        .jmp(slow)
        .bind(equal)
        .mov(ECX, ptr(ESP).plus(8))
        .not(ECX)
        .lea(ECX, ptr(ECX).plus(exit).plus(1 - STRIDE))
        .jecxz(tail)
        .bind(slow)
        .mov(EAX, cell(12))
        .jmp(SLOW)
        .bind(tail)
        .mov(ECX, cell(4 - STRIDE))
        .mov(cell(4), ECX)
        .mov(ECX, ptr(ESP).plus(8))
        .jmp(go)
        .bind(full)
        .call(FULL)
        .jmp(done)
        .bind(fresh)
        .mov(ECX, ptr(ESP).plus(8))
        .mov(cell(4), ECX)
        .bind(go)
        .mov(cell(0), ECX)
        .lea(EDX, ptr(ESP).plus(12))
        .mov(cell(8), EDX)
        .mov(ECX, TLS_RECORD)
        .jecxz(done)
        .mov(ptr(ECX).plus(24), EDX)
        .rdtsc()
        .mov(ptr(ECX), EAX)
        .mov(ptr(ECX).plus(4), EDX)
        .mov(EAX, cell(0))
        .mov(ptr(ECX).plus(16), EAX)
        .mov(EAX, ptr(ESP))
        .mov(ptr(ECX).plus(20), EAX)
        .mov(EAX, cell(16))
        .mov(ptr(ECX).plus(28), EAX)
        .mov(EAX, cell(12))
        .mov(ptr(ECX).plus(8), EAX)
        .mov(ptr(ECX).plus(12).as32(), 0x102)
        .lea(ECX, ptr(ECX).plus(32))
        .mov(TLS_RECORD, ECX)
        .movzx(ECX, Reg16.CX)
        .jecxz(full)
        .bind(done)
        .mov(EDX, cell(16))
        .mov(ECX, ptr(ESP))
        .mov(EAX, ptr(ESP).plus(4))
        .lea(ESP, ptr(ESP).plus(12))
        .call(cell(12))
        .bind(exit);
  }

  static void exit32(Assembler a, Label begin) {
    Label done = a.label("done at exit");
    Label after = a.label("after");
    Label full = a.label("full at exit");
    a.push(cell(0))
        .push(ECX)
        .mov(ECX, TLS_RECORD)
        .jecxz(done)
        .mov(cell(20), EAX)
        .mov(cell(16), EDX)
        .mov(ptr(ECX).plus(16), EAX)
        .mov(ptr(ECX).plus(20), EDX)
        .rdtsc()
        .mov(ptr(ECX), EAX)
        .mov(ptr(ECX).plus(4), EDX)
        .mov(EAX, cell(12))
        .mov(ptr(ECX).plus(8), EAX)
        .mov(EAX, cell(8))
        .mov(ptr(ECX).plus(24), EAX)
        .lea(EAX, ptr(ESP).plus(8))
        .mov(ptr(ECX).plus(28), EAX)
        .mov(ptr(ECX).plus(12).as32(), 0x103)
        .lea(ECX, ptr(ECX).plus(32))
        .mov(TLS_RECORD, ECX)
        .movzx(ECX, Reg16.CX)
        .jecxz(full)
        .bind(after)
        .mov(EAX, cell(20))
        .mov(EDX, cell(16))
        .bind(done)
        .mov(TLS_SLOT.as32(), Imm.address(begin))
        .pop(ECX)
        .ret()
        .bind(full)
        .call(FULL)
        .jmp(after);
  }
}
