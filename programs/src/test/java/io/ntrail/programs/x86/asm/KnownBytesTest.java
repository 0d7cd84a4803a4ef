package io.ntrail.programs.x86.asm;

import static io.ntrail.programs.x86.asm.operands.Imm.imm32;
import static io.ntrail.programs.x86.asm.operands.Mem.absolute;
import static io.ntrail.programs.x86.asm.operands.Mem.fs;
import static io.ntrail.programs.x86.asm.operands.Mem.gs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Mem.rip;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESP;
import static io.ntrail.programs.x86.asm.operands.Reg64.R11;
import static io.ntrail.programs.x86.asm.operands.Reg64.R15;
import static io.ntrail.programs.x86.asm.operands.Reg64.RAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RCX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RDI;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSP;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.programs.x86.asm.operands.Imm;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Reg16;
import io.ntrail.programs.x86.asm.operands.Reg32;
import io.ntrail.programs.x86.asm.operands.Reg64;
import java.util.HexFormat;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Code that tracing writes into programs, byte for byte. */
class KnownBytesTest {
  private static final long BASE = 0x1_4000_1000L;

  private static void wide(String expected, Consumer<Assembler> program) {
    check(expected, Assembler.x64(), BASE, program);
  }

  private static void narrow(String expected, Consumer<Assembler> program) {
    check(expected, Assembler.ia32(), 0x40_1000, program);
  }

  private static void check(
      String expected, Assembler assembler, long base, Consumer<Assembler> program) {
    program.accept(assembler);
    byte[] bytes = assembler.assemble().bytesAt(base);
    assertEquals(expected, HexFormat.ofDelimiter(" ").withUpperCase().formatHex(bytes));
  }

  @Test
  void hotPatchJumpGoesIntoThePaddingAndFromThereAway() {
    // Padding of five bytes in front of a function, whose first two bytes are replaced.
    wide(
        "E9 FB 0F 00 00 EB F9",
        a -> {
          Label pad = a.here("pad");
          a.jmp(BASE + 0x1000).jmpShort(pad);
        });
    wide("EB FE", a -> a.jmpShort(a.here("self")));
  }

  @Test
  void jumpsAndCallsReachWhatIsNear() {
    wide("EB 10", a -> a.jmpShort(BASE + 0x12));
    wide("E9 0B 01 00 00", a -> a.jmp(BASE + 0x110));
    wide("E8 FB FE FF FF", a -> a.call(BASE - 0x100));
    wide("0F 84 FA FF FF FF", a -> a.j(Condition.E, BASE));
  }

  @Test
  void jumpThroughTheEightBytesAfterItReachesEverything() {
    wide(
        "FF 25 00 00 00 00 88 77 66 55 44 33 22 11",
        a -> {
          Label target = a.label("target");
          a.jmp(ptr(target)).bind(target).dq(0x1122334455667788L);
        });
  }

  @Test
  void jumpThroughARegisterReachesEverything() {
    wide("49 BB 88 77 66 55 44 33 22 11 41 FF E3", a -> a.mov(R11, 0x1122334455667788L).jmp(R11));
  }

  @Test
  void pushOfTwoHalvesAndReturnReachesEverythingWithoutARegister() {
    wide(
        "68 88 77 66 55 C7 44 24 04 44 33 22 11 C3",
        a -> a.push(0x55667788).mov(ptr(RSP).plus(4).as32(), 0x11223344).ret());
  }

  @Test
  void pushAndPopTakeOneByteOrTwo() {
    wide("50 57 41 57", a -> a.push(RAX).push(RDI).push(R15));
    wide("58 5F 41 5F", a -> a.pop(RAX).pop(RDI).pop(R15));
    wide("9C 9D", a -> a.pushfq().popfq());
    narrow(
        "50 51 59 58 60 9C FC 9D 61",
        a -> a.push(EAX).push(ECX).pop(ECX).pop(EAX).pushad().pushfd().cld().popfd().popad());
  }

  @Test
  void stackPointerMovesWithOrWithoutTheFlags() {
    wide("48 83 EC 28 48 83 C4 28", a -> a.sub(RSP, 0x28).add(RSP, 0x28));
    wide("48 8D 64 24 18", a -> a.lea(RSP, ptr(RSP).plus(24)));
    narrow("8D 64 24 0C", a -> a.lea(ESP, ptr(ESP).plus(12)));
    wide("48 8D 40 FE FF E0", a -> a.lea(RAX, ptr(RAX).plus(-2)).jmp(RAX));
    narrow("8D 40 FE FF E0", a -> a.lea(EAX, ptr(EAX).plus(-2)).jmp(EAX));
  }

  @Test
  void movesHaveDisplacementsOfOneOrFourBytes() {
    wide("48 89 51 18", a -> a.mov(ptr(RCX).plus(24), Reg64.RDX));
    wide("48 8B 81 80 00 00 00", a -> a.mov(RAX, ptr(RCX).plus(128)));
    wide("48 8B 81 18 00 00 00", a -> a.mov(RAX, ptr(RCX).plus(24).disp32()));
    wide("48 8B 41 00", a -> a.mov(RAX, ptr(RCX).disp8()));
    wide("48 B8 88 77 66 55 44 33 22 11 FF D0", a -> a.mov(RAX, 0x1122334455667788L).call(RAX));
  }

  @Test
  void lockedExchangeComparesInMemory() {
    wide("F0 48 0F B1 11", a -> a.lock().cmpxchg(ptr(RCX), Reg64.RDX));
    wide("F0 0F C1 41 48", a -> a.lock().xadd(ptr(RCX).plus(72), EAX));
    wide("F0 FF 41 68", a -> a.lock().inc(ptr(RCX).plus(104).as32()));
    wide("F0 81 41 60 FF 07 00 00", a -> a.lock().add(ptr(RCX).plus(96).as32(), 2047));
  }

  @Test
  void threadBlockIsReadThroughItsSegment() {
    wide("65 48 8B 04 25 30 00 00 00", a -> a.mov(RAX, gs(0x30)));
    wide("65 48 8B 0C 25 08 00 00 00", a -> a.mov(RCX, gs(8)));
    wide("65 48 89 0C 25 80 14 00 00", a -> a.mov(gs(0x1480), RCX));
    wide("65 4C 8B 1C 25 88 14 00 00", a -> a.mov(R11, gs(0x1488)));
    narrow("64 8B 0D 10 0E 00 00", a -> a.mov(ECX, fs(0xE10)));
    narrow("64 A1 18 00 00 00", a -> a.mov(EAX, fs(0x18)));
    narrow("64 C7 05 10 0E 00 00 78 56 34 12", a -> a.mov(fs(0xE10).as32(), 0x12345678));
  }

  @Test
  void branchesOnTheCounterChangeNoFlags() {
    wide(
        "E3 FE 67 E3 FB",
        a -> {
          Label here = a.here("here");
          a.jrcxz(here).jecxz(here);
        });
    narrow("E3 FE", a -> a.jecxz(a.here("here")));
    wide("0F B7 C9", a -> a.movzx(ECX, Reg16.CX));
    wide("48 F7 D1 48 99 0F 31", a -> a.not(RCX).cqo().rdtsc());
    narrow("F7 D1 99 0F 31", a -> a.not(ECX).cdq().rdtsc());
  }

  @Test
  void slotsCallAndPushThroughTheirData() {
    wide("FF 15 FA 0F 00 00", a -> a.call(rip(BASE + 0x1000)));
    wide("FF 35 FA 0F 00 00", a -> a.push(rip(BASE + 0x1000)));
    narrow(
        "FF 15 00 20 40 00 FF 35 04 20 40 00",
        a -> a.call(absolute(0x40_2000)).push(absolute(0x40_2004)));
    wide("48 8D 0D F9 01 00 00", a -> a.lea(RCX, rip(BASE + 0x200)));
  }

  @Test
  void displacementsAreRelativeToTheEndOfTheImmediate() {
    wide("C7 05 F6 0F 00 00 05 00 00 00", a -> a.mov(rip(BASE + 0x1000).as32(), 5));
    wide("83 3D F9 0F 00 00 05", a -> a.cmp(rip(BASE + 0x1000).as32(), 5));
  }

  @Test
  void unwindHandlerTestsTheFlagsOfTheException() {
    wide("F7 41 04 66 00 00 00", a -> a.test(ptr(RCX).plus(4).as32(), 0x66));
    wide("B8 01 00 00 00 C3", a -> a.mov(EAX, 1).ret());
    wide("4D 85 DB", a -> a.test(R11, R11));
    wide("4D 8B 11", a -> a.mov(Reg64.R10, ptr(Reg64.R9)));
  }

  @Test
  void hotPatchPrologueOf32BitCode() {
    narrow(
        "CC CC CC CC CC 8B FF 55 8B EC 5D C2 10 00",
        a ->
            a.pad(5, Padding.INT3)
                .bytes((byte) 0x8B, (byte) 0xFF)
                .push(Reg32.EBP)
                .bytes((byte) 0x8B, (byte) 0xEC)
                .pop(Reg32.EBP)
                .ret(16));
  }

  @Test
  void unwindDataIsWrittenAsBytesAndAddresses() {
    // The description of a slot: version 1 with a handler, seven codes, frame register RSP.
    wide(
        "11 00 07 14 00 03 00 44 01 00 00 11 78 56 34 12 00 0A 00 00 18 00 00 00",
        a -> {
          Label handler = a.label("handler");
          a.db(0x11, 0, 7, 0x14, 0, 3, 0, 0x44).dw(1).db(0, 0x11).dd(0x12345678).db(0, 0x0A, 0, 0);
          a.ddImageRelative(handler).bind(handler);
        });
  }

  @Test
  void widthsCanBeForced() {
    wide("48 05 05 00 00 00", a -> a.add(RAX, imm32(5)));
    wide("48 81 C1 05 00 00 00", a -> a.add(RCX, imm32(5)));
    wide("48 C7 C0 05 00 00 00", a -> a.mov(RAX, imm32(5)));
    wide("48 B8 05 00 00 00 00 00 00 00", a -> a.mov(RAX, Imm.imm64(5)));
    wide("B8 05 00 00 00", a -> a.mov(RAX, 5));
    wide("48 C7 C0 FF FF FF FF", a -> a.mov(RAX, -1));
    wide("68 05 00 00 00 6A 05", a -> a.push(imm32(5)).push(5));
    narrow(
        "8D 49 00 8D A4 24 00 00 00 00",
        a -> a.lea(ECX, ptr(ECX).disp8()).lea(ESP, ptr(ESP).disp32()));
    narrow(
        "C7 41 0C 02 01 00 00 89 51 18",
        a -> a.mov(ptr(ECX).plus(12).as32(), 0x102).mov(ptr(ECX).plus(24), EDX));
  }

  @Test
  void nopsAreTheRecommendedOnes() {
    wide("90 66 90 0F 1F 00 0F 1F 40 00", a -> a.nop().nop(2).nop(3).nop(4));
    wide("66 0F 1F 84 00 00 00 00 00 66 90", a -> a.nop(11));
  }
}
