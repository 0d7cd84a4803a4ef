package io.ntrail.analysis.model;

import java.util.OptionalLong;

/**
 * Losses that a recorder counted, and the number of files that it never finalised. No part of it is
 * a gap: the bytes were never in the file.
 *
 * @param records events or call records; empty if the recorder did not count them
 * @param buffers buffers; empty if the recorder did not count them
 * @param neverFinalised files that their recorder did not close
 */
public record RecorderLosses(OptionalLong records, OptionalLong buffers, int neverFinalised) {
  /** Nothing was counted. */
  public static final RecorderLosses UNKNOWN =
      new RecorderLosses(OptionalLong.empty(), OptionalLong.empty(), 0);

  /** Returns true if the recorder counted something as lost. */
  public boolean any() {
    return records.orElse(0) > 0 || buffers.orElse(0) > 0;
  }
}
