package io.ntrail.programs.x86.asm;

import static io.ntrail.programs.x86.asm.operands.Mem.absolute;
import static io.ntrail.programs.x86.asm.operands.Mem.fs;
import static io.ntrail.programs.x86.asm.operands.Mem.gs;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Mem.rip;
import static io.ntrail.programs.x86.asm.operands.Mem.scaled;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBP;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ESP;
import static io.ntrail.programs.x86.asm.operands.Reg64.R10;
import static io.ntrail.programs.x86.asm.operands.Reg64.RAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RCX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSP;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.programs.x86.asm.operands.Imm;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Reg16;
import io.ntrail.programs.x86.asm.operands.Reg32;
import io.ntrail.programs.x86.asm.operands.Reg64;
import io.ntrail.programs.x86.asm.operands.Reg8;
import io.ntrail.programs.x86.asm.operands.SegmentRegister;
import io.ntrail.programs.x86.asm.operands.Xmm;
import io.ntrail.programs.x86.asm.operands.Ymm;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Labels, data, padding, what depends on the place, and what is refused. */
class AssemblerTest {
  private static String hex(byte[] bytes) {
    return HexFormat.ofDelimiter(" ").withUpperCase().formatHex(bytes);
  }

  private static String wide(Consumer<Assembler> program) {
    Assembler a = Assembler.x64();
    program.accept(a);
    return hex(a.assemble().bytes());
  }

  private static String narrow(Consumer<Assembler> program) {
    Assembler a = Assembler.ia32();
    program.accept(a);
    return hex(a.assemble().bytes());
  }

  private static void refused64(String why, Consumer<Assembler> program) {
    refused(why, Assembler.x64(), program);
  }

  private static void refused32(String why, Consumer<Assembler> program) {
    refused(why, Assembler.ia32(), program);
  }

  private static void refused(String why, Assembler a, Consumer<Assembler> program) {
    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> {
              program.accept(a);
              a.assemble();
            });
    assertTrue(String.valueOf(e.getMessage()).contains(why), () -> e.getMessage());
  }

  @Test
  void labelsHaveOffsets() {
    Assembler a = Assembler.x64();
    Label first = a.here("first");
    a.push(RAX);
    Label second = a.here("second");
    AssembledCode code = a.ret().assemble();
    assertEquals(0, code.offset(first));
    assertEquals(1, code.offset(second));
    assertEquals(2, code.length());
  }

  @Test
  void dataIsReachedRelativeToTheInstructionIn64BitCode() {
    assertEquals(
        "48 8B 05 01 00 00 00 C3 05 00 00 00 00 00 00 00",
        wide(a -> {
          Label number = a.label("number");
          a.mov(RAX, ptr(number)).ret().bind(number).dq(5);
        }));
  }

  @Test
  void dataIsReachedByItsAddressIn32BitCode() {
    Assembler a = Assembler.ia32();
    Label table = a.label("table");
    AssembledCode code =
        a.mov(ECX, ptr(table)).jmp(ptr(table).index(EAX, 4)).bind(table).dd(table).assemble();
    assertEquals(3, code.relocations().size());
    assertThrows(IllegalStateException.class, code::bytes);
    assertEquals(
        "8B 0D 0D 10 40 00 FF 24 85 0D 10 40 00 0D 10 40 00", hex(code.bytesAt(0x40_1000)));
    assertEquals("8B 0D 00 00 00 00 FF 24 85 00 00 00 00 00 00 00 00", hex(code.template()));
  }

  @Test
  void addressesOfLabelsAreDataAndNumbers() {
    Assembler a = Assembler.x64();
    Label here = a.here("here");
    AssembledCode code = a.mov(RAX, here).dq(Imm.address(here).plus(0x10)).assemble();
    assertEquals(
        List.of(
            new Relocation(2, 8, Relocation.Kind.ADDRESS, 0),
            new Relocation(10, 8, Relocation.Kind.ADDRESS, 0x10)),
        code.relocations());
    assertEquals(
        "48 B8 00 10 00 40 01 00 00 00 10 10 00 40 01 00 00 00", hex(code.bytesAt(0x1_4000_1000L)));
  }

  @Test
  void distancesOfLabelsNeedNoPlace() {
    assertEquals(
        "4D 8D 92 0B 00 00 00 0B 00 00 00 CC",
        wide(a -> {
          Label from = a.here("from");
          Label to = a.label("to");
          a.lea(R10, ptr(R10).plusDistance(from, to)).dd(Imm.distance(from, to));
          a.bind(to).int3();
        }));
  }

  @Test
  void imageRelativeAddressesCountFromTheImage() {
    Assembler a = Assembler.x64().imageOffset(0x1000);
    Label function = a.here("function");
    a.ret();
    Label end = a.here("end");
    assertEquals(
        "C3 00 10 00 00 01 10 00 00",
        hex(a.ddImageRelative(function).ddImageRelative(end).assemble().bytes()));
  }

  @Test
  void whatIsOutsideIsReachedFromWhereTheCodeLies() {
    AssembledCode code =
        Assembler.x64().call(0x1_4000_5000L).lea(RAX, rip(0x1_4000_0000L)).assemble();
    assertEquals("E8 FB 3F 00 00 48 8D 05 F4 EF FF FF", hex(code.bytesAt(0x1_4000_1000L)));
    assertThrows(IllegalArgumentException.class, () -> code.bytesAt(0));
  }

  @Test
  void everythingIsReachedIn32BitCode() {
    AssembledCode code = Assembler.ia32().jmp(0xFFFF_0000L).assemble();
    assertEquals("E9 FB EF FE FF", hex(code.bytesAt(0x1000)));
    assertEquals("E9 FB 0F FF 7F", hex(code.bytesAt(0x7FFF_F000L)));
  }

  @Test
  void dataOfAllWidths() {
    assertEquals("01 FF FF 00", wide(a -> a.db(1, -1, 255, 0)));
    assertEquals("02 01 FF FF", wide(a -> a.dw(0x102, -1)));
    assertEquals("04 03 02 01 FF FF FF FF", wide(a -> a.dd(0x1020304, 0xFFFF_FFFFL)));
    assertEquals("08 07 06 05 04 03 02 01", wide(a -> a.dq(0x102030405060708L)));
    assertEquals("41 62 00", wide(a -> a.asciiz("Ab")));
    assertEquals("41 00 E4 00 00 00", wide(a -> a.utf16z("A\u00e4")));
  }

  @Test
  void paddingIsAsRequested() {
    assertEquals("C3 CC CC CC C3", wide(a -> a.ret().align(4, Padding.INT3).ret()));
    assertEquals("C3 0F 1F 00 C3", wide(a -> a.ret().align(4).ret()));
    assertEquals(
        "C3 00 00 00 00 C3",
        wide(a -> {
          Label start = a.here("start");
          a.ret().fill(start, 5, Padding.ZERO).ret();
        }));
    refused64(
        "6 bytes after start, more than 5",
        a -> {
          Label start = a.here("start");
          a.nop(6).fill(start, 5, Padding.INT3);
        });
  }

  @Test
  void alignedCodeLiesAtWhatItIsAlignedTo() {
    AssembledCode code = Assembler.x64().ret().align(16).ret().assemble();
    assertEquals(16, code.alignment());
    assertArrayEquals(code.bytes(), code.bytesAt(0x4010));
    assertThrows(IllegalArgumentException.class, () -> code.bytesAt(0x4008));
  }

  @Test
  void lonelyIndexBecomesTheBaseUnlessThatMeansAnotherSegment() {
    assertEquals("8B 00", narrow(a -> a.mov(EAX, scaled(EAX, 1))));
    assertEquals("8B 04 00", narrow(a -> a.mov(EAX, scaled(EAX, 2))));
    assertEquals("8B 04 6D 00 00 00 00", narrow(a -> a.mov(EAX, scaled(EBP, 2))));
    assertEquals("48 8B 44 2D 00", wide(a -> a.mov(RAX, scaled(Reg64.RBP, 2))));
  }

  @Test
  void exchangeOfTheAccumulatorWithItselfIsNotANopIn64BitCode() {
    assertEquals("87 C0 48 90", wide(a -> a.xchg(EAX, EAX).xchg(RAX, RAX)));
    assertEquals("90", narrow(a -> a.xchg(EAX, EAX)));
  }

  @Test
  void anyInstructionOfTheListCanBeNamed() {
    assertEquals("66 0F 38 00 C1", wide(a -> a.op("pshufb", Xmm.XMM0, Xmm.XMM1)));
    assertEquals("C5 FD EF C0", wide(a -> a.op("VPXOR", Ymm.YMM0, Ymm.YMM0, Ymm.YMM0)));
    assertEquals("C7 F8 FA FF FF FF", wide(a -> a.op("XBEGIN", a.here("here"))));
    assertEquals("DD 01", wide(a -> a.op("FLD", ptr(RCX).as64())));
  }

  @Test
  void numbersThatDoNotFitAreRefused() {
    refused64("no form fits", a -> a.add(RAX, 0x8000_0000L));
    refused64("no form fits", a -> a.add(RAX, Imm.imm8(128)));
    refused64("no form fits", a -> a.mov(Reg8.AL, 256));
    refused64("no form fits", a -> a.mov(EAX, 0x1_0000_0000L));
    refused64("no form fits", a -> a.mov(ptr(RCX).as64(), 0x8000_0000L));
    refused64("no form fits", a -> a.push(0x8000_0000L));
    refused64("no form fits", a -> a.ret(0x1_0000));
    refused64("no form fits", a -> a.ret(-1));
    refused64("no form fits", a -> a.interrupt(256));
    refused64("64 is not from 0 to 63", a -> a.shl(RAX, 64));
    refused64("32 is not from 0 to 31", a -> a.shr(EAX, 32));
    refused64("32 is not from 0 to 31", a -> a.bt(EAX, 32));
    refused64("does not fit", a -> a.db(256));
    refused64("does not fit", a -> a.dd(0x1_0000_0000L));
    refused64("not ASCII", a -> a.ascii("\u00e4"));
  }

  @Test
  void addressesThatDoNotExistAreRefused() {
    refused64("more than 32 bits", a -> a.mov(RAX, ptr(RCX).plus(0x8000_0000L)));
    refused64("no form fits", a -> a.mov(RCX, absolute(0x8000_0000L)));
    refused64("no displacement of one byte", a -> a.mov(RAX, ptr(RCX).plus(128).disp8()));
    refused64("RSP cannot be an index", a -> a.mov(RAX, ptr(RCX).index(RSP, 1)));
    refused64("scale 3", a -> a.mov(RAX, ptr(RCX).index(RAX, 3)));
    refused64("in one address", a -> a.mov(RAX, ptr(RCX).index(EAX, 1)));
    refused64("DS means nothing", a -> a.mov(RAX, ptr(RCX).segment(SegmentRegister.DS)));
    refused64("combined with a register", a -> a.mov(RAX, ptr(RCX).plus(a.here("here"))));
    refused32("relative to rip", a -> a.mov(EAX, rip(0x1000)));
    refused32("RCX exists in 64-bit code only", a -> a.mov(EAX, ptr(RCX)));
  }

  @Test
  void registersThatHaveTheSizeOfTheAddressAreRefusedInAnother() {
    assertEquals("67 F2 0F 38 F8 01", wide(a -> a.op("ENQCMD", EAX, ptr(ECX))));
    assertEquals("F2 0F 38 F8 01", wide(a -> a.op("ENQCMD", RAX, ptr(RCX))));
    refused64("no form fits: ENQCMD EAX, [RCX+0]", a -> a.op("ENQCMD", EAX, ptr(RCX)));
    refused64("no form fits: ENQCMD RAX, [ECX+0]", a -> a.op("ENQCMD", RAX, ptr(ECX)));
    refused64("no form fits: MOVDIR64B EAX, [5]", a -> a.op("MOVDIR64B", EAX, absolute(5)));
  }

  @Test
  void registersThatDoNotExistAreRefused() {
    refused32("RAX exists in 64-bit code only", a -> a.push(RAX));
    refused32("R8D exists in 64-bit code only", a -> a.mov(Reg32.R8D, EAX));
    refused32("SIL exists in 64-bit code only", a -> a.mov(Reg8.SIL, 1));
    refused64("REX prefix", a -> a.mov(Reg8.AH, Reg8.SIL));
    refused64("REX prefix", a -> a.mov(ptr(R10), Reg8.AH));
    refused64("no form fits", a -> a.push(EAX));
    refused64("no instruction PUSHAD in 64-bit code", a -> a.pushad());
    refused32("no instruction CQO in 32-bit code", a -> a.cqo());
    refused64("no form fits", a -> a.shl(EAX, Reg8.DL));
    refused64("no form fits", a -> a.mov(SegmentRegister.CS, Reg16.AX));
  }

  @Test
  void memoryWithoutASizeIsRefusedIfNothingElseImpliesIt() {
    refused64("size of the memory operand", a -> a.inc(ptr(RCX)));
    refused64("size of the memory operand", a -> a.mov(ptr(RCX), 5));
    refused64("size of the memory operand", a -> a.cmp(ptr(RCX), 1000));
    refused64("size of the memory operand", a -> a.movzx(EAX, ptr(RCX)));
    refused64("no form fits", a -> a.mov(RAX, ptr(RCX).as32()));
    assertEquals("FF 31 FF 11", wide(a -> a.push(ptr(RCX)).call(ptr(RCX))));
    assertEquals("FF 31 64 8F 05 00 00 00 00", narrow(a -> a.push(ptr(ECX)).pop(fs(0))));
  }

  @Test
  void prefixesAreRefusedWhereTheyMeanNothing() {
    refused64("no form fits: LOCK ADD", a -> a.lock().add(RAX, RCX));
    refused64("no form fits: LOCK MOV", a -> a.lock().mov(ptr(RCX), RAX));
    refused64("no form fits: REP CMPSB", a -> a.rep().cmpsb());
    refused64("LOCK without its instruction", a -> a.lock().align(4));
    refused64("LOCK without its instruction", a -> a.lock().lock());
    refused64("REP without its instruction", a -> a.rep());
  }

  @Test
  void labelsThatAreNowhereAreRefused() {
    refused64("unbound label: nowhere", a -> a.jmp(a.label("nowhere")));
    refused64("unbound label: nowhere", a -> a.dq(a.label("nowhere")));
    refused64("label of other code", a -> a.jmp(Assembler.x64().here("foreign")));
    refused64("label bound twice: twice", a -> a.bind(a.here("twice")));
  }

  @Test
  void jumpsOutOfReachAreRefused() {
    refused64(
        "too far away",
        a -> {
          Label end = a.label("end");
          a.jrcxz(end).nop(128).bind(end);
        });
    refused64(
        "too far away",
        a -> {
          Label end = a.label("end");
          a.jmpShort(end).nop(128).bind(end);
        });
    refused64("64 bits in four bytes", a -> a.dd(a.here("here")));
  }

  @Test
  void nothingIsWrittenOfWhatIsRefused() {
    Assembler a = Assembler.x64();
    assertThrows(IllegalArgumentException.class, () -> a.ret().add(RAX, 1L << 40));
    assertThrows(IllegalArgumentException.class, () -> a.lock().mov(ptr(RCX), RAX));
    assertEquals("C3 C3", hex(a.ret().assemble().bytes()));
  }

  @Test
  void codeCanBeAssembledAgainWithMore() {
    Assembler a = Assembler.x64();
    Label end = a.label("end");
    a.mov(RAX, gs(0x30)).jmp(end).bind(end);
    AssembledCode first = a.assemble();
    a.ret();
    Label later = a.here("later");
    assertEquals(first.length() + 1, a.assemble().offset(later));
    assertThrows(IllegalArgumentException.class, () -> first.offset(later));
    assertEquals(11, first.length());
    refused32("ESP cannot be an index", b -> b.lea(EAX, ptr(ECX).index(ESP, 1)));
  }
}
