package io.ntrail.programs.x86.asm.operands;

import org.jspecify.annotations.Nullable;

/**
 * Target of a relative branch, with the width of its displacement: a label, or an address outside
 * the code.
 *
 * @param label inside, or null
 * @param address outside, where there is no label
 * @param bytes 1, 4, or 0 for what the instruction has
 */
public record BranchTarget(@Nullable Label label, long address, int bytes)
    implements AssemblerOperand {
  public static BranchTarget of(Label label, int bytes) {
    return new BranchTarget(label, 0, bytes);
  }

  public static BranchTarget of(long address, int bytes) {
    return new BranchTarget(null, address, bytes);
  }

  @Override
  public String toString() {
    return label != null ? label.name() : "0x" + Long.toHexString(address);
  }
}
