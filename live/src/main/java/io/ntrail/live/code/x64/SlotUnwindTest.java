package io.ntrail.live.code.x64;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.code.MemoryWrite;
import io.ntrail.live.code.UnwindTest;
import java.util.function.ToLongFunction;

/**
 * Test of unwinding with a synthetic frame of the first slot: {@link TargetRoutines#selfTest} takes
 * one step out of it, for an unwind and for a search, and this compares what the system found.
 */
final class SlotUnwindTest implements UnwindTest {
  /** Offsets of the non-volatile registers in CONTEXT. */
  private static final int[] NONVOLATILE = {0x90, 0xA0, 0xA8, 0xB0, 0xD8, 0xE0, 0xE8, 0xF0};

  private final long area;
  private final AreaImage code;
  private final long lookup;
  private final long unwind;

  SlotUnwindTest(long area, AreaImage code, ToLongFunction<String> functions) {
    this.area = area;
    this.code = code;
    this.lookup = functions.applyAsLong("ntdll!RtlLookupFunctionEntry");
    this.unwind = functions.applyAsLong("ntdll!RtlVirtualUnwind");
  }

  /** Makes the address of RtlVirtualUnwind the true return address. */
  @Override
  public MemoryWrite frame() {
    return new MemoryWrite(
        area + AreaLayout.data(0) + AreaLayout.TRUE_RIP, new BytesBuilder(8).u64(unwind).toArray());
  }

  @Override
  public byte[] parameters() {
    BytesBuilder parameters =
        new BytesBuilder(TargetRoutines.TEST_SIZE).zeros(TargetRoutines.TEST_SIZE);
    parameters.setU64(TargetRoutines.TEST_EXIT, area + AreaLayout.code(0) + code.exit());
    parameters.setU64(TargetRoutines.TEST_DATA, area + AreaLayout.data(0));
    parameters.setU64(TargetRoutines.TEST_LOOKUP, lookup);
    parameters.setU64(TargetRoutines.TEST_UNWIND, unwind);
    for (int i = 0; i < 2; i++) {
      for (int register : NONVOLATILE) {
        parameters.setU64(context(i) + register, pattern(register));
      }
    }
    return parameters.toArray();
  }

  private static int context(int unwind) {
    return TargetRoutines.TEST_CONTEXT + unwind * TargetRoutines.TEST_CONTEXT_STEP;
  }

  private static long pattern(int register) {
    return 0x5EED_0000_0000_0000L + register * 0x0101_0101L;
  }

  private boolean isInTable(long address) {
    return address >= area + AreaLayout.TABLE && address < area + AreaLayout.HEAD + code.size();
  }

  @Override
  public String failure(Bytes found) {
    long stack = found.i64(TargetRoutines.TEST_STACK);
    long entry = found.i64(TargetRoutines.TEST_ENTRY);
    if (!isInTable(entry)) {
      return "the unwind data of a slot was not found (entry 0x%x)".formatted(entry);
    }
    if (found.i64(TargetRoutines.TEST_BASE) != area + AreaLayout.HEAD) {
      return "unexpected image base for the unwind data of a slot";
    }
    for (int i = 0; i < 2; i++) {
      int context = context(i);
      String which = i == 0 ? "unwinding" : "searching";
      long rip = found.i64(context + TargetRoutines.CONTEXT_RIP);
      long rsp = found.i64(context + TargetRoutines.CONTEXT_RSP);
      if (rip != unwind) {
        return which + " a slot gives the return address 0x%x".formatted(rip);
      }
      if (rsp != stack + 8) {
        return which + " a slot gives the stack pointer S%+d".formatted(rsp - stack);
      }
      long establisher = found.i64(TargetRoutines.TEST_ESTABLISHER + 8 * i);
      if (establisher != stack - 8) {
        return which + " a slot gives the frame S%+d".formatted(establisher - stack);
      }
      for (int register : NONVOLATILE) {
        if (found.i64(context + register) != pattern(register)) {
          return which + " a slot changes registers";
        }
      }
    }
    if (!isInTable(found.i64(TargetRoutines.TEST_HANDLER))) {
      return "unwinding a slot does not call its handler";
    }
    if (found.i64(TargetRoutines.TEST_HANDLER + 8) != 0) {
      return "the search pass calls the handler of a slot";
    }
    return "";
  }
}
