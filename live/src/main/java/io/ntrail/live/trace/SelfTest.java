package io.ntrail.live.trace;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesOut;
import io.ntrail.live.code.Geometry;
import io.ntrail.live.code.TargetRoutines;
import io.ntrail.live.target.TargetMemory;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.target.WindowsCalls;

/**
 * Whether the system of a target unwinds traced frames as it should: asked in the target, before
 * the first function is patched, with a frame that was made up.
 *
 * @param passed whether all is as it should be
 * @param why what is not; empty if it passed
 */
public record SelfTest(boolean passed, String why) {
  /** The test was not made: nobody has tried yet what the processor says to exits there. */
  static final SelfTest SHADOW_STACK =
      failed("the system guards the program's return addresses (user shadow stack)");

  private static final long MILLIS = 20_000;
  private static final int[] NONVOLATILE = {0x90, 0xA0, 0xA8, 0xB0, 0xD8, 0xE0, 0xE8, 0xF0};

  static SelfTest run(TargetProcess target, TracingMemory tracing) {
    TargetMemory memory = target.memory();
    WindowsCalls calls = target.calls();
    long area = tracing.areas().getFirst();
    long exit = area + Geometry.code(0) + tracing.area().exit();
    long data = area + Geometry.data(0);
    long trueRip = calls.address("ntdll!RtlVirtualUnwind");
    memory.write(data + Geometry.TRUE_RIP, new BytesOut(8).u64(trueRip).toArray());
    BytesOut parameters = new BytesOut(TargetRoutines.TEST_SIZE).zeros(TargetRoutines.TEST_SIZE);
    parameters.setU64(TargetRoutines.TEST_EXIT, exit).setU64(TargetRoutines.TEST_DATA, data);
    parameters.setU64(TargetRoutines.TEST_LOOKUP, calls.address("ntdll!RtlLookupFunctionEntry"));
    parameters.setU64(TargetRoutines.TEST_UNWIND, calls.address("ntdll!RtlVirtualUnwind"));
    for (int i = 0; i < 2; i++) {
      for (int register : NONVOLATILE) {
        parameters.setU64(context(i) + register, pattern(register));
      }
    }
    long at = memory.allocate(TargetRoutines.TEST_SIZE, TargetMemory.READ_WRITE);
    memory.write(at, parameters.toArray());
    target.run(tracing.selfTestRoutine(), at, MILLIS);
    Bytes found = memory.read(at, TargetRoutines.TEST_SIZE);
    memory.free(at);
    return judge(found, area, trueRip, tracing);
  }

  private static int context(int unwind) {
    return TargetRoutines.TEST_CONTEXT + unwind * TargetRoutines.TEST_CONTEXT_STEP;
  }

  private static long pattern(int register) {
    return 0x5EED_0000_0000_0000L + register * 0x0101_0101L;
  }

  private static SelfTest judge(Bytes found, long area, long trueRip, TracingMemory tracing) {
    long stack = found.i64(TargetRoutines.TEST_STACK);
    long entry = found.i64(TargetRoutines.TEST_ENTRY);
    if (entry < area + Geometry.TABLE || entry >= area + Geometry.HEAD + tracing.area().size()) {
      return failed("the unwind data of a slot was not found (entry 0x%x)".formatted(entry));
    }
    if (found.i64(TargetRoutines.TEST_BASE) != area + Geometry.HEAD) {
      return failed("the unwind data of a slot has another base");
    }
    for (int i = 0; i < 2; i++) {
      int context = context(i);
      String which = i == 0 ? "unwinding" : "searching";
      long rip = found.i64(context + 0xF8);
      long rsp = found.i64(context + 0x98);
      if (rip != trueRip) {
        return failed(which + " a slot gives the return address 0x%x".formatted(rip));
      }
      if (rsp != stack + 8) {
        return failed(which + " a slot gives the stack pointer S%+d".formatted(rsp - stack));
      }
      long establisher = found.i64(TargetRoutines.TEST_ESTABLISHER + 8 * i);
      if (establisher != stack - 8) {
        return failed(which + " a slot has the frame S%+d".formatted(establisher - stack));
      }
      for (int register : NONVOLATILE) {
        if (found.i64(context + register) != pattern(register)) {
          return failed(which + " a slot changes registers");
        }
      }
    }
    long handler = found.i64(TargetRoutines.TEST_HANDLER);
    if (handler < area + Geometry.TABLE
        || handler >= area + Geometry.HEAD + tracing.area().size()) {
      return failed("unwinding a slot does not call its handler");
    }
    if (found.i64(TargetRoutines.TEST_HANDLER + 8) != 0) {
      return failed("searching calls the handler of a slot");
    }
    return new SelfTest(true, "");
  }

  private static SelfTest failed(String why) {
    return new SelfTest(false, why);
  }
}
