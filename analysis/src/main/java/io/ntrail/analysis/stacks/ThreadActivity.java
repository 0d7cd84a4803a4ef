package io.ntrail.analysis.stacks;

/** State of a thread when a snapshot was made, judged by its innermost frame. */
public enum ThreadActivity {
  /** In a system call: its next instruction is the one behind the call. */
  WAITS,
  /** In other code. */
  RUNS,
  /** Its registers are there, the memory of its stack is not. */
  NO_STACK,
  /** It has no registers that can be walked. */
  NO_REGISTERS
}
