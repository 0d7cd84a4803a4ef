package io.ntrail.analysis.naming;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Processes of a recording by their ids, which are used again. */
public interface ProcessNames {
  /** Id of a process or a thread of which nothing is known. */
  int NO_ID = -1;

  /**
   * Returns which of the processes an id meant at a time: a number of its own, also if the id was
   * used again; -1 if not recorded.
   */
  int processNumber(int id, long key);

  /**
   * Returns the name of a process's image; null if unknown.
   *
   * @param number of the process, from {@link #processNumber}
   * @param id its id
   */
  @Nullable String processName(int number, int id);

  /** Returns the name that a thread had at a time; null if none is recorded. */
  default @Nullable String threadName(int thread, long key) {
    return null;
  }

  /** Returns the names of the images of all processes that the recording tells of. */
  Set<String> processNames();
}
