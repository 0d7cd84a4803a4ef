package io.ntrail.analysis.calls;

/**
 * Numbers of records and calls.
 *
 * @param entries records of entries, those of {@code entryOnly} too
 * @param exits records of returns
 * @param unwinds records of exceptions that left a routine
 * @param open calls that had not ended when the recording did
 * @param entryOnly calls of routines of which only entries are recorded
 * @param lostExits calls whose end was inferred
 * @param lostEntries ends without a beginning
 * @param beyond calls that are not reported because too many were open
 * @param roots calls without a recorded caller, of those with an entry
 * @param deepest how many calls with an entry were inside each other at most
 */
public record CallCounts(
    long entries,
    long exits,
    long unwinds,
    long open,
    long entryOnly,
    long lostExits,
    long lostEntries,
    long beyond,
    long roots,
    int deepest) {
  /** Nothing. */
  public static final CallCounts NONE = new CallCounts(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  /** Returns the number of reported calls. */
  public long calls() {
    return entries - beyond + lostEntries;
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
        open + other.open,
        entryOnly + other.entryOnly,
        lostExits + other.lostExits,
        lostEntries + other.lostEntries,
        beyond + other.beyond,
        roots + other.roots,
        Math.max(deepest, other.deepest));
  }
}
