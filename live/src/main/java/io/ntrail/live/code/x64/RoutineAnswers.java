package io.ntrail.live.code.x64;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import java.util.Arrays;
import java.util.Optional;

/**
 * Answers of the routines that threads run in a target, for a system that runs no code: as if all
 * were well.
 */
public final class RoutineAnswers {
  private static final long STACK = 0x10_0000;

  private final Target target;
  private final byte[] storeRoutine = new StoreRoutine().bytes();

  /** Target that runs no code. */
  public interface Target {
    /** Returns bytes of its memory, up to the first that is not there. */
    byte[] read(long address, int length);

    /** Changes its memory. */
    void write(long address, byte[] bytes);

    /** Returns the address of a function of ntdll. */
    long function(String name);
  }

  /** Makes answers for a target. */
  public RoutineAnswers(Target target) {
    this.target = target;
  }

  /**
   * Changes memory as a routine does; that of a routine which is not known stays as it is.
   *
   * @param routine address of its code
   * @param parameters address of its parameters
   */
  public void run(long routine, long parameters) {
    if (Arrays.equals(target.read(routine, storeRoutine.length), storeRoutine)) {
      store(parameters);
      return;
    }
    byte[] bytes = target.read(parameters, TargetRoutines.TEST_SIZE);
    if (bytes.length == TargetRoutines.TEST_SIZE) {
      unwind(Bytes.copyOf(bytes, "parameters"))
          .ifPresent(answer -> target.write(parameters, answer));
    }
  }

  private void store(long parameters) {
    int count = word(target.read(parameters, Integer.BYTES));
    for (int i = 0; i < count; i++) {
      long at = parameters + StoreRoutine.HEAD + (long) StoreRoutine.PLACE * i;
      Bytes place = Bytes.copyOf(target.read(at, StoreRoutine.PLACE), "store");
      long address = place.i64(0);
      byte[] now = target.read(address, Short.BYTES);
      if (Arrays.equals(now, place.array(Long.BYTES, Short.BYTES))) {
        target.write(address, place.array(Long.BYTES + Short.BYTES, Short.BYTES));
        target.write(at + StoreRoutine.DONE, new BytesBuilder(Integer.BYTES).u32(1).toArray());
      }
    }
  }

  private static int word(byte[] bytes) {
    return (int) Bytes.copyOf(bytes, "count").u32(0);
  }

  /** Returns the results of the unwind test, if these are its parameters. */
  private Optional<byte[]> unwind(Bytes parameters) {
    long unwind = parameters.i64(TargetRoutines.TEST_UNWIND);
    if (parameters.i64(TargetRoutines.TEST_LOOKUP) != target.function("RtlLookupFunctionEntry")
        || unwind != target.function("RtlVirtualUnwind")) {
      return Optional.empty();
    }
    long area = parameters.i64(TargetRoutines.TEST_DATA) - AreaLayout.data(0);
    BytesBuilder answer =
        new BytesBuilder(TargetRoutines.TEST_SIZE)
            .bytes(parameters.array(0, TargetRoutines.TEST_SIZE));
    answer.setU64(TargetRoutines.TEST_STACK, STACK);
    answer.setU64(TargetRoutines.TEST_ENTRY, area + AreaLayout.TABLE);
    answer.setU64(TargetRoutines.TEST_BASE, area + AreaLayout.HEAD);
    answer.setU64(TargetRoutines.TEST_HANDLER, area + AreaLayout.TABLE);
    for (int i = 0; i < 2; i++) {
      int context = TargetRoutines.TEST_CONTEXT + i * TargetRoutines.TEST_CONTEXT_STEP;
      answer.setU64(context + TargetRoutines.CONTEXT_RIP, unwind);
      answer.setU64(context + TargetRoutines.CONTEXT_RSP, STACK + Long.BYTES);
      answer.setU64(TargetRoutines.TEST_ESTABLISHER + Long.BYTES * i, STACK - Long.BYTES);
    }
    return Optional.of(answer.toArray());
  }
}
