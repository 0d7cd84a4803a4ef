package io.ntrail.live.session;

/** State of a recording. */
public enum RecorderState {
  /** Records are written to the file. */
  RECORDING,
  /** The size limit is reached: records are taken out and dropped. */
  SIZE_REACHED,
  /** A write failed: records are taken out and dropped. */
  FAILED,
  /** The file is complete. */
  FINISHED
}
