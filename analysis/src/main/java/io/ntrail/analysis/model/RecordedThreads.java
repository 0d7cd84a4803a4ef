package io.ntrail.analysis.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A recording that names its threads. */
public interface RecordedThreads {
  /** A thread. */
  interface RecordedThread {
    /** Id of its process; 0 if that is unknown. */
    long pid();

    /** Id of the thread. */
    long tid();

    /** File name of the process's image; null if that is unknown. */
    @Nullable String process();

    /** Name of the thread; null if it has none. */
    @Nullable String name();
  }

  /** Returns the threads, in the order in which they first occur. */
  List<? extends RecordedThread> threads();
}
