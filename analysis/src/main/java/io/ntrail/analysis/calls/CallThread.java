package io.ntrail.analysis.calls;

import io.ntrail.analysis.model.RecordedThreads;
import org.jspecify.annotations.Nullable;

/**
 * A thread that was recorded.
 *
 * @param pid its process
 * @param tid the thread
 * @param process name of the process; null if unknown
 * @param name of the thread; null if it has none
 * @param records how many it has
 * @param firstTime when the first was made, in the unit of the source's clock
 */
public record CallThread(
    long pid,
    long tid,
    @Nullable String process,
    @Nullable String name,
    long records,
    long firstTime)
    implements RecordedThreads.RecordedThread {}
