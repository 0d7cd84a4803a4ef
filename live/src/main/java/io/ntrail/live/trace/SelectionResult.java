package io.ntrail.live.trace;

/**
 * Result of a change of the selection while a program is traced.
 *
 * @param added functions that are traced from now on
 * @param removed functions no longer traced
 * @param matched functions that were not selected before
 * @param traced how many are traced now
 */
public record SelectionResult(int added, int removed, int matched, int traced) {
  SelectionResult plus(SelectionResult more) {
    return new SelectionResult(
        added + more.added, removed + more.removed, matched + more.matched, traced + more.traced);
  }
}
