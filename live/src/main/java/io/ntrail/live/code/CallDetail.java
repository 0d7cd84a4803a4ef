package io.ntrail.live.code;

/** How much the target keeps of each call. */
public enum CallDetail {
  /** A record of each entry and exit. */
  RECORDS,

  /** Totals with times by function and thread, counted in the target. */
  TIMES,

  /** The number of calls by function and thread, counted in the target. */
  COUNTS
}
