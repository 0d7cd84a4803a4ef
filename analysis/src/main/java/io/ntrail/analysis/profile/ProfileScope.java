package io.ntrail.analysis.profile;

import io.ntrail.analysis.events.EventType;
import io.ntrail.analysis.events.Pattern;
import io.ntrail.analysis.machine.Machine;
import io.ntrail.analysis.machine.ProcessLife;
import io.ntrail.formats.etl.RecordCursor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which part of a recording a profile is about.
 *
 * @param processes names or ids; all if empty
 * @param threads ids; all if empty
 * @param events names; all if empty
 * @param fromNanos the first time
 * @param toNanos the time before which it ends
 * @param mode whose code the innermost frame must be
 * @param idle whether what is idle counts like the rest
 */
public record ProfileScope(
    List<Pattern> processes,
    List<Pattern> threads,
    List<Pattern> events,
    long fromNanos,
    long toNanos,
    Mode mode,
    boolean idle) {
  /** Whose code it is that runs. */
  public enum Mode {
    ALL,
    KERNEL,
    USER
  }

  /** All of a recording. */
  public static final ProfileScope ALL =
      new ProfileScope(
          List.of(), List.of(), List.of(), Long.MIN_VALUE, Long.MAX_VALUE, Mode.ALL, false);

  boolean inRange(long nanos) {
    return nanos >= fromNanos && (nanos < toNanos || toNanos == Long.MAX_VALUE);
  }

  boolean hasProcess(Machine machine, int id, long key) {
    if (processes.isEmpty()) {
      return true;
    }
    if (id == RecordCursor.NO_ID) {
      return false;
    }
    ProcessLife life = machine.process(id, key);
    return isAny(processes, id, life == null ? null : life.image());
  }

  private static boolean isAny(List<Pattern> patterns, int id, @Nullable String name) {
    String number = Integer.toUnsignedString(id);
    for (Pattern pattern : patterns) {
      if (pattern.matches(number) || name != null && pattern.meansProgram(name)) {
        return true;
      }
    }
    return false;
  }

  boolean hasThread(int id) {
    return threads.isEmpty() || id != RecordCursor.NO_ID && isAny(threads, id, null);
  }

  boolean hasEvent(EventType type) {
    for (Pattern pattern : events) {
      if (type.isMeantBy(pattern)) {
        return true;
      }
    }
    return events.isEmpty();
  }
}
