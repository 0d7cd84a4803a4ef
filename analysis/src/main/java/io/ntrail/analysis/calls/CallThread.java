package io.ntrail.analysis.calls;

import io.ntrail.analysis.calls.CallSource.CallingProcess;
import io.ntrail.analysis.model.RecordedThreads;
import io.ntrail.formats.ntr.NtrFile;
import io.ntrail.formats.ntr.TracedThread;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A thread that was recorded.
 *
 * @param pid its process; {@link #NO_PROCESS} if the recording does not tell it
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
  /** Stands for the id of a process that is not known; 0 is the id of one. */
  public static final long NO_PROCESS = -1;

  /** Returns the id of its process; empty if unknown. */
  public OptionalLong knownPid() {
    return pid == NO_PROCESS ? OptionalLong.empty() : OptionalLong.of(pid);
  }

  /** Returns the thread that has a number in a file. */
  static CallThread of(NtrFile file, long number, long firstTime) {
    TracedThread thread = file.threads().get(number);
    Optional<CallingProcess> process =
        Optional.ofNullable(thread)
            .map(its -> file.processes().get(its.process()))
            .map(CallingProcess::of);
    return new CallThread(
        process.map(CallingProcess::pid).orElse(NO_PROCESS),
        thread == null ? number : thread.tid(),
        process.map(CallingProcess::name).orElse(null),
        thread == null || thread.name().isEmpty() ? null : thread.name(),
        file.events(number),
        firstTime);
  }
}
