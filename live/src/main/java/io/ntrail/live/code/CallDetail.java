package io.ntrail.live.code;

/** Detail in which a target keeps its calls. */
public enum CallDetail {
  /** A record of each entry and exit. */
  RECORDS,

  /** Totals with times by function and thread, counted in the target. */
  TIMES,

  /** The number of calls by function and thread, counted in the target. */
  COUNTS
}
