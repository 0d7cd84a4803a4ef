package io.ntrail.analysis.flow.recorded;

import io.ntrail.programs.kernelcode.CodeVariant;
import java.util.Set;

/**
 * The variant in which the code of a driver was taken.
 *
 * @param image name of its file
 * @param base address where it was loaded
 * @param variant that was taken
 * @param possible variants with which the flow goes on equally well; one if it was decided
 * @param pieces in which sites of the driver were executed
 */
public record DriverVariant(
    String image, long base, CodeVariant variant, Set<CodeVariant> possible, int pieces) {
  /** Copies the set. */
  public DriverVariant {
    possible = Set.copyOf(possible);
  }

  /** Returns whether the flow tells it from the other variants. */
  public boolean isDecided() {
    return possible.size() == 1;
  }
}
