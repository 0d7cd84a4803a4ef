package io.ntrail.programs.x86.asm;

import io.ntrail.programs.x86.asm.operands.Gpr;
import io.ntrail.programs.x86.asm.operands.Mem;
import io.ntrail.programs.x86.asm.operands.Reg32;
import io.ntrail.programs.x86.asm.operands.RegisterOrMemory;
import io.ntrail.programs.x86.asm.operands.Xmm;
import io.ntrail.programs.x86.asm.operands.XmmOrMemory;
import io.ntrail.programs.x86.asm.operands.Ymm;
import io.ntrail.programs.x86.asm.operands.YmmOrMemory;

/** Vector registers: what saves, compares and fills them; the rest by name. */
interface VectorInstructions extends Instructions {
  default Assembler movaps(Xmm to, XmmOrMemory from) {
    return op("MOVAPS", to, from);
  }

  default Assembler movaps(Mem to, Xmm from) {
    return op("MOVAPS", to, from);
  }

  default Assembler movups(Xmm to, XmmOrMemory from) {
    return op("MOVUPS", to, from);
  }

  default Assembler movups(Mem to, Xmm from) {
    return op("MOVUPS", to, from);
  }

  default Assembler movapd(Xmm to, XmmOrMemory from) {
    return op("MOVAPD", to, from);
  }

  default Assembler movapd(Mem to, Xmm from) {
    return op("MOVAPD", to, from);
  }

  default Assembler movupd(Xmm to, XmmOrMemory from) {
    return op("MOVUPD", to, from);
  }

  default Assembler movupd(Mem to, Xmm from) {
    return op("MOVUPD", to, from);
  }

  default Assembler movdqa(Xmm to, XmmOrMemory from) {
    return op("MOVDQA", to, from);
  }

  default Assembler movdqa(Mem to, Xmm from) {
    return op("MOVDQA", to, from);
  }

  default Assembler movdqu(Xmm to, XmmOrMemory from) {
    return op("MOVDQU", to, from);
  }

  default Assembler movdqu(Mem to, Xmm from) {
    return op("MOVDQU", to, from);
  }

  default Assembler movss(Xmm to, XmmOrMemory from) {
    return op("MOVSS", to, from);
  }

  default Assembler movss(Mem to, Xmm from) {
    return op("MOVSS", to, from);
  }

  default Assembler movsd(Xmm to, XmmOrMemory from) {
    return op("MOVSD", to, from);
  }

  default Assembler movsd(Mem to, Xmm from) {
    return op("MOVSD", to, from);
  }

  default Assembler movlps(Xmm to, Mem from) {
    return op("MOVLPS", to, from);
  }

  default Assembler movlps(Mem to, Xmm from) {
    return op("MOVLPS", to, from);
  }

  default Assembler movhps(Xmm to, Mem from) {
    return op("MOVHPS", to, from);
  }

  default Assembler movhps(Mem to, Xmm from) {
    return op("MOVHPS", to, from);
  }

  default Assembler movd(Xmm to, RegisterOrMemory from) {
    return op("MOVD", to, from);
  }

  default Assembler movd(RegisterOrMemory to, Xmm from) {
    return op("MOVD", to, from);
  }

  default Assembler movq(Xmm to, RegisterOrMemory from) {
    return op("MOVQ", to, from);
  }

  default Assembler movq(RegisterOrMemory to, Xmm from) {
    return op("MOVQ", to, from);
  }

  default Assembler movq(Xmm to, Xmm from) {
    return op("MOVQ", to, from);
  }

  default Assembler pxor(Xmm to, XmmOrMemory from) {
    return op("PXOR", to, from);
  }

  default Assembler por(Xmm to, XmmOrMemory from) {
    return op("POR", to, from);
  }

  default Assembler pand(Xmm to, XmmOrMemory from) {
    return op("PAND", to, from);
  }

  default Assembler pcmpeqb(Xmm to, XmmOrMemory from) {
    return op("PCMPEQB", to, from);
  }

  default Assembler pcmpeqw(Xmm to, XmmOrMemory from) {
    return op("PCMPEQW", to, from);
  }

  default Assembler pcmpeqd(Xmm to, XmmOrMemory from) {
    return op("PCMPEQD", to, from);
  }

  default Assembler paddd(Xmm to, XmmOrMemory from) {
    return op("PADDD", to, from);
  }

  default Assembler paddq(Xmm to, XmmOrMemory from) {
    return op("PADDQ", to, from);
  }

  default Assembler xorps(Xmm to, XmmOrMemory from) {
    return op("XORPS", to, from);
  }

  default Assembler addss(Xmm to, XmmOrMemory from) {
    return op("ADDSS", to, from);
  }

  default Assembler addsd(Xmm to, XmmOrMemory from) {
    return op("ADDSD", to, from);
  }

  default Assembler subsd(Xmm to, XmmOrMemory from) {
    return op("SUBSD", to, from);
  }

  default Assembler mulsd(Xmm to, XmmOrMemory from) {
    return op("MULSD", to, from);
  }

  default Assembler divsd(Xmm to, XmmOrMemory from) {
    return op("DIVSD", to, from);
  }

  default Assembler ucomisd(Xmm to, XmmOrMemory from) {
    return op("UCOMISD", to, from);
  }

  default Assembler cvtsi2sd(Xmm to, RegisterOrMemory from) {
    return op("CVTSI2SD", to, from);
  }

  default Assembler cvttsd2si(Gpr<?> to, XmmOrMemory from) {
    return op("CVTTSD2SI", to, from);
  }

  default Assembler pmovmskb(Reg32 to, Xmm from) {
    return op("PMOVMSKB", to, from);
  }

  default Assembler vmovups(Ymm to, YmmOrMemory from) {
    return op("VMOVUPS", to, from);
  }

  default Assembler vmovups(Mem to, Ymm from) {
    return op("VMOVUPS", to, from);
  }

  default Assembler vmovaps(Ymm to, YmmOrMemory from) {
    return op("VMOVAPS", to, from);
  }

  default Assembler vmovaps(Mem to, Ymm from) {
    return op("VMOVAPS", to, from);
  }

  default Assembler vmovdqu(Ymm to, YmmOrMemory from) {
    return op("VMOVDQU", to, from);
  }

  default Assembler vmovdqu(Mem to, Ymm from) {
    return op("VMOVDQU", to, from);
  }

  default Assembler vmovdqa(Ymm to, YmmOrMemory from) {
    return op("VMOVDQA", to, from);
  }

  default Assembler vmovdqa(Mem to, Ymm from) {
    return op("VMOVDQA", to, from);
  }

  default Assembler vpxor(Ymm to, Ymm a, YmmOrMemory b) {
    return op("VPXOR", to, a, b);
  }

  default Assembler vxorps(Ymm to, Ymm a, YmmOrMemory b) {
    return op("VXORPS", to, a, b);
  }

  default Assembler vzeroupper() {
    return op("VZEROUPPER");
  }

  default Assembler vzeroall() {
    return op("VZEROALL");
  }

  default Assembler emms() {
    return op("EMMS");
  }
}
