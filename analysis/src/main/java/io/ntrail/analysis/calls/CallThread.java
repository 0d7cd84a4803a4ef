package io.ntrail.analysis.calls;

import io.ntrail.analysis.calls.CallSource.CallingProcess;
import io.ntrail.analysis.model.RecordedThreads;
import io.ntrail.formats.ntr.NtrFile;
import io.ntrail.formats.ntr.TracedThread;
import java.util.Optional;
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
    implements RecordedThreads.RecordedThread {
  /** Returns the thread that has a number in a file. */
  static CallThread of(NtrFile file, long number, long firstTime) {
    TracedThread thread = file.threads().get(number);
    Optional<CallingProcess> process =
        Optional.ofNullable(thread)
            .map(its -> file.processes().get(its.process()))
            .map(CallingProcess::of);
    return new CallThread(
        process.map(CallingProcess::pid).orElse(0L),
        thread == null ? number : thread.tid(),
        process.map(CallingProcess::name).orElse(null),
        thread == null || thread.name().isEmpty() ? null : thread.name(),
        file.events(number),
        firstTime);
  }
}
