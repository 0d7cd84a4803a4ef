package io.ntrail.programs.x86;

/**
 * Whose processor reads the bytes, where the two read them differently: near branches with an
 * operand size prefix in 64-bit code are 32 bits wide for Intel and 16 for AMD, far pointers in
 * memory have 64-bit offsets only for Intel, {@code UD0} has a ModRM byte only for Intel.
 */
public enum CpuVendor {
  /** Intel, and what follows its manual. */
  INTEL,
  /** AMD. */
  AMD
}
