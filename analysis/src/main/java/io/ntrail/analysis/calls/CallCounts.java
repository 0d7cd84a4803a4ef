package io.ntrail.analysis.calls;

import java.util.Arrays;

/**
 * Numbers of calls by how they ended. They balance: {@code entries = exits + unwinds + abandoned +
 * open + entryOnly}, since each call with a recorded entry has one end.
 *
 * @param entries calls whose entry is recorded
 * @param exits of them, those that returned
 * @param unwinds of them, those that an exception left
 * @param abandoned of them, those that are known to be over without a record of it
 * @param open of them, those that had not ended when the recording did
 * @param entryOnly of them, those of routines of which only entries are recorded
 * @param lostExits of the abandoned ones, those whose end was inferred
 * @param lostEntries returns and unwinds whose entry is missing: in none of the above
 * @param beyond entries of calls that are not reported because too many were open: in none of the
 *     above
 * @param roots calls without a recorded caller, of those with an entry
 * @param deepest how many calls with an entry were inside each other at most
 */
public record CallCounts(
    long entries,
    long exits,
    long unwinds,
    long abandoned,
    long open,
    long entryOnly,
    long lostExits,
    long lostEntries,
    long beyond,
    long roots,
    int deepest) {
  /** Numbers of the calls of a thread, counted as a {@link CallBuilder} finds them. */
  static final class Tally {
    private final long[] ends = new long[CallEnd.values().length];
    private long lostEntries;
    private long beyond;
    private long roots;
    private int deepest;

    /** Counts a call with an entry. */
    void opened(int depth) {
      deepest = Math.max(deepest, depth + 1);
      roots += depth == 0 ? 1 : 0;
    }

    /** Counts a call that is not reported because too many are open. */
    void openedBeyond() {
      beyond++;
    }

    /** Counts the end of a call with an entry. */
    void closed(CallEnd end) {
      ends[end.ordinal()]++;
    }

    /** Counts a call whose entry is missing. */
    void lostEntry() {
      lostEntries++;
    }

    CallCounts counts() {
      return CallCounts.of(ends, lostEntries, beyond, roots, deepest);
    }
  }

  /** Nothing. */
  public static final CallCounts NONE = new CallCounts(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  /**
   * Counts calls by their ends.
   *
   * @param ends number of calls with an entry, by the ordinal of their {@link CallEnd}
   */
  static CallCounts of(long[] ends, long lostEntries, long beyond, long roots, int deepest) {
    long inferred = ends[CallEnd.INFERRED.ordinal()];
    return new CallCounts(
        Arrays.stream(ends).sum(),
        ends[CallEnd.RETURN.ordinal()],
        ends[CallEnd.UNWIND.ordinal()],
        ends[CallEnd.LEFT.ordinal()] + ends[CallEnd.OVER.ordinal()] + inferred,
        ends[CallEnd.OPEN.ordinal()],
        ends[CallEnd.ENTRY_ONLY.ordinal()],
        inferred,
        lostEntries,
        beyond,
        roots,
        deepest);
  }

  /** Returns the number of reported calls. */
  public long calls() {
    return entries + lostEntries;
  }

  /** Returns the number of missing records that were made up for. */
  public long repaired() {
    return lostExits + lostEntries;
  }

  /** Both together. */
  public CallCounts plus(CallCounts other) {
    return new CallCounts(
        entries + other.entries,
        exits + other.exits,
        unwinds + other.unwinds,
        abandoned + other.abandoned,
        open + other.open,
        entryOnly + other.entryOnly,
        lostExits + other.lostExits,
        lostEntries + other.lostEntries,
        beyond + other.beyond,
        roots + other.roots,
        Math.max(deepest, other.deepest));
  }
}
