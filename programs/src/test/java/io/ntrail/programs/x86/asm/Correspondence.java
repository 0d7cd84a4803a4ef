package io.ntrail.programs.x86.asm;

import io.ntrail.programs.x86.RegisterClass;
import io.ntrail.programs.x86.asm.operands.BoundRegister;
import io.ntrail.programs.x86.asm.operands.ControlRegister;
import io.ntrail.programs.x86.asm.operands.DebugRegister;
import io.ntrail.programs.x86.asm.operands.MaskRegister;
import io.ntrail.programs.x86.asm.operands.Mmx;
import io.ntrail.programs.x86.asm.operands.Reg16;
import io.ntrail.programs.x86.asm.operands.Reg32;
import io.ntrail.programs.x86.asm.operands.Reg64;
import io.ntrail.programs.x86.asm.operands.Reg8;
import io.ntrail.programs.x86.asm.operands.RegisterOperand;
import io.ntrail.programs.x86.asm.operands.SegmentRegister;
import io.ntrail.programs.x86.asm.operands.TileRegister;
import io.ntrail.programs.x86.asm.operands.X87;
import io.ntrail.programs.x86.asm.operands.Xmm;
import io.ntrail.programs.x86.asm.operands.Ymm;
import io.ntrail.programs.x86.asm.operands.Zmm;
import java.util.Arrays;
import java.util.Optional;

/** Correspondence of the assembler's registers to the decoder's. */
final class Correspondence {
  private Correspondence() {}

  /** The decoder's register. */
  static io.ntrail.programs.x86.Register decoded(RegisterOperand register) {
    RegisterClass type =
        switch (register) {
          case Reg8 r -> r.isHigh() ? RegisterClass.HIGH8 : RegisterClass.GENERAL8;
          case Reg16 _ -> RegisterClass.GENERAL16;
          case Reg32 _ -> RegisterClass.GENERAL32;
          case Reg64 _ -> RegisterClass.GENERAL64;
          case SegmentRegister _ -> RegisterClass.SEGMENT;
          case Xmm _ -> RegisterClass.XMM;
          case Ymm _ -> RegisterClass.YMM;
          case Zmm _ -> RegisterClass.ZMM;
          case Mmx _ -> RegisterClass.MMX;
          case X87 _ -> RegisterClass.X87;
          case MaskRegister _ -> RegisterClass.MASK;
          case ControlRegister _ -> RegisterClass.CONTROL;
          case DebugRegister _ -> RegisterClass.DEBUG;
          case TileRegister _ -> RegisterClass.TILE;
          case BoundRegister _ -> RegisterClass.BOUND;
        };
    int number = type == RegisterClass.HIGH8 ? register.number() - 4 : register.number();
    return io.ntrail.programs.x86.Register.of(type, number);
  }

  /** The assembler's register, if it has it. */
  static Optional<RegisterOperand> written(io.ntrail.programs.x86.Register register) {
    int number = register.number();
    RegisterOperand[] all =
        switch (register.type()) {
          case GENERAL8, HIGH8 -> Reg8.values();
          case GENERAL16 -> Reg16.values();
          case GENERAL32 -> Reg32.values();
          case GENERAL64 -> Reg64.values();
          case SEGMENT -> SegmentRegister.values();
          case XMM -> Xmm.values();
          case YMM -> Ymm.values();
          case ZMM -> Zmm.values();
          case MMX -> Mmx.values();
          case X87 -> X87.values();
          case MASK -> MaskRegister.values();
          case CONTROL -> ControlRegister.values();
          case DEBUG -> DebugRegister.values();
          case TILE -> TileRegister.values();
          case BOUND -> BoundRegister.values();
          case POINTER -> new RegisterOperand[0];
        };
    if (register.type() == RegisterClass.CONTROL) {
      return Arrays.stream(ControlRegister.values())
          .filter(control -> control.number() == number)
          .map(RegisterOperand.class::cast)
          .findAny();
    }
    int index = register.type() == RegisterClass.HIGH8 ? Reg8.AH.ordinal() + number : number;
    return index < all.length ? Optional.of(all[index]) : Optional.empty();
  }
}
