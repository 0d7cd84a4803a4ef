package io.ntrail.live.session;

/** Whether records still come into the file. */
public enum RecorderState {
  /** They do. */
  RECORDING,
  /** The file has its largest size: records are taken out and dropped. */
  SIZE_REACHED,
  /** The file could not be written any more: records are taken out and dropped. */
  FAILED,
  /** All that there was is in the file. */
  FINISHED
}
