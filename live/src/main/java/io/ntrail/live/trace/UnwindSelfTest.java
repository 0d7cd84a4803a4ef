package io.ntrail.live.trace;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.code.x64.AreaLayout;
import io.ntrail.live.code.x64.TargetRoutines;
import io.ntrail.live.patch.TracingMemory;
import io.ntrail.live.target.TargetMemory;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.target.WindowsApi;

/**
 * Whether the system of a target unwinds traced frames as it should: asked in the target, before
 * the first function is patched, with a frame that was made up.
 *
 * @param passed whether all is as it should be
 * @param why what is not; empty if it passed
 */
public record UnwindSelfTest(boolean passed, String why) {
  /** The test was not made: nobody has tried yet what the processor says to exits there. */
  static final UnwindSelfTest SHADOW_STACK =
      failed("the system guards the program's return addresses (user shadow stack)");

  private static final long MILLIS = 20_000;
  private static final int[] NONVOLATILE = {0x90, 0xA0, 0xA8, 0xB0, 0xD8, 0xE0, 0xE8, 0xF0};

  static UnwindSelfTest run(TargetProcess target, TracingMemory tracing) {
    TargetMemory memory = target.memory();
    WindowsApi calls = target.calls();
    long area = tracing.areas().getFirst();
    long exit = area + AreaLayout.code(0) + tracing.area().exit();
    long data = area + AreaLayout.data(0);
    long trueRip = calls.address("ntdll!RtlVirtualUnwind");
    memory.write(data + AreaLayout.TRUE_RIP, new BytesBuilder(8).u64(trueRip).toArray());
    BytesBuilder parameters =
        new BytesBuilder(TargetRoutines.TEST_SIZE).zeros(TargetRoutines.TEST_SIZE);
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

  private static UnwindSelfTest judge(Bytes found, long area, long trueRip, TracingMemory tracing) {
    long stack = found.i64(TargetRoutines.TEST_STACK);
    long entry = found.i64(TargetRoutines.TEST_ENTRY);
    if (entry < area + AreaLayout.TABLE
        || entry >= area + AreaLayout.HEAD + tracing.area().size()) {
      return failed("the unwind data of a slot was not found (entry 0x%x)".formatted(entry));
    }
    if (found.i64(TargetRoutines.TEST_BASE) != area + AreaLayout.HEAD) {
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
    if (handler < area + AreaLayout.TABLE
        || handler >= area + AreaLayout.HEAD + tracing.area().size()) {
      return failed("unwinding a slot does not call its handler");
    }
    if (found.i64(TargetRoutines.TEST_HANDLER + 8) != 0) {
      return failed("searching calls the handler of a slot");
    }
    return new UnwindSelfTest(true, "");
  }

  private static UnwindSelfTest failed(String why) {
    return new UnwindSelfTest(false, why);
  }
}
