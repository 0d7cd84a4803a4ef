package io.ntrail.live.target;

import org.jspecify.annotations.Nullable;

/**
 * Thread of a running program.
 *
 * @param tid the system's id
 * @param created when it began, FILETIME; with the id it says which thread it is, since ids are
 *     used again
 */
public record TargetThread(int tid, long created) {
  // The methods that the JVM makes for a record take several milliseconds at their first call.
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof TargetThread its && tid == its.tid && created == its.created;
  }

  @Override
  public int hashCode() {
    return tid * 31 + Long.hashCode(created);
  }
}
