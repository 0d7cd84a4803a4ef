package io.ntrail.analysis.etw.stacks;

/**
 * One word about an event and the stack record behind it in the same buffer: how much later that
 * was written (15 bits), the event's offset (16 bits, in words of 8 bytes), hook id (16), version
 * (8), and the amount that its reader wants to know (8). Not negative, so that other words can be
 * told from it.
 */
final class NotedEvent {
  private static final int LATER_SHIFT = 48;
  private static final int OFFSET_SHIFT = 32;
  private static final int HOOK_SHIFT = 16;
  private static final int VERSION_SHIFT = 8;
  private static final long MOST_LATER = (1 << 15) - 1;
  private static final int MOST_OFFSET = (1 << 16) - 1;
  private static final int MOST_SMALL = (1 << 8) - 1;

  private NotedEvent() {}

  /**
   * Returns the word, or {@link #unknown} if not all fits into it. Without a branch: code that was
   * compiled before it was taken would be thrown away.
   */
  static long of(long later, int offset, int hook, int version, int amount) {
    long event =
        later << LATER_SHIFT
            | (long) (offset >>> 3) << OFFSET_SHIFT
            | (long) hook << HOOK_SHIFT
            | (long) version << VERSION_SHIFT
            | amount;
    long tooMuch = later & ~MOST_LATER | offset & ~(MOST_OFFSET << 3) | version & ~MOST_SMALL;
    long isTooMuch = (tooMuch | -tooMuch) >> 63;
    return event & ~isTooMuch | unknown(later) & isTooMuch;
  }

  /** Returns the word about a stack record whose event is not known. */
  static long unknown(long later) {
    return Long.MIN_VALUE | later & 0xFFFF_FFFFL;
  }

  static long later(long event) {
    return event >>> LATER_SHIFT;
  }

  static int offset(long event) {
    return (int) (event >>> OFFSET_SHIFT & MOST_OFFSET) << 3;
  }

  static int hook(long event) {
    return (int) (event >>> HOOK_SHIFT) & 0xFFFF;
  }

  static int version(long event) {
    return (int) event >>> VERSION_SHIFT & MOST_SMALL;
  }

  static int amount(long event) {
    return (int) event & MOST_SMALL;
  }
}
