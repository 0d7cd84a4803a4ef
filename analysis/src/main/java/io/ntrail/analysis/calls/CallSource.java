package io.ntrail.analysis.calls;

import io.ntrail.analysis.model.CallerStack;
import io.ntrail.analysis.model.HeldTimes;
import io.ntrail.analysis.model.StoppableWork;
import io.ntrail.analysis.model.ThrottledFunction;
import io.ntrail.analysis.model.UntracedTime;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Omission;
import io.ntrail.formats.identity.WindowsPath;
import io.ntrail.formats.ntr.RecorderCounter;
import io.ntrail.formats.ntr.TracedFunction;
import io.ntrail.formats.ntr.TracedProcess;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A recording of entries and exits: what every kind of file has to give so that its calls can be
 * rebuilt. Immutable; may be read by several threads.
 */
public interface CallSource extends AutoCloseable {
  /** Records that are looked at before the next question whether to go on. */
  int CHECKED_AT_ONCE = 1 << 16;

  /** Ways to match entries with exits. */
  enum Matching {
    /** The routine alone: {@link RoutineMatching}. */
    ROUTINE,
    /** Stack, slot and place of the frame: {@link SlotMatching}. */
    SLOT
  }

  /**
   * Function that was traced in a process.
   *
   * @param process its id
   * @param function as {@link CallSource#function} knows it
   */
  record Traced(long process, long function) {}

  /** Times of the earliest and the latest record. */
  record Span(long first, long last) {}

  /**
   * Process that calls were recorded in.
   *
   * @param pid its id
   * @param name null if unknown
   */
  record CallingProcess(long pid, @Nullable String name) {
    static CallingProcess of(TracedProcess process) {
      String name = process.name();
      return new CallingProcess(process.pid(), name.isEmpty() ? null : WindowsPath.lastPart(name));
    }

    // Written out: what a record makes of itself at run time costs milliseconds at every start.
    @Override
    public boolean equals(Object other) {
      return other instanceof CallingProcess process
          && pid == process.pid
          && Objects.equals(name, process.name);
    }

    @Override
    public int hashCode() {
      return Long.hashCode(pid);
    }
  }

  /** Name for messages. */
  String name();

  /** Returns the kind of recording in words. */
  String kind();

  /** The format of the file by its extension: {@code ntr}, {@code jtrc}. */
  String format();

  /**
   * Returns true if the file shows that its writer never closed it, so that the end is unknown.
   * False for formats without a mark at their end.
   */
  default boolean neverFinalised() {
    return false;
  }

  /** Returns the counters of the recorder; empty for formats without. */
  default Map<RecorderCounter, Long> statistics() {
    return Map.of();
  }

  /** Bytes of the input. */
  long size();

  /** Returns the unit of its times. */
  CallClock clock();

  /** Returns the way in which its records are matched. */
  Matching matching();

  /** The threads, in the order of the source. */
  List<CallThread> threads();

  /** The records of a thread. */
  CallCursor cursor(int thread);

  /**
   * Looks through the records of a thread for damage, which is among the gaps then. Where the
   * format has checksums, these are all that is looked at.
   *
   * @param work is told of the records, and may stop it
   * @return false if it was stopped
   */
  default boolean check(int thread, StoppableWork<?> work) {
    try (CallCursor cursor = cursor(thread)) {
      long records = 0;
      while (cursor.next()) {
        if (++records % CHECKED_AT_ONCE == 0) {
          work.done(CHECKED_AT_ONCE);
          if (work.isStopping()) {
            return false;
          }
        }
      }
    }
    return true;
  }

  /** The images. */
  List<CallModule> modules();

  /** A routine that a record names. */
  CallFunction function(long function);

  /**
   * Returns how a recording defines a routine, with the places of the values of its entries; empty
   * if it does not.
   */
  default Optional<TracedFunction> definition(long function) {
    return Optional.empty();
  }

  /** Returns the bytes of a pointer of the program that a routine is one of: 4 or 8. */
  default int pointerBytes(long function) {
    return Long.BYTES;
  }

  /**
   * Returns the process of which a routine is one; empty if the format has routines without, or if
   * it is unknown.
   */
  default Optional<CallingProcess> process(long function) {
    return Optional.empty();
  }

  /**
   * Returns the functions that were traced, called or not, in the order in which they were defined;
   * empty for formats that know only those that were called.
   */
  default List<Traced> traced() {
    return List.of();
  }

  /**
   * Returns the time up to which calls were recorded at least; empty if the format does not say.
   */
  default OptionalLong end() {
    return OptionalLong.empty();
  }

  /** Returns time 0 in nanoseconds since 1970 in UTC; empty if unknown. */
  default OptionalLong begunAt() {
    return OptionalLong.empty();
  }

  /**
   * Returns the times between which the records lie; empty if there are none, or for formats that
   * have to be read for it.
   */
  default Optional<Span> span() {
    return Optional.empty();
  }

  /** Returns the number of records that the recorder counted as lost; empty if it did not count. */
  OptionalLong lost();

  /** Returns the number of calls that the recorder counted without a record of them. */
  default long unrecorded() {
    return 0;
  }

  /** Returns true if recording ended before the program because the file had its largest size. */
  default boolean isSizeReached() {
    return false;
  }

  /** Returns the number of lost records that are known to be of a thread. */
  default long lost(int thread) {
    return 0;
  }

  /**
   * Returns true if it is known that calls of a thread lie on more than one stack, whether such are
   * in the recording or were left out.
   */
  default boolean hasStacks(int thread) {
    return false;
  }

  /** Returns the number of lost records that are known to be of threads that are left out. */
  default long lostElsewhere() {
    return 0;
  }

  /**
   * Returns calls of a thread that were added up where they happened, by routine: there are no
   * records of them.
   */
  default List<FunctionTimes> totals(int thread) {
    return List.of();
  }

  /** Returns the functions whose calls were counted only from some time on. */
  default List<ThrottledFunction> throttled() {
    return List.of();
  }

  /** Returns true if it is known what functions returned. */
  default boolean hasReturnedValues() {
    return true;
  }

  /** Returns the number of records that were discarded because only the last ones were kept. */
  default long discarded() {
    return 0;
  }

  /** Returns the records that are left out, as the recording was cut out of another one. */
  default List<Omission> omissions() {
    return List.of();
  }

  /** Returns the times in which selected calls were not recorded; empty if the format has none. */
  default List<UntracedTime> untraced() {
    return List.of();
  }

  /** Returns the times in which the tracer held a thread's process. */
  default HeldTimes held(int thread) {
    return HeldTimes.NONE;
  }

  /** Returns whether callers of some calls were recorded. */
  default boolean hasCallers() {
    return false;
  }

  /**
   * Returns the callers of a call; empty if they were not recorded.
   *
   * @param entry time of its entry
   */
  default Optional<CallerStack> callers(int thread, long entry) {
    return Optional.empty();
  }

  /** Returns the module that contains an address in the process of a thread. */
  default Optional<CallModule> moduleAt(int thread, long address) {
    return Optional.empty();
  }

  /** Returns the name of the function that begins at an address, if it was recorded. */
  default Optional<String> nameAt(CallModule module, long rva) {
    return Optional.empty();
  }

  /** Returns the parts that could not be read so far. */
  List<Gap> gaps();

  @Override
  void close();
}
