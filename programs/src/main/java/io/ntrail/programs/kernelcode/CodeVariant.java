package io.ntrail.programs.kernelcode;

/** A state in which a kernel leaves the code of a driver that it loads. */
public enum CodeVariant {
  /** The bytes of the file: imports are called through their slots. */
  FILE,
  /**
   * Calls and jumps to imports that can be reached go to them directly; all else as in the file.
   */
  IMPORT_OPTIMIZATION,
  /**
   * Import optimization of newer kernels: imports that cannot be reached are called through r10,
   * into which the slot is loaded.
   */
  IMPORT_REGISTER,
  /** Import optimization, and thunks for imports that cannot be reached, pointers and switches. */
  RETPOLINE
}
