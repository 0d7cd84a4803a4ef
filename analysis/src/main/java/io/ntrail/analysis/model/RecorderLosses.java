package io.ntrail.analysis.model;

import java.util.OptionalLong;

/**
 * Losses that a recorder counted, and the number of files that it never finalised. No part of it is
 * a gap: the bytes were never in the file.
 *
 * @param records events or call records; empty if the recorder did not count them
 * @param buffers buffers; empty if the recorder did not count them
 * @param discarded records that were not kept, as somebody wished to keep only the last ones: no
 *     loss
 * @param neverFinalised files that their recorder did not close
 * @param untraced modules whose selected calls were not recorded for some time
 * @param flagged buffers whose header says that something was lost before them
 * @param unrecorded calls that were counted without a record of them
 * @param isSizeReached true if recording ended because the file had its largest size
 */
public record RecorderLosses(
    OptionalLong records,
    OptionalLong buffers,
    long discarded,
    int neverFinalised,
    int untraced,
    int flagged,
    long unrecorded,
    boolean isSizeReached) {
  /** Nothing was counted. */
  public static final RecorderLosses UNKNOWN =
      new RecorderLosses(OptionalLong.empty(), OptionalLong.empty(), 0, 0, 0, 0, 0, false);

  /** Returns true if the recorder counted something as lost, or did not record it. */
  public boolean any() {
    return isCounted() || untraced > 0 || flagged > 0 || unrecorded > 0 || isSizeReached;
  }

  /** Returns true if the recorder counted something as lost. */
  public boolean isCounted() {
    return records.orElse(0) > 0 || buffers.orElse(0) > 0;
  }

  /** Returns the buffers before which something was lost that the recorder did not count. */
  public int uncounted() {
    return isCounted() ? 0 : flagged;
  }
}
