package io.ntrail.live.trace;

/**
 * Times for which threads waited until the libraries that they loaded were patched.
 *
 * @param count number of loaded libraries
 * @param ticks of all together
 * @param longestTicks of the one that took longest
 * @param longest name of that library; empty if there was none
 */
public record LoadHolds(int count, long ticks, long longestTicks, String longest) {
  /** No library was loaded. */
  public static final LoadHolds NONE = new LoadHolds(0, 0, 0, "");

  /** Returns these and a further one. */
  LoadHolds and(String library, long more) {
    return more > longestTicks
        ? new LoadHolds(count + 1, ticks + more, more, library)
        : new LoadHolds(count + 1, ticks + more, longestTicks, longest);
  }
}
