package io.ntrail.analysis.dumps;

import io.ntrail.analysis.model.RecordedThreads.RecordedThread;
import io.ntrail.formats.dump.DumpThread;
import io.ntrail.formats.dump.streams.ThreadInfo;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A thread of a dump. Its registers and its stack are asked of a {@link DumpView}.
 *
 * @param thread as the dump lists it
 * @param owner its process
 * @param name its name; null if it has none
 * @param info its times and its start; empty if the dump does not have them
 * @param isFaulting true if the dump was written for an exception of this thread
 * @param isWriter true if this thread wrote the dump
 */
public record DumpedThread(
    DumpThread thread,
    Owner owner,
    @Nullable String name,
    Optional<ThreadInfo> info,
    boolean isFaulting,
    boolean isWriter)
    implements RecordedThread {
  /**
   * The process of a thread.
   *
   * @param pid its id; 0 if unknown
   * @param name file name of its image; null if unknown
   */
  public record Owner(long pid, @Nullable String name) {}

  @Override
  public long pid() {
    return owner.pid();
  }

  @Override
  public long tid() {
    return thread.id();
  }

  @Override
  public @Nullable String process() {
    return owner.name();
  }

  /** Returns the address of its environment block; 0 if unknown. */
  public long teb() {
    return thread.teb();
  }
}
