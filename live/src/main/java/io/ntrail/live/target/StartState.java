package io.ntrail.live.target;

/** State of a process's start. */
enum StartState {
  /** Created; its loader has not begun. */
  HELD,
  /** Its loader has begun, or that is unknown. */
  BEGUN,
  ENDED
}
