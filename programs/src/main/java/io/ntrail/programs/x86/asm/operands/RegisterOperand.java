package io.ntrail.programs.x86.asm.operands;

/** A register that an instruction names. */
public sealed interface RegisterOperand extends AssemblerOperand
    permits Gpr,
        SegmentRegister,
        VectorRegister,
        Mmx,
        X87,
        MaskRegister,
        ControlRegister,
        DebugRegister,
        TileRegister,
        BoundRegister {
  /** Its number in machine code, 0 to 31. */
  int number();

  /** Its size. */
  int bits();
}
