package io.ntrail.formats.ntr;

import java.util.List;

/**
 * Calls of a function in a thread that were added up in the target, not recorded one by one
 * (docs/ntr.md section 4).
 *
 * @param number its id in this file; 0 is none
 * @param function the number of the function
 * @param thread the number of the thread; 0 = of several threads together
 * @param from ticks when the adding began
 * @param to ticks when the numbers were read
 * @param why {@link #ASKED}, {@link #THROTTLED}, or a later reason
 * @param calls how many there were
 * @param times their ends and times; {@link Times#NONE} if calls alone were counted
 */
public record CallTotals(
    long number, long function, long thread, long from, long to, int why, long calls, Times times) {
  /** The recording was to hold totals. */
  public static final int ASKED = 1;

  /** The function was called too often: since {@link #from} its calls were counted only. */
  public static final int THROTTLED = 2;

  /**
   * Ends and times of calls, in ticks. Shortest, longest and the histogram are of the calls that
   * ended by an exit or an unwind.
   *
   * @param measured whether there are any; else all is 0
   * @param entryOnly calls whose end is not seen
   * @param exits calls that returned
   * @param unwinds calls that an exception left
   * @param abandoned calls whose frame was found to be gone
   * @param total ticks of the calls that ended, each with what it called
   * @param self the same without traced calls inside
   * @param histogram number of calls by binary logarithm of their ticks: the first is of 0 and 1,
   *     the next of 2 and 3; at most 64
   */
  public record Times(
      boolean measured,
      long entryOnly,
      long exits,
      long unwinds,
      long abandoned,
      long total,
      long self,
      long shortest,
      long longest,
      List<Long> histogram) {
    /** No times. */
    public static final Times NONE = new Times(false, 0, 0, 0, 0, 0, 0, 0, 0, List.of());

    /** Copies the histogram. */
    public Times {
      histogram = List.copyOf(histogram);
      if (histogram.size() > NtrLayout.MAX_BUCKETS) {
        throw new IllegalArgumentException(histogram.size() + " places of a histogram");
      }
    }

    /** Returns how many calls ended by an exit or an unwind. */
    public long ended() {
      return exits + unwinds;
    }
  }
}
