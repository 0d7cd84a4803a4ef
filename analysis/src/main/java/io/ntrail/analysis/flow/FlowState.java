package io.ntrail.analysis.flow;

/** Knowledge of the place where the flow is. */
enum FlowState {
  /** Nothing before the next PSB. */
  SEARCHING,
  /** Nothing before the next packet that tells an address. */
  LOST,
  /** Tracing is off. */
  DISABLED,
  /** Tracing is on. */
  ENABLED,
  /** Packets were lost: the next ones say whether tracing is on. */
  OVERFLOW
}
