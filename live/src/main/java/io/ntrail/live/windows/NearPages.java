package io.ntrail.live.windows;

import io.ntrail.live.agent.AgentCall;
import io.ntrail.live.agent.CallOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;

/** Memory of a target near other memory. */
final class NearPages {
  private static final String ALLOCATE = "kernel32!VirtualAllocEx";
  private static final String FREE = "kernel32!VirtualFreeEx";
  private static final long REACH = 0x7000_0000L;
  private static final int FIRST_STEP = 0x100_0000;
  private static final int NEXT_STEP = 0x80_0000;

  /** Number of places that are tried at once. */
  private static final int PLACES = 6;

  /** No program of 32 bits has memory from here on. */
  private static final long END_32 = 0xFFFF_0000L;

  private NearPages() {}

  /**
   * Allocates pages within reach of 32-bit displacements from and to every byte of a range.
   *
   * @param isWanted whether an address is wanted at all
   * @return 0 if there are none
   */
  static long allocate(
      WindowsApi calls,
      long process,
      long begin,
      long end,
      long size,
      int protection,
      LongPredicate isWanted) {
    long rounded = size + TargetMemory.GRANULE - 1 & -TargetMemory.GRANULE;
    List<Long> all = new ArrayList<>();
    // Far apart first: what is in the way is often large.
    for (long step = FIRST_STEP; step < REACH; step *= 2) {
      all.add(begin - step & -TargetMemory.GRANULE);
      all.add(end + step & -TargetMemory.GRANULE);
    }
    for (long step = FIRST_STEP + NEXT_STEP; step < REACH; step += NEXT_STEP) {
      all.add(begin - step & -TargetMemory.GRANULE);
      all.add(end + step & -TargetMemory.GRANULE);
    }
    long last = calls.layout().pointerBytes() == Long.BYTES ? Long.MAX_VALUE : END_32;
    long[] places =
        all.stream()
            .filter(at ->
                at > TargetMemory.GRANULE
                    && at < last - rounded
                    && end - at < REACH
                    && at + rounded - begin < REACH)
            .mapToLong(at -> at)
            .filter(isWanted)
            .toArray();
    // Nearly always the first place is free; each call has to be carried out by a thread of the
    // target.
    long first =
        places.length == 0
            ? 0
            : calls
                .call(
                    ALLOCATE,
                    process,
                    places[0],
                    rounded,
                    TargetMemory.RESERVE | TargetMemory.COMMIT,
                    protection)
                .result();
    if (first != 0) {
      return first;
    }
    for (int done = 1; done < places.length; done += PLACES) {
      long at =
          reserveFirst(
              calls, process, places, done, Math.min(places.length, done + PLACES), rounded);
      if (at != 0) {
        boolean isCommitted =
            calls.call(ALLOCATE, process, at, rounded, TargetMemory.COMMIT, protection).result()
                != 0;
        if (!isCommitted) {
          calls.call(FREE, process, at, 0, TargetMemory.RELEASE);
        }
        return isCommitted ? at : 0;
      }
    }
    return 0;
  }

  /**
   * Reserves the first of some places that is free: all are tried at once, and the others released.
   *
   * @return 0 if none is
   */
  private static long reserveFirst(
      WindowsApi calls, long process, long[] places, int from, int to, long size) {
    List<AgentCall> reserving = new ArrayList<>();
    for (int i = from; i < to; i++) {
      reserving.add(
          calls.prepare(
              ALLOCATE, process, places[i], size, TargetMemory.RESERVE, TargetMemory.READ_WRITE));
    }
    long first = 0;
    List<AgentCall> releasing = new ArrayList<>();
    for (CallOutcome outcome : calls.call(reserving)) {
      long at = outcome.kind() == CallOutcome.Kind.DONE ? outcome.result() : 0;
      if (at != 0 && first != 0) {
        releasing.add(calls.prepare(FREE, process, at, 0, TargetMemory.RELEASE));
      } else if (at != 0) {
        first = at;
      }
    }
    calls.call(releasing);
    return first;
  }
}
