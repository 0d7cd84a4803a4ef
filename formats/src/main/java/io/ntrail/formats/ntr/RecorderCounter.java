package io.ntrail.formats.ntr;

import org.jspecify.annotations.Nullable;

/**
 * Counters of a recorder; totals since its start. The numbers are those of docs/ntr.md section 7.
 */
public enum RecorderCounter {
  // @formatter:off
  /** Functions that the user's patterns matched. */ FUNCTIONS_MATCHED(1),
  /** Functions that were traced. */ FUNCTIONS_TRACED(2),
  /** Functions that matched and could not be traced. */ FUNCTIONS_REFUSED(3),
  /** Threads seen. */ THREADS_SEEN(4),
  /** Threads that ended. */ THREADS_ENDED(5),
  /** Buffers of the recorder. */ BUFFERS(6),
  /** Buffers that were full at once, at most. */ BUFFERS_FULL_AT_MOST(7),
  /** Buffers written. */ BUFFERS_WRITTEN(8),
  /** Thread blocks free at the end. */ THREAD_BLOCKS_FREE(9),
  /** Thread blocks that could not be had. */ THREAD_BLOCKS_FAILED(10),
  /** Image records dropped. */ IMAGE_RECORDS_DROPPED(11),
  /** Failed writes. */ FAILED_WRITES(12),
  /** Events captured. */ EVENTS(13),
  /** Entries captured. */ ENTRIES(14),
  /** Exits captured. */ EXITS(15),
  /** Unwinds captured. */ UNWINDS(16),
  /** Calls open at the end. */ OPEN_AT_END(17),
  /** Events dropped, of all kinds. */ DROPPED(18),
  /** Entries dropped. */ ENTRIES_DROPPED(19),
  /** Exits dropped. */ EXITS_DROPPED(20),
  /** Unwinds dropped. */ UNWINDS_DROPPED(21),
  /** Re-entrant executions, not recorded. */ REENTRANT(22),
  /** Bytes written. */ BYTES_WRITTEN(23),
  /** Duration in ticks. */ DURATION_TICKS(24),
  /** Cost of the two records of a call, in picoseconds. */ PAIR_PICOSECONDS(25),
  /** The part of it that reading the clock takes, in picoseconds. */ CLOCK_PAIR_PICOSECONDS(26),
  /** Calls beyond the slots of a stack, not recorded. */ OVERFLOWS(27),
  /** Calls of threads without an area, not recorded. */ NO_AREA(28),
  /** Passes through the slow path. */ SLOW_PASSES(29),
  /** Thread teardowns. */ THREAD_TEARDOWNS(30),
  /** Buffers free at the end. */ BUFFERS_FREE(31),
  /** Passes while records were switched off. */ PASSES_WITHOUT_RECORD(32),
  /** Events that went with the oldest part of a ring. */ DISCARDED(33),
  /** Calls that were added up, not recorded. */ ADDED(34),
  /** Calls whose callers were recorded. */ CALLERS(35),
  /** Of them, those whose outermost callers are missing. */ CALLERS_INCOMPLETE(36),
  /** Calls whose callers were to be recorded and are not. */ CALLERS_MISSED(37),
  /** 1 if recording ended because the file had its largest size. */ SIZE_REACHED(38),
  /** Calls beyond the slots of a stack of which the entry alone was recorded. */ DEEP_ENTRIES(39),
  /** Calls on stacks without an area of which the entry alone was recorded. */ ENTRIES_WITHOUT_AREA(40);
  // @formatter:on

  private final int number;

  RecorderCounter(int number) {
    this.number = number;
  }

  /** Returns its number in a file. */
  public int number() {
    return number;
  }

  /** The counter of a number, or null where it is of a later version. */
  public static @Nullable RecorderCounter of(long number) {
    return number >= 1 && number <= values().length ? values()[(int) number - 1] : null;
  }
}
