package io.ntrail.live.code.ia32;

/**
 * Addresses of the routines of a session, at the beginning of the code of its runtime block: stubs
 * and slots jump and call through them, so that their code is the same wherever they lie.
 *
 * @param block address of the runtime block
 */
record RuntimeCells(long block) {
  /** Bytes of all cells. */
  static final int BYTES = 64;

  private static final int SLOW = 0;
  private static final int OVERFLOW = 4;
  private static final int INIT = 8;
  private static final int FULL = 12;
  private static final int ENTRY_ONLY = 16;
  private static final int COUNT = 20;
  private static final int STACK_ARGUMENTS = 24;
  private static final int ENTER_TOTALS = 28;
  private static final int LEAVE_TOTALS = 32;
  private static final int SAMPLING = 36;

  private long cell(int at) {
    return block + AreaLayout32.CODE + at;
  }

  /** Slow path of slots. */
  long slow() {
    return cell(SLOW);
  }

  /** Stacks without a free slot, and slots on another stack. */
  long overflow() {
    return cell(OVERFLOW);
  }

  /** Unknown threads. */
  long init() {
    return cell(INIT);
  }

  /** The end of a chunk or of a spill. */
  long full() {
    return cell(FULL);
  }

  /** Functions whose entries alone are recorded. */
  long entryOnly() {
    return cell(ENTRY_ONLY);
  }

  /** Calls that stubs count, of threads without a table. */
  long count() {
    return cell(COUNT);
  }

  /** Records the arguments ({@link ArgumentRoutine}, {@link CopyRoutine32}). */
  long stackArguments() {
    return cell(STACK_ARGUMENTS);
  }

  /** Entries of calls that are added up. */
  long enterTotals() {
    return cell(ENTER_TOTALS);
  }

  /** Exits of calls that are added up. */
  long leaveTotals() {
    return cell(LEAVE_TOTALS);
  }

  /** Copies stacks ({@link StackSampling32}). */
  long sampling() {
    return cell(SAMPLING);
  }
}
