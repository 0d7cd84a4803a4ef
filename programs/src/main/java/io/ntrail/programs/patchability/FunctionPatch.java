package io.ntrail.programs.patchability;

import io.ntrail.programs.image.ImageFunction;
import java.util.Optional;

/**
 * Patchability of one function.
 *
 * @param function the function
 * @param patchClass the class
 * @param refusal why not; of class D only
 * @param detail detail of the reason: target of a jump, text of an instruction; else empty
 * @param padding the padding in front of it
 * @param firstLength bytes of its first instruction; 0 if there is none
 * @param unitLength bytes of the instructions that are overwritten, whole or in part; 0 if they
 *     could not be found
 * @param unitInstructions number of these instructions
 * @param relative whether one of them has an operand relative to its own address (x64), which must
 *     be adjusted in the copy
 * @param jumpAt RVA of the jump of five bytes; that of the function of class E, -1 of class D
 */
public record FunctionPatch(
    ImageFunction function,
    PatchClass patchClass,
    Optional<PatchRefusal> refusal,
    String detail,
    FunctionPadding padding,
    int firstLength,
    int unitLength,
    int unitInstructions,
    boolean relative,
    long jumpAt) {
  /** The bytes of the short jump. */
  public static final int SHORT_JUMP = 2;

  private static final int CACHE_LINE = 64;

  /**
   * Returns true if the short jump would straddle a cache line: then no single store writes it, and
   * threads must be suspended whatever the class.
   */
  public boolean straddles() {
    return function.rva() % CACHE_LINE == CACHE_LINE - 1;
  }

  /** Returns true if the long jump overwrites its own first bytes, and there is no short one. */
  public boolean isInPlace() {
    return patchClass == PatchClass.E;
  }

  /** Bytes of the function itself that are overwritten. */
  public int overwritten() {
    return isInPlace() ? FunctionPadding.JUMP : SHORT_JUMP;
  }

  /**
   * Returns why threads must be suspended while it is patched; empty if they may run, or of class
   * D.
   */
  public Optional<SuspensionReason> needsStop() {
    if (!isPossible()) {
      return Optional.empty();
    }
    if (isInPlace()) {
      return Optional.of(SuspensionReason.IN_PLACE);
    }
    if (unitInstructions > 1) {
      return Optional.of(SuspensionReason.SEVERAL_INSTRUCTIONS);
    }
    if (patchClass == PatchClass.C) {
      return Optional.of(SuspensionReason.BORROWED_PADDING);
    }
    return straddles() ? Optional.of(SuspensionReason.STRADDLES) : Optional.empty();
  }

  /** Returns true if it can be patched. */
  public boolean isPossible() {
    return patchClass != PatchClass.D;
  }
}
