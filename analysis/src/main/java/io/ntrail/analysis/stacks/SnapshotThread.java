package io.ntrail.analysis.stacks;

import io.ntrail.programs.unwind.FrameRegisters;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Thread of a snapshot.
 *
 * @param tid its id
 * @param name null if it has none
 * @param isFaulting whether it is why the snapshot was made
 * @param start registers that its stack is walked from; empty if there are none that can be walked
 * @param whyNot why there are none, as a clause; empty if there are some
 * @param low lowest address of its stack
 * @param high address past the highest byte of its stack; 0 if the limits are not known
 * @param teb address of its environment block (TEB); 0 if unknown
 * @param shadowStack address of the return address of the innermost frame on its shadow stack; 0 if
 *     it has none or that is unknown
 */
public record SnapshotThread(
    long tid,
    @Nullable String name,
    boolean isFaulting,
    Optional<FrameRegisters> start,
    String whyNot,
    long low,
    long high,
    long teb,
    long shadowStack) {
  /** Returns true if the limits of its stack are known. */
  public boolean hasLimits() {
    return high != 0;
  }
}
