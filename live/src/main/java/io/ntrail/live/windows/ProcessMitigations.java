package io.ntrail.live.windows;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.agent.CallOutcome;

/**
 * Mitigation policies of a process that concern tracing. A policy that cannot be queried counts as
 * disabled: what fails then reports it.
 *
 * @param dynamicCode whether memory that was written may never be executed
 * @param shadowStack whether the processor compares return addresses with those that it kept
 * @param returnChecks whether the system looks, in functions that attacks need, for the call in
 *     front of the return address, or follows what would run from there: of 32-bit programs alone
 */
public record ProcessMitigations(boolean dynamicCode, boolean shadowStack, boolean returnChecks) {
  private static final int DYNAMIC_CODE_POLICY = 2;
  private static final int PAYLOAD_POLICY = 12;
  private static final int SHADOW_STACK_POLICY = 15;

  /** ProhibitDynamicCode, and EnableUserShadowStack. */
  private static final int FIRST_BIT = 1;

  /** EnableRopCallerCheck, EnableRopSimExec, and the bits that have both only reported. */
  private static final int RETURN_CHECKS = 0xF00;

  /** Queries the policies; nothing is written into the process. */
  public static ProcessMitigations of(WindowsApi calls, long process) {
    if (calls.find("kernel32!GetProcessMitigationPolicy") == 0) {
      return new ProcessMitigations(false, false, false);
    }
    return new ProcessMitigations(
        (policy(calls, process, DYNAMIC_CODE_POLICY) & FIRST_BIT) != 0,
        (policy(calls, process, SHADOW_STACK_POLICY) & FIRST_BIT) != 0,
        (policy(calls, process, PAYLOAD_POLICY) & RETURN_CHECKS) != 0);
  }

  private static long policy(WindowsApi calls, long process, int policy) {
    long flags = calls.put(0, new BytesBuilder(8).u64(0));
    CallOutcome asked =
        calls.call("kernel32!GetProcessMitigationPolicy", process, policy, flags, 4);
    return asked.isTrue() ? calls.get(0, 4).u32(0) : 0;
  }

  /**
   * Checks that the process can be traced.
   *
   * @throws CannotGoOn if not
   */
  public void mustAllowCode() {
    if (dynamicCode) {
      throw CannotGoOn.impossible(
          "the program forbids dynamic code (Arbitrary Code Guard," + " ProcessDynamicCodePolicy)",
          "as administrator: Set-ProcessMitigation -Name PROGRAM.exe -Disable BlockDynamicCode");
    }
  }
}
