package io.ntrail.formats.ntr;

/**
 * Header of a recording: subject and clock (docs/ntr.md section 3).
 *
 * @param flags {@link #ONE_CLOCK}, {@link #KERNEL}; others inform only
 * @param ticksPerSecond 0 if unknown
 * @param began ticks at time 0
 * @param beganUtc the same moment, FILETIME; 0 if unknown
 * @param machine as in PE files; 0 if unknown
 * @param pointerBytes 4 or 8; 0 if unknown
 * @param clock {@link #TIME_STAMP_COUNTER}, {@link #PERFORMANCE_COUNTER}, or 0
 * @param writer the program that wrote the file
 */
public record NtrHeader(
    int flags,
    long ticksPerSecond,
    long began,
    long beganUtc,
    int machine,
    int pointerBytes,
    int clock,
    String writer) {
  /** The ticks of all threads are of one clock. */
  public static final int ONE_CLOCK = 1;

  /** A kernel was recorded. */
  public static final int KERNEL = 2;

  /** Values of exits mean nothing: it is not known what functions returned. */
  public static final int NO_VALUES = 1 << 16;

  /**
   * Slots and keys were made up from the depth of calls, and losses were not counted: entries and
   * exits belong together by their functions.
   */
  public static final int BY_FUNCTION = 1 << 17;

  /** The recording that this one is a part of was never finalised. */
  public static final int NEVER_FINALISED = 1 << 18;

  /** Ticks are those of the processor's time stamp counter. */
  public static final int TIME_STAMP_COUNTER = 1;

  /** Ticks are those of the performance counter. */
  public static final int PERFORMANCE_COUNTER = 2;

  /** Returns true if the order of events of different threads can be trusted. */
  public boolean oneClock() {
    return (flags & ONE_CLOCK) != 0;
  }

  /** Returns true if the values of exits are what functions returned. */
  public boolean hasValues() {
    return (flags & NO_VALUES) == 0;
  }

  /** Returns true if entries and exits belong together by their functions alone. */
  public boolean isByFunction() {
    return (flags & BY_FUNCTION) != 0;
  }

  /** Returns true if the recording that this one is a part of was never finalised. */
  public boolean isNeverFinalised() {
    return (flags & NEVER_FINALISED) != 0;
  }

  /** Returns true if a kernel was recorded. */
  public boolean kernel() {
    return (flags & KERNEL) != 0;
  }
}
