package io.ntrail.analysis.x86.asm;

import static io.ntrail.analysis.x86.asm.Mem.absolute;
import static io.ntrail.analysis.x86.asm.Mem.fs;
import static io.ntrail.analysis.x86.asm.Mem.gs;
import static io.ntrail.analysis.x86.asm.Mem.ptr;
import static io.ntrail.analysis.x86.asm.Reg32.EAX;
import static io.ntrail.analysis.x86.asm.Reg32.ECX;
import static io.ntrail.analysis.x86.asm.Reg32.EDX;
import static io.ntrail.analysis.x86.asm.Reg32.ESP;
import static io.ntrail.analysis.x86.asm.Reg64.RAX;
import static io.ntrail.analysis.x86.asm.Reg64.RCX;
import static io.ntrail.analysis.x86.asm.Reg64.RDX;
import static io.ntrail.analysis.x86.asm.Reg64.RSP;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.analysis.x86.CodeSize;
import io.ntrail.analysis.x86.Instruction;
import io.ntrail.analysis.x86.InstructionDecoder;
import io.ntrail.formats.bytes.Bytes;
import org.junit.jupiter.api.Test;

/** The slots of function tracing as whole programs: what they measured as a prototype holds. */
class LiveCodeTest {
  private static final int STRIDE = 512;
  private static final int DELTA = 0x21000;

  private static final int SLOT_TLS = 0x1480;
  private static final int RECORD_TLS = 0x1488;

  // Data of a slot of 64-bit code.
  private static final int RET = 0;
  private static final int TRUE_RIP = 8;
  private static final int KEY = 32;
  private static final int BODY = 48;
  private static final int SAVE_RDX = 56;
  private static final int SAVE_RAX = 64;
  private static final int META = 72;
  private static final int SLOW = 80;
  private static final int FULL = 88;

  @Test
  void slotOf64BitCodeNeedsNoAddressAndHasItsParts() {
    Assembler a = Assembler.x64();
    Label begin = a.here("C");
    Label call = a.label("K");
    Label exit = a.label("E");
    enter64(a, begin, exit, call);
    exit64(a, begin);
    Label end = a.here("end");
    a.fill(begin, STRIDE, Padding.INT3);
    Code code = a.assemble();

    byte[] bytes = code.bytes();
    assertEquals(STRIDE, bytes.length);
    // The design says about 410 bytes.
    assertEquals(411, code.offset(end), 15);
    assertEquals(6, code.offset(exit) - code.offset(call), "call through the data cell");
    assertEquals(0xFF, bytes[code.offset(exit)] & 0xFF);
    assertEquals(0x35, bytes[code.offset(exit) + 1], "push through the data cell");
    assertReadBack(CodeSize.BITS64, bytes, code.offset(end));
  }

  private static Mem data(Label begin, int field) {
    return ptr(begin).plus(DELTA + field);
  }

  private static void enter64(Assembler a, Label begin, Label exit, Label call) {
    Label same = a.label("same stack");
    Label equal = a.label("equal");
    Label fresh = a.label("fresh");
    Label tail = a.label("tail");
    Label slow = a.label("slow");
    Label go = a.label("go");
    Label full = a.label("full at entry");
    Label done = a.label("done at entry");
    a.lea(RCX, ptr(begin).plus(STRIDE))
        .mov(gs(SLOT_TLS), RCX)
        .mov(data(begin, BODY), RAX)
        .mov(data(begin, SAVE_RDX), RDX)
        .mov(RCX, gs(8))
        .mov(RDX, ptr(begin).plus(-0x1000 - STRIDE + 8))
        .lea(RCX, ptr(RCX).index(RDX, 1))
        .jrcxz(same)
        .jmp(slow)
        .bind(same)
        .mov(RCX, RSP)
        .not(RCX)
        .mov(RDX, data(begin, KEY - STRIDE))
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
        .mov(RAX, data(begin, BODY))
        .mov(RCX, data(begin, SLOW))
        .jmp(RCX)
        .bind(tail)
        .mov(RCX, data(begin, TRUE_RIP - STRIDE))
        .mov(data(begin, TRUE_RIP), RCX)
        .mov(RCX, ptr(RSP).plus(16))
        .jmp(go)
        .bind(full)
        .call(data(begin, FULL))
        .jmp(done)
        .bind(fresh)
        .mov(RCX, ptr(RSP).plus(16))
        .mov(data(begin, TRUE_RIP), RCX)
        .bind(go)
        .mov(data(begin, RET), RCX)
        .lea(RDX, ptr(RSP).plus(24))
        .mov(data(begin, KEY), RDX)
        .mov(RCX, gs(RECORD_TLS))
        .jrcxz(done)
        .mov(ptr(RCX).plus(24), RDX)
        .rdtsc()
        .mov(ptr(RCX), EAX)
        .mov(ptr(RCX).plus(4), EDX)
        .mov(RAX, data(begin, RET))
        .mov(ptr(RCX).plus(16), RAX)
        .mov(RAX, data(begin, BODY))
        .mov(ptr(RCX).plus(8), EAX)
        .mov(EAX, data(begin, META))
        .mov(ptr(RCX).plus(12), EAX)
        .lea(RCX, ptr(RCX).plus(32))
        .mov(gs(RECORD_TLS), RCX)
        .movzx(ECX, Reg16.CX)
        .jrcxz(full)
        .bind(done)
        .mov(RDX, data(begin, SAVE_RDX))
        .mov(RCX, ptr(RSP))
        .mov(RAX, ptr(RSP).plus(8))
        .lea(RSP, ptr(RSP).plus(24))
        .bind(call)
        .call(data(begin, BODY))
        .bind(exit);
  }

  private static void exit64(Assembler a, Label begin) {
    Label done = a.label("done at exit");
    Label after = a.label("after");
    Label full = a.label("full at exit");
    a.push(data(begin, RET))
        .push(RCX)
        .mov(RCX, gs(RECORD_TLS))
        .jrcxz(done)
        .mov(data(begin, SAVE_RAX), RAX)
        .mov(data(begin, SAVE_RDX), RDX)
        .mov(ptr(RCX).plus(16), RAX)
        .rdtsc()
        .mov(ptr(RCX), EAX)
        .mov(ptr(RCX).plus(4), EDX)
        .mov(RAX, data(begin, BODY))
        .mov(ptr(RCX).plus(8), EAX)
        .lea(RAX, ptr(RSP).plus(16))
        .mov(ptr(RCX).plus(24), RAX)
        .mov(EAX, data(begin, META))
        .lea(EAX, ptr(RAX).plus(1))
        .mov(ptr(RCX).plus(12), EAX)
        .lea(RCX, ptr(RCX).plus(32))
        .mov(gs(RECORD_TLS), RCX)
        .movzx(ECX, Reg16.CX)
        .jrcxz(full)
        .bind(after)
        .mov(RDX, data(begin, SAVE_RDX))
        .mov(RAX, data(begin, SAVE_RAX))
        .bind(done)
        .lea(RCX, ptr(begin))
        .mov(gs(SLOT_TLS), RCX)
        .pop(RCX)
        .ret()
        .bind(full)
        .call(data(begin, FULL))
        .jmp(after);
  }

  private static final int AREA = 0x10_0000;
  private static final int NARROW_STRIDE = 384;
  private static final int SLOT = AREA + 0x1000 + NARROW_STRIDE;
  private static final int CELLS = SLOT + 0x19000;
  private static final Mem TLS_SLOT = fs(0xE18);
  private static final Mem TLS_RECORD = fs(0xE1C);

  @Test
  void slotOf32BitCodeIsAsLongAsThePrototypeMeasured() {
    // The prototype had 355 bytes and its exit at 239, with one jump of the entry near.
    assertSlot32(true, 355, 239);
    assertSlot32(false, 352, 236);
  }

  private static void assertSlot32(boolean nearJump, int length, int exitAt) {
    Assembler a = Assembler.ia32();
    Label begin = a.here("C");
    Label exit = a.label("E");
    enter32(a, exit, nearJump);
    exit32(a, begin);
    Code code = a.assemble();

    assertEquals(length, code.length());
    assertEquals(exitAt, code.offset(exit));
    // Only what names the slot's own code and what lies outside of the area depends on the place.
    assertEquals(5, code.relocations().size());
    assertReadBack(CodeSize.BITS32, code.bytesAt(SLOT), code.length());
  }

  private static Mem cell(int offset) {
    return absolute(CELLS + offset);
  }

  private static void enter32(Assembler a, Label exit, boolean nearJump) {
    Label same = a.label("same");
    Label equal = a.label("equal");
    Label fresh = a.label("fresh");
    Label tail = a.label("tail");
    Label go = a.label("go");
    Label full = a.label("full at entry");
    Label done = a.label("done at entry");
    Label slow = a.label("slow");
    a.mov(TLS_SLOT.as32(), SLOT + NARROW_STRIDE)
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
        .mov(EDX, cell(8 - NARROW_STRIDE))
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
        .lea(ECX, ptr(ECX).plus(exit).plus(1 - NARROW_STRIDE))
        .jecxz(tail)
        .bind(slow)
        .mov(EAX, cell(12))
        .jmp(0x20_0000)
        .bind(tail)
        .mov(ECX, cell(4 - NARROW_STRIDE))
        .mov(cell(4), ECX)
        .mov(ECX, ptr(ESP).plus(8))
        .jmp(go)
        .bind(full)
        .call(0x20_1000)
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

  private static void exit32(Assembler a, Label begin) {
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
        .call(0x20_1000)
        .jmp(after);
  }

  private static void assertReadBack(CodeSize size, byte[] bytes, int end) {
    InstructionDecoder decoder = InstructionDecoder.of(size);
    Instruction instruction = new Instruction();
    Bytes code = Bytes.copyOf(bytes, "slot");
    int at = 0;
    while (at < end) {
      int length = decoder.decode(code, at, end, instruction);
      assertTrue(length > 0, () -> "at " + instruction);
      at += length;
    }
    assertEquals(end, at);
  }
}
