package io.ntrail.formats.ntr;

import java.util.List;

/**
 * A thread of a recording.
 *
 * @param number its id in this file; 0 is none
 * @param process the number of its process
 * @param tid the system's id
 * @param began ticks, 0 if unknown
 * @param ended ticks, 0 if it did not end in the recording
 * @param name empty if it has none
 */
public record TracedThread(
    long number, long process, long tid, long began, long ended, String name) {
  /** A thread that runs. */
  public static TracedThread running(long number, long process, long tid, long began, String name) {
    return new TracedThread(number, process, tid, began, 0, name);
  }

  /**
   * A thread in the recording that this one is a part of (docs/ntr.md section 4).
   *
   * @param number its id in this file
   * @param firstTicks of its first event there
   * @param hasStacks true if its calls lie on several stacks there
   */
  public record Whole(long number, long firstTicks, boolean hasStacks) {}

  /**
   * Callers of one entry, from a copy of the stack at that moment (docs/ntr.md section 4). The
   * entry is the one of the thread with the same ticks and key.
   *
   * @param number its id in this file; 0 is none
   * @param process the number of the process
   * @param tid the system's id of the thread
   * @param ticks of the entry
   * @param key of the entry
   * @param end why there are no more frames
   * @param why the same in words; empty at the end of the stack
   * @param frames innermost first, beginning with the return address of the entry
   */
  public record Callers(
      long number,
      long process,
      long tid,
      long ticks,
      long key,
      int end,
      String why,
      List<Frame> frames) {
    /** {@link #end}: the outermost function was reached. */
    public static final int WHOLE = 0;

    /** Copies the list. */
    public Callers {
      frames = List.copyOf(frames);
    }
  }

  /**
   * Frame of a caller.
   *
   * @param address return address, as it would be without tracing
   * @param trust how it was found: {@link #RETURN} and the following
   * @param offset bytes from the begin of the function, as unwind data have it; 0 = unknown
   */
  public record Frame(long address, int trust, long offset) {
    /** Return address of the entry itself. */
    public static final int RETURN = 0;

    /** Found by unwind data. */
    public static final int UNWIND = 1;

    /** Found in a trap frame. */
    public static final int TRAP = 2;

    /** Found by a frame pointer. */
    public static final int POINTER = 3;

    /** Found by scanning the stack: may be wrong. */
    public static final int SCAN = 4;
  }
}
