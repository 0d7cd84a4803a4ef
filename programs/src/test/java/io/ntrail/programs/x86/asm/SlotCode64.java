package io.ntrail.programs.x86.asm;

import static io.ntrail.programs.x86.asm.operands.Mem.gs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RCX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RDX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSP;

import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Mem;
import io.ntrail.programs.x86.asm.operands.Reg16;
import io.ntrail.programs.x86.asm.operands.Reg8;

/**
 * Code around a traced function of 64-bit code: the stub, the slot, the slot after the last one.
 * Nothing here changes a flag. S is where the caller's return address lies.
 */
final class SlotCode64 {
  static final int STRIDE = 512;
  static final int SLOTS = 256;
  static final int DELTA = 0x21000;
  static final int HEADER = 0x1000;

  // Words of the thread block: the next slot, the next record.
  static final int SLOT_TLS = 0x1480;
  static final int RECORD_TLS = 0x1488;

  // Data of a slot.
  static final int RET = 0;
  static final int TRUE_RIP = 8;
  static final int KEY = 32;
  static final int BODY = 48;
  static final int SAVE_RDX = 56;
  static final int SAVE_RAX = 64;
  static final int META = 72;
  static final int SLOW = 80;
  static final int FULL = 88;

  // Labels that others ask for.
  final Label begin;
  final Label call;
  final Label exit;
  final Label end;

  private final Assembler a;
  private final Label fresh;
  private final Label tail;

  private SlotCode64(Assembler a) {
    this.a = a;
    begin = a.here("C");
    call = a.label("K");
    exit = a.label("E");
    end = a.label("end");
    fresh = a.label("fresh");
    tail = a.label("tail");
  }

  /** The stub and what it jumps over: a function's first instruction is {@code sub rsp, 0x28}. */
  static void stub(Assembler a, long functionBehindUnit, Label init) {
    Label body = a.label("body");
    Label cold = a.label("cold");
    a.push(RAX)
        .push(RCX)
        .lea(RAX, ptr(body))
        .mov(RCX, gs(SLOT_TLS))
        .jrcxz(cold)
        .jmp(RCX)
        .bind(cold)
        .mov(RCX, ptr(init))
        .jmp(RCX);
    // Undo, at body - 2.
    a.pop(RCX).pop(RAX).bind(body).sub(RSP, 0x28).jmp(functionBehindUnit);
  }

  /** A slot: entry, call of the body, exit. */
  static SlotCode64 write(Assembler a) {
    SlotCode64 slot = new SlotCode64(a);
    slot.choose();
    slot.enter();
    slot.leave();
    a.bind(slot.end);
    return slot;
  }

  /** The slot after the last one: no room, unless the last one is stale. */
  static SlotCode64 overflow(Assembler a, int exitOffset) {
    SlotCode64 slot = new SlotCode64(a);
    Label equal = a.label("equal");
    Label untraced = a.label("untraced");
    Label slow = a.label("slow");
    a.push(RAX)
        .mov(RAX, slot.cell(KEY - STRIDE))
        .mov(RCX, RSP)
        .not(RCX)
        .lea(RCX, ptr(RCX).index(RAX, 1).plus(-31))
        .pop(RAX)
        .jrcxz(equal)
        // The uppermost byte says the sign: stacks are small.
        .bswap(RCX)
        .movzx(ECX, Reg8.CL)
        .jrcxz(untraced)
        .jmp(slow)
        .bind(equal)
        .push(RAX)
        .mov(RAX, ptr(RSP).plus(24))
        .lea(RCX, ptr(slot.begin).plus(exitOffset - STRIDE))
        .not(RCX)
        .lea(RCX, ptr(RCX).index(RAX, 1).plus(1))
        .pop(RAX)
        .jrcxz(untraced)
        .bind(slow)
        .mov(RCX, slot.cell(SLOW))
        .jmp(RCX)
        .bind(untraced)
        .lea(RAX, ptr(RAX).plus(-2))
        .jmp(RAX)
        .bind(slot.exit)
        .bind(slot.call)
        .bind(slot.end);
    return slot;
  }

  private Mem cell(int field) {
    return ptr(begin).plus(DELTA + field);
  }

  private void choose() {
    Label same = a.label("same stack");
    Label equal = a.label("equal");
    Label slow = a.label("slow");
    a.lea(RCX, ptr(begin).plus(STRIDE))
        .mov(gs(SLOT_TLS), RCX)
        .mov(cell(BODY), RAX)
        .mov(cell(SAVE_RDX), RDX)
        .mov(RCX, gs(8))
        .mov(RDX, ptr(begin).plus(-HEADER - STRIDE + 8))
        .lea(RCX, ptr(RCX).index(RDX, 1))
        .jrcxz(same)
        .jmp(slow)
        .bind(same)
        .mov(RCX, RSP)
        .not(RCX)
        .mov(RDX, cell(KEY - STRIDE))
        .lea(RAX, ptr(RCX).index(RDX, 1).plus(-23))
        .mov(RCX, RAX)
        .jrcxz(equal)
        .cqo()
        .mov(RCX, RDX)
        .jrcxz(fresh)
        .jmp(slow)
        .bind(equal)
        .lea(RDX, ptr(exit).plus(-STRIDE))
        .mov(RCX, ptr(RSP).plus(16))
        .not(RCX)
        .lea(RCX, ptr(RCX).index(RDX, 1).plus(1))
        .jrcxz(tail)
        .bind(slow)
        .mov(RAX, cell(BODY))
        .mov(RCX, cell(SLOW))
        .jmp(RCX);
  }

  private void enter() {
    Label go = a.label("go");
    Label full = a.label("full at entry");
    Label done = a.label("done at entry");
    a.bind(tail)
        .mov(RCX, cell(TRUE_RIP - STRIDE))
        .mov(cell(TRUE_RIP), RCX)
        .mov(RCX, ptr(RSP).plus(16))
        .jmp(go)
        .bind(full)
        .call(cell(FULL))
        .jmp(done)
        .bind(fresh)
        .mov(RCX, ptr(RSP).plus(16))
        .mov(cell(TRUE_RIP), RCX)
        .bind(go)
        .mov(cell(RET), RCX)
        .lea(RDX, ptr(RSP).plus(24))
        .mov(cell(KEY), RDX)
        .mov(RCX, gs(RECORD_TLS))
        .jrcxz(done)
        .mov(ptr(RCX).plus(24), RDX)
        .rdtsc()
        .mov(ptr(RCX), EAX)
        .mov(ptr(RCX).plus(4), EDX)
        .mov(RAX, cell(RET))
        .mov(ptr(RCX).plus(16), RAX)
        .mov(RAX, cell(BODY))
        .mov(ptr(RCX).plus(8), EAX)
        .mov(EAX, cell(META))
        .mov(ptr(RCX).plus(12), EAX)
        .lea(RCX, ptr(RCX).plus(32))
        .mov(gs(RECORD_TLS), RCX)
        .movzx(ECX, Reg16.CX)
        .jrcxz(full)
        .bind(done)
        .mov(RDX, cell(SAVE_RDX))
        .mov(RCX, ptr(RSP))
        .mov(RAX, ptr(RSP).plus(8))
        .lea(RSP, ptr(RSP).plus(24))
        .bind(call)
        .call(cell(BODY))
        .bind(exit);
  }

  private void leave() {
    Label done = a.label("done at exit");
    Label after = a.label("after");
    Label full = a.label("full at exit");
    a.push(cell(RET))
        .push(RCX)
        .mov(RCX, gs(RECORD_TLS))
        .jrcxz(done)
        .mov(cell(SAVE_RAX), RAX)
        .mov(cell(SAVE_RDX), RDX)
        .mov(ptr(RCX).plus(16), RAX)
        .rdtsc()
        .mov(ptr(RCX), EAX)
        .mov(ptr(RCX).plus(4), EDX)
        .mov(RAX, cell(BODY))
        .mov(ptr(RCX).plus(8), EAX)
        .lea(RAX, ptr(RSP).plus(16))
        .mov(ptr(RCX).plus(24), RAX)
        .mov(EAX, cell(META))
        .lea(EAX, ptr(RAX).plus(1))
        .mov(ptr(RCX).plus(12), EAX)
        .lea(RCX, ptr(RCX).plus(32))
        .mov(gs(RECORD_TLS), RCX)
        .movzx(ECX, Reg16.CX)
        .jrcxz(full)
        .bind(after)
        .mov(RDX, cell(SAVE_RDX))
        .mov(RAX, cell(SAVE_RAX))
        .bind(done)
        .lea(RCX, ptr(begin))
        .mov(gs(SLOT_TLS), RCX)
        .pop(RCX)
        .ret()
        .bind(full)
        .call(cell(FULL))
        .jmp(after);
  }
}
