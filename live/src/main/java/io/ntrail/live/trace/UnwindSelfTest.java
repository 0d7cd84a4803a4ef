package io.ntrail.live.trace;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.live.code.UnwindTest;
import io.ntrail.live.patch.TracingMemory;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.windows.TargetMemory;

/**
 * Test of whether the target's system unwinds traced frames correctly, made in the target with a
 * synthetic frame before the first function is patched.
 *
 * @param passed whether all is as it should be
 * @param why what is not; empty if it passed
 */
public record UnwindSelfTest(boolean passed, String why) {
  /**
   * Result where a shadow stack is enabled: the test is not made, since exits are untested there.
   */
  static final UnwindSelfTest SHADOW_STACK =
      failed("user-mode hardware-enforced stack protection (shadow stack) is enabled");

  /** Result where the system checks return addresses, which would be those of slots. */
  static final UnwindSelfTest RETURN_CHECKS =
      failed("Exploit Guard checks return addresses in this program (CallerCheck, SimExec)");

  private static final long MILLIS = 20_000;

  static UnwindSelfTest run(TargetProcess target, TracingMemory tracing) {
    TargetMemory memory = target.memory();
    UnwindTest test =
        tracing.code().unwindTest(tracing.areas().getFirst(), target.calls()::address);
    memory.write(test.frame().address(), test.frame().bytes());
    byte[] parameters = test.parameters();
    long at = memory.allocate(parameters.length, TargetMemory.READ_WRITE);
    memory.write(at, parameters);
    target.run(tracing.selfTestRoutine(), at, MILLIS);
    Bytes results = memory.read(at, parameters.length);
    memory.free(at);
    String failure = test.failure(results);
    return new UnwindSelfTest(failure.isEmpty(), failure);
  }

  /** Returns the result of a test that was not passed. */
  static UnwindSelfTest failed(String why) {
    return new UnwindSelfTest(false, why);
  }
}
