package io.ntrail.programs.unwind.x64;

import io.ntrail.programs.unwind.FrameRegisters;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Instructions for getting from a frame to its caller: a short program over registers and stack
 * memory, with neither unwind data nor code in it. Immutable; equal rules are the same rule.
 */
public final class UnwindRule implements UnwindDecision {
  /** Part of a function in which a rule holds. */
  public enum Place {
    /** In a function without an entry: the return address is at the stack pointer. */
    LEAF,
    /** In a prologue: what its instructions did up to there is undone. */
    PROLOGUE,
    /** Between prologue and epilogue. */
    BODY,
    /** In an epilogue: the rest of it is done. */
    EPILOGUE
  }

  /** Rule of functions without an entry. */
  public static final UnwindRule LEAF = new UnwindRuleBuilder(Place.LEAF).doReturn().build();

  static final int OPERATION_SHIFT = 56;
  static final int REGISTER_SHIFT = 48;
  static final long OPERAND_MASK = (1L << REGISTER_SHIFT) - 1;
  private static final int OPERAND_UNUSED = Long.SIZE - REGISTER_SHIFT;

  /** Register = word at the stack pointer plus operand. */
  static final int LOAD_STACK = 1;

  /** Register = word at the frame plus operand. */
  static final int LOAD_FRAME = 2;

  /** XMM register = two words at the frame plus operand. */
  static final int LOAD_XMM = 3;

  /** Stack pointer = register minus operand. */
  static final int SET_STACK = 4;

  /** Stack pointer += operand. */
  static final int MOVE_STACK = 5;

  /**
   * Instruction pointer and stack pointer from a machine frame at the stack pointer plus operand.
   */
  static final int MACHINE_FRAME = 6;

  /** Instruction pointer = word at the stack pointer plus operand, which is popped. */
  static final int RETURN = 7;

  private static final int MACHINE_FRAME_SP = 0x18;
  private static final int WORD = 8;

  private final Place place;
  private final long[] steps;
  private final int frameRegister;
  private final long frameOffset;
  private final boolean frameIsReturnAddress;
  private final boolean hasMachineFrame;
  private final boolean assumed;
  private final int keptGeneral;
  private final int keptVectors;
  private final @Nullable FrameHandler handler;

  UnwindRule(UnwindRuleBuilder made, long[] steps) {
    this.place = made.place;
    this.steps = steps;
    this.frameRegister = made.frameRegister;
    this.frameOffset = made.frameOffset;
    this.frameIsReturnAddress = made.frameIsReturnAddress;
    this.hasMachineFrame = made.hasMachineFrame;
    this.assumed = made.assumed;
    this.keptGeneral = made.keptGeneral;
    this.keptVectors = made.keptVectors;
    this.handler = made.handler;
  }

  /** Returns where in its function it holds. */
  public Place place() {
    return place;
  }

  /** Returns the language handler of the frame. */
  public Optional<FrameHandler> handler() {
    return Optional.ofNullable(handler);
  }

  /** Returns true if the frame lies on what the processor or the kernel pushed: a trap. */
  public boolean hasMachineFrame() {
    return hasMachineFrame;
  }

  /**
   * Returns true if the code could not be read, so that it is not known whether the place is in an
   * epilogue; the body is assumed. That is right for return addresses.
   */
  public boolean isAssumed() {
    return assumed;
  }

  /**
   * Makes registers those of the caller; volatile ones become unknown.
   *
   * @return the establisher frame
   * @throws io.ntrail.formats.bytes.DamagedInput if stack memory cannot be read; the registers are
   *     of no frame then
   * @throws UnknownRegister if the stack pointer depends on a register that is not known
   */
  long run(FrameRegisters registers, StackMemory memory) {
    long stack = registers.sp();
    long frame = stack;
    if (frameRegister >= 0) {
      frame = known(registers, frameRegister) - frameOffset;
    }
    for (long step : steps) {
      int register = (int) (step >>> REGISTER_SHIFT) & 0xFF;
      long operand = step << OPERAND_UNUSED >> OPERAND_UNUSED;
      switch ((int) (step >>> OPERATION_SHIFT)) {
        case LOAD_STACK -> registers.set(register, memory.word(stack + operand));
        case LOAD_FRAME -> registers.set(register, memory.word(frame + operand));
        case LOAD_XMM -> {
          long at = frame + operand;
          registers.setVector(register, memory.word(at), memory.word(at + WORD));
        }
        case SET_STACK -> stack = known(registers, register) - operand;
        case MOVE_STACK -> stack += operand;
        case MACHINE_FRAME -> {
          registers.setIp(memory.word(stack + operand));
          stack = memory.word(stack + operand + MACHINE_FRAME_SP);
        }
        case RETURN -> {
          stack += operand;
          registers.setIp(memory.word(stack));
          if (frameIsReturnAddress) {
            frame = stack;
          }
          stack += WORD;
        }
        default -> throw new IllegalStateException("no such step: " + step);
      }
    }
    registers.keepOnly(keptGeneral, keptVectors);
    registers.setSp(stack);
    return frame;
  }

  private static long known(FrameRegisters registers, int number) {
    if (!registers.isKnown(number)) {
      throw new UnknownRegister(number);
    }
    return registers.get(number);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof UnwindRule that
        && place == that.place
        && frameRegister == that.frameRegister
        && frameOffset == that.frameOffset
        && frameIsReturnAddress == that.frameIsReturnAddress
        && hasMachineFrame == that.hasMachineFrame
        && assumed == that.assumed
        && keptGeneral == that.keptGeneral
        && keptVectors == that.keptVectors
        && Arrays.equals(steps, that.steps)
        && handler().equals(that.handler());
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(steps) + place.hashCode();
  }
}
