package io.ntrail.programs.unwind.x64;

import io.ntrail.programs.unwind.FrameRegisters;
import io.ntrail.programs.unwind.x64.UnwindRule.Place;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Writer of an {@link UnwindRule}: takes effects in the order in which they are undone, and keeps
 * the distance that the stack pointer has moved, so that pops become loads.
 */
final class UnwindRuleBuilder {
  /** General registers that a function of Windows on x64 gives back as they were. */
  static final int NONVOLATILE =
      1 << FrameRegisters.BX
          | 1 << FrameRegisters.SP
          | 1 << FrameRegisters.BP
          | 1 << FrameRegisters.SI
          | 1 << FrameRegisters.DI
          | 0xF000;

  /** XMM registers that a function of Windows on x64 gives back as they were: 6 to 15. */
  static final int NONVOLATILE_XMM = 0xFFC0;

  private static final int WORD = 8;
  private static final int GENERAL = 16;

  final Place place;
  int frameRegister = -1;
  long frameOffset;
  boolean frameIsReturnAddress;
  boolean hasMachineFrame;
  boolean assumed;
  int keptGeneral = NONVOLATILE;
  int keptVectors = NONVOLATILE_XMM;
  @Nullable FrameHandler handler;

  private long[] steps = new long[8];
  private int count;

  /** Bytes by which the stack pointer is further than at the last step that set it. */
  private long moved;

  UnwindRuleBuilder(Place place) {
    this.place = place;
  }

  /** The establisher frame is a register minus an offset; else it is the stack pointer. */
  UnwindRuleBuilder frame(int register, long offset) {
    frameRegister = register;
    frameOffset = offset;
    return this;
  }

  /** A register is popped; the stack pointer too goes on from its new value, past the word. */
  UnwindRuleBuilder doPop(int register) {
    load(UnwindRule.LOAD_STACK, register, moved);
    if (register == FrameRegisters.SP) {
      doSetStack(register, 0);
    }
    moved += WORD;
    return this;
  }

  /**
   * An instruction of an epilogue pops a register. Into a volatile one it only drops a word: the
   * caller's value of that register stays unknown.
   */
  UnwindRuleBuilder doPopByCode(int register) {
    int kept = keptGeneral;
    doPop(register);
    keptGeneral = kept;
    return this;
  }

  /** A register is loaded from the frame; the stack pointer too goes on from its new value. */
  UnwindRuleBuilder doLoad(int register, long offset) {
    load(UnwindRule.LOAD_FRAME, register, offset);
    if (register == FrameRegisters.SP) {
      doSetStack(register, 0);
    }
    return this;
  }

  UnwindRuleBuilder doLoadXmm(int register, long offset) {
    add(UnwindRule.LOAD_XMM, register, offset);
    keptVectors |= 1 << register;
    return this;
  }

  /** An XMM register was saved in a way that Windows does not undo. */
  UnwindRuleBuilder doForgetXmm(int register) {
    keptVectors &= ~(1 << register);
    return this;
  }

  UnwindRuleBuilder doMove(long bytes) {
    moved += bytes;
    return this;
  }

  UnwindRuleBuilder doSetStack(int register, long offset) {
    add(UnwindRule.SET_STACK, register, offset);
    moved = 0;
    return this;
  }

  /** Undoes what the processor pushed: ip, cs, flags, sp, ss, after an error code if it has one. */
  UnwindRuleBuilder doMachineFrame(boolean hasErrorCode) {
    add(UnwindRule.MACHINE_FRAME, 0, moved + (hasErrorCode ? WORD : 0));
    moved = 0;
    hasMachineFrame = true;
    return this;
  }

  /** Ends with the return address at the stack pointer, unless a machine frame had the address. */
  UnwindRuleBuilder doReturn() {
    if (!hasMachineFrame) {
      add(UnwindRule.RETURN, 0, moved);
    } else if (moved != 0) {
      add(UnwindRule.MOVE_STACK, 0, moved);
    }
    return this;
  }

  UnwindRule build() {
    return new UnwindRule(this, Arrays.copyOf(steps, count));
  }

  private void load(int operation, int register, long operand) {
    // Registers 16 to 31, of APX, are in no context that is read.
    if (register < GENERAL) {
      add(operation, register, operand);
      keptGeneral |= 1 << register;
    }
  }

  private void add(int operation, int register, long operand) {
    if (count == steps.length) {
      steps = Arrays.copyOf(steps, 2 * count);
    }
    steps[count++] =
        (long) operation << UnwindRule.OPERATION_SHIFT
            | (long) register << UnwindRule.REGISTER_SHIFT
            | operand & UnwindRule.OPERAND_MASK;
  }
}
