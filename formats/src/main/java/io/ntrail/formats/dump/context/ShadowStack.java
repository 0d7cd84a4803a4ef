package io.ntrail.formats.dump.context;

/**
 * State of the shadow stack of a thread in user mode (CET).
 *
 * @param control IA32_U_CET; bit 0: the shadow stack is enabled
 * @param pointer SSP: address of the return address of the innermost frame
 */
public record ShadowStack(long control, long pointer) {
  /** Returns true if the processor keeps return addresses on it. */
  public boolean isEnabled() {
    return (control & 1) != 0;
  }
}
