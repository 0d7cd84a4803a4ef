package io.ntrail.analysis.naming;

/** Kind of a frame of a call path, as flame graphs distinguish frames. */
public enum FrameKind {
  /** A process, above its stacks. */
  PROCESS,
  /** Code that runs in the kernel. */
  KERNEL,
  /** Compiled code of programs and libraries, or code of which nothing is known. */
  NATIVE,
  /** A function whose code is part of its caller's. */
  INLINED,
  /** A method of a runtime, compiled while the program ran or before. */
  MANAGED
}
