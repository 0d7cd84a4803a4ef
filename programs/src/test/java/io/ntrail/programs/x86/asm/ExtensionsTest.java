package io.ntrail.programs.x86.asm;

import static io.ntrail.programs.x86.asm.operands.MaskRegister.K1;
import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EBP;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RCX;
import static io.ntrail.programs.x86.asm.operands.Xmm.XMM0;
import static io.ntrail.programs.x86.asm.operands.Xmm.XMM1;
import static io.ntrail.programs.x86.asm.operands.Xmm.XMM16;
import static io.ntrail.programs.x86.asm.operands.Zmm.ZMM0;
import static io.ntrail.programs.x86.asm.operands.Zmm.ZMM1;
import static io.ntrail.programs.x86.asm.operands.Zmm.ZMM2;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.programs.x86.Rounding;
import io.ntrail.programs.x86.asm.operands.ControlRegister;
import io.ntrail.programs.x86.asm.operands.DebugRegister;
import io.ntrail.programs.x86.asm.operands.FarPointer;
import io.ntrail.programs.x86.asm.operands.Imm;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.MaskRegister;
import io.ntrail.programs.x86.asm.operands.Mmx;
import io.ntrail.programs.x86.asm.operands.Reg64;
import io.ntrail.programs.x86.asm.operands.SegmentRegister;
import io.ntrail.programs.x86.asm.operands.X87;
import java.util.HexFormat;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Instruction set extensions: how they are written, and what is refused. */
class ExtensionsTest {
  private static String hex(Assembler a, Consumer<Assembler> program) {
    program.accept(a);
    return HexFormat.ofDelimiter(" ").withUpperCase().formatHex(a.assemble().bytes());
  }

  private static void wide(String expected, Consumer<Assembler> program) {
    assertEquals(expected, hex(Assembler.x64(), program));
  }

  private static void narrow(String expected, Consumer<Assembler> program) {
    assertEquals(expected, hex(Assembler.ia32(), program));
  }

  private static void refused(String why, Assembler a, Consumer<Assembler> program) {
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> program.accept(a));
    assertTrue(String.valueOf(e.getMessage()).contains(why), e.getMessage());
  }

  private static void refused64(String why, Consumer<Assembler> program) {
    refused(why, Assembler.x64(), program);
  }

  @Test
  void registersOfTheSystemAreMovedToAndFrom() {
    wide(
        "0F 20 D8 0F 22 D8",
        a -> a.op("MOV", RAX, ControlRegister.CR3).op("MOV", ControlRegister.CR3, RAX));
    wide(
        "44 0F 20 C0 0F 23 F8",
        a -> a.op("MOV", RAX, ControlRegister.CR8).op("MOV", DebugRegister.DR7, RAX));
    narrow("0F 21 F1", a -> a.op("MOV", ECX, DebugRegister.DR6));
    refused64("no form fits", a -> a.op("MOV", EAX, ControlRegister.CR0));
    refused(
        "CR8 exists in 64-bit code only",
        Assembler.ia32(),
        a -> a.op("MOV", EAX, ControlRegister.CR8));
  }

  @Test
  void farTransfersNameASegment() {
    wide(
        "FF 29 48 FF 29 66 FF 19",
        a -> {
          a.op("JMP", ptr(RCX).far32()).op("JMP", ptr(RCX).far64()).op("CALL", ptr(RCX).far16());
        });
    narrow("9A 78 56 34 12 08 00", a -> a.op("CALL", new FarPointer(8, 0x1234_5678)));
    narrow("CB CA 08 00", a -> a.op("RETF").op("RETF", Imm.imm(8)));
    narrow("FF 21", a -> a.jmp(ptr(ECX)));
    refused64("no far pointer in 64-bit code", a -> a.op("CALL", new FarPointer(8, 0)));
    assertThrows(IllegalArgumentException.class, () -> new FarPointer(0x1_0000, 0));
    assertThrows(IllegalArgumentException.class, () -> new FarPointer(0, 1L << 32));
  }

  @Test
  void oldRegistersHaveNames() {
    wide(
        "D8 C3 DC C3 D9 C9",
        a -> {
          a.op("FADD", X87.ST0, X87.ST3).op("FADD", X87.ST3, X87.ST0).op("FXCH", X87.ST1);
        });
    wide(
        "0F 6F 01 0F EF C9",
        a -> {
          a.op("MOVQ", Mmx.MM0, ptr(RCX)).op("PXOR", Mmx.MM1, Mmx.MM1);
        });
    wide("0F A0 0F A9", a -> a.op("PUSH", SegmentRegister.FS).op("POP", SegmentRegister.GS));
    narrow("06 1F", a -> a.op("PUSH", SegmentRegister.ES).op("POP", SegmentRegister.DS));
    wide("0F 0F C1 9E", a -> a.op("PFADD", Mmx.MM0, Mmx.MM1));
  }

  @Test
  void shadowStacksAreRead() {
    wide("F3 48 0F AE E8 F3 48 0F 1E C8", a -> a.op("INCSSPQ", RAX).op("RDSSPQ", RAX));
    wide("F3 0F 01 EA F3 0F 01 29", a -> a.op("SAVEPREVSSP").op("RSTORSSP", ptr(RCX)));
  }

  @Test
  void masksZeroingRepetitionAndRoundingAreEncoded() {
    wide("62 F1 74 49 58 C2", a -> a.masked(K1).op("VADDPS", ZMM0, ZMM1, ZMM2));
    wide("62 F1 74 C9 58 C2", a -> a.zeroed(K1).op("VADDPS", ZMM0, ZMM1, ZMM2));
    wide(
        "62 F1 74 58 58 41 01",
        a -> {
          a.op("VADDPS", ZMM0, ZMM1, ptr(RCX).plus(4).repeated(16));
        });
    wide("62 F1 74 58 58 C2", a -> a.rounding(Rounding.UP).op("VADDPS", ZMM0, ZMM1, ZMM2));
    wide(
        "62 F2 7D 49 92 04 91",
        a -> {
          a.masked(K1).op("VGATHERDPS", ZMM0, ptr(RCX).index(ZMM2, 4));
        });
  }

  @Test
  void displacementsCountInUnitsWhereTheyCan() {
    wide("62 F1 74 48 58 41 01", a -> a.op("VADDPS", ZMM0, ZMM1, ptr(RCX).plus(64)));
    wide("62 F1 74 48 58 81 41 00 00 00", a -> a.op("VADDPS", ZMM0, ZMM1, ptr(RCX).plus(65)));
    refused64("no form fits", a -> a.op("VADDPS", ZMM0, ZMM1, ptr(RCX).plus(65).disp8()));
  }

  @Test
  void shorterFormsForMoreProcessorsComeFirst() {
    wide(
        "C5 F0 58 C1 62 B1 74 08 58 C0",
        a -> {
          a.op("VADDPS", XMM0, XMM1, XMM1).op("VADDPS", XMM0, XMM1, XMM16);
        });
    refused64("no form fits: ADDPS XMM0, XMM16", a -> a.op("ADDPS", XMM0, XMM16));
  }

  @Test
  void invalidVectorOperandsAreRefused() {
    refused64("K0 selects nothing", a -> a.masked(MaskRegister.K0));
    refused64("no form fits: {K1} ADD RAX, RCX", a -> a.masked(K1).add(RAX, RCX));
    refused64("no form fits: {K1}{z} VMOVUPS", a -> a.zeroed(K1).op("VMOVUPS", ptr(RCX), ZMM0));
    refused64("no form fits", a -> a.op("VGATHERDPS", ZMM0, ptr(RCX).index(ZMM2, 4)));
    refused64("no form fits", a -> a.masked(K1).op("VGATHERDPS", ZMM0, ptr(RCX).index(ZMM0, 4)));
    refused64(
        "no form fits: {ru-sae} VADDPS",
        a -> a.rounding(Rounding.UP).op("VADDPS", ZMM0, ZMM1, ptr(RCX)));
    refused64("repeated 8 times", a -> a.op("VADDPS", ZMM0, ZMM1, ptr(RCX).repeated(8)));
    refused64("no form fits", a -> a.op("VFMADDPS", ZMM0, ZMM1, ZMM2, ZMM2));
  }

  @Test
  void prefixesStandWhereTheyMeanSomething() {
    wide("3E FF E0 F2 C3", a -> a.notrack().jmp(RAX).bnd().ret());
    wide("F2 F0 48 01 01", a -> a.xacquire().lock().add(ptr(RCX), RAX));
    wide(
        "F3 64 A4 67 A5",
        a -> a.rep().segment(SegmentRegister.FS).movsb().otherAddressSize().movsd());
    wide("66 6A 05 66 68 E8 03", a -> a.operand16().push(5).operand16().push(1000));
    wide(
        "3E 74 FD",
        a -> {
          Label here = a.here("here");
          a.hintTaken().je(here);
        });
    refused64("no form fits: XACQUIRE ADD", a -> a.xacquire().add(ptr(RCX), RAX));
    refused64("no form fits: NOTRACK MOV", a -> a.notrack().mov(RAX, RCX));
    refused64("no form fits: TAKEN JMP", a -> a.hintTaken().jmp(RAX));
    refused64("no form fits: FS STOSB", a -> a.segment(SegmentRegister.FS).stosb());
    refused64("no form fits: ES MOVSB", a -> a.segment(SegmentRegister.ES).movsb());
    refused64("no form fits: OPERAND_16 ADD", a -> a.operand16().add(RAX, RCX));
    refused64("REP without its instruction", a -> a.rep().repne());
  }

  @Test
  void notrackThatWouldChangeTheSegmentIsRefused() {
    narrow("3E FF 21", a -> a.notrack().jmp(ptr(ECX)));
    refused("no form fits: NOTRACK JMP", Assembler.ia32(), a -> a.notrack().jmp(ptr(EBP)));
    wide("3E FF 65 00", a -> a.notrack().jmp(ptr(Reg64.RBP)));
  }
}
