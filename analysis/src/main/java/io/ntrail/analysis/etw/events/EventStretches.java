package io.ntrail.analysis.etw.events;

import io.ntrail.analysis.etw.machine.LastSwitches;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.OrderedCursor;
import io.ntrail.analysis.etw.recording.ReadingState;
import io.ntrail.analysis.etw.recording.Stretches;
import io.ntrail.analysis.etw.stacks.StackRecords;
import io.ntrail.analysis.parallel.OrderedTasks;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The events that a filter lets through in a range of time, gone over by several threads in
 * stretches of time. What is found in the stretches is taken in the order of time, so that the
 * answer is that of one thread.
 *
 * @param events those of one thread, unless {@link #learned} was learned for more
 * @param filter learns which of its terms fitted nothing, and what it could not decide about
 * @param fromNanos the first time
 * @param toNanos the time before which it ends
 * @param stretchBytes bytes of a stretch at least
 */
public record EventStretches(
    Events events, EventFilter filter, long fromNanos, long toNanos, long stretchBytes) {
  /** Bytes of a stretch at least: each opens the buffers again that it shares with others. */
  private static final long STRETCH_BYTES = 4 * Stretches.LEAST;

  /**
   * Findings of one stretch; used by one thread at a time.
   *
   * @see #run
   */
  public interface Part {
    /**
     * Adds the next event.
     *
     * @param hasStack whether the event has a stack; false if stacks were not asked for
     */
    void add(EventReader event, boolean hasStack);
  }

  /** Findings of a stretch, with the filter that learned there. */
  private record Found<P>(long from, P part, EventFilter filter) {}

  /** Events in stretches of the usual length. */
  public EventStretches(Events events, EventFilter filter, long fromNanos, long toNanos) {
    this(events, filter, fromNanos, toNanos, STRETCH_BYTES);
  }

  /**
   * Returns what a survey must learn so that as many threads can go over the events as there are
   * cores.
   *
   * @param cores number of threads
   */
  public static Events.Learn[] learned(EtwRecording recording, int cores) {
    return cores > 1 && recording.size() > STRETCH_BYTES
        ? new Events.Learn[] {Events.Learn.SWITCHES}
        : new Events.Learn[0];
  }

  /**
   * Goes over the events.
   *
   * @param withStacks whether parts are told which events have stacks: {@link #canFindStacks} must
   *     be true
   * @param threadBytes memory of the heap for each thread
   * @param parts makes a part for each stretch
   * @param taker takes the parts in the order of time; where reading was stopped, those before that
   *     time
   */
  public <P extends Part> void run(
      boolean withStacks, long threadBytes, Supplier<P> parts, Consumer<P> taker) {
    EtwRecording recording = events.recording();
    ReadingState reading = recording.reading();
    Stretches stretches = stretches(withStacks);
    int threads = threads(stretches, threadBytes);
    filter.begin();
    reading.begin(ReadingState.Pass.IN_ORDER, stretches.count());
    OrderedTasks.run(
        threads,
        stretches.count(),
        threads + 1,
        () -> new Walker<>(stretches, withStacks, parts),
        found -> {
          // Where reading was stopped, all that is found ends: others may have been further.
          if (recording.isRead(found.from)) {
            filter.addSeen(found.filter);
            taker.accept(found.part);
          }
          reading.done(1);
        });
    filter.finished();
  }

  private int threads(Stretches stretches, long threadBytes) {
    boolean isRoom = Runtime.getRuntime().maxMemory() >= 2 * threadBytes;
    return isRoom && events.switches() != null ? stretches.threads(events.cores(), threadBytes) : 0;
  }

  private Stretches stretches(boolean withStacks) {
    Stretches even = Stretches.of(events.recording(), events.cores(), stretchBytes);
    StackRecords stacks = events.stacks();
    return withStacks && stacks != null ? even.beginningAt(stacks.stretches()) : even;
  }

  /** Returns true if the stack of each event can be found without what is before a stretch. */
  static boolean canFindStacks(Events events) {
    StackRecords stacks = events.stacks();
    return stacks != null && stacks.isFoundAnywhere();
  }

  private static boolean canBeginAnywhere(Events events) {
    return events.switches() != null || !events.machine().contextSwitches();
  }

  private boolean isWhole() {
    return fromNanos == Long.MIN_VALUE && toNanos == Long.MAX_VALUE;
  }

  private boolean contains(long nanos) {
    return nanos >= fromNanos && (nanos < toNanos || toNanos == Long.MAX_VALUE);
  }

  /** Goes over stretch after stretch, for one of several threads. */
  private final class Walker<P extends Part> implements OrderedTasks.Worker<Found<P>> {
    private final Stretches stretches;
    private final Supplier<P> parts;
    private final Walk stretch;

    Walker(Stretches stretches, boolean withStacks, Supplier<P> parts) {
      this.stretches = stretches;
      this.parts = parts;
      this.stretch = new Walk(events, withStacks);
    }

    @Override
    public Found<P> result(int task) {
      EventFilter its = filter.copy();
      P part = parts.get();
      Found<P> found = new Found<>(stretches.from(task), part, its);
      if (isOutside(task)) {
        return found;
      }
      boolean isWhole = isWhole();
      boolean passesAll = its.passesAll();
      stretch.begin(stretches.from(task), stretches.to(task));
      EventReader event = stretch.event();
      while (stretch.next()) {
        if ((isWhole || contains(event.nanos())) && (passesAll || its.passes(event))) {
          part.add(event, stretch.hasStack());
        }
      }
      return found;
    }

    private boolean isOutside(int task) {
      EtwRecording recording = events.recording();
      boolean isAfter =
          task > 0
              && toNanos < Long.MAX_VALUE
              && recording.nanosOf(stretches.from(task)) >= toNanos;
      return isAfter
          || canBeginAnywhere(events)
              && task + 1 < stretches.count()
              && recording.nanosOf(stretches.to(task)) < fromNanos;
    }

    @Override
    public void close() {
      stretch.close();
    }
  }

  /** The events of one stretch of time after another, for one of several threads. */
  public static final class Walk implements AutoCloseable {
    private final Events events;
    private final EventReader event;

    /** The stack records; null if stacks are not wanted. */
    private final @Nullable StackRecords stacks;

    private @Nullable OrderedCursor cursor;
    private @Nullable StackReader stackReader;

    /** Key before which all records were passed. */
    private long reached = Long.MIN_VALUE;

    private long end = Long.MIN_VALUE;

    Walk(Events events, boolean withStacks) {
      this.events = events;
      this.event = events.newReader();
      this.stacks = withStacks ? events.stacks() : null;
    }

    /**
     * Goes to a stretch.
     *
     * @param from key of its first time ({@link EtwRecording#key})
     * @param to key before which it ends; {@link Long#MAX_VALUE} for the end of the recording
     */
    public void begin(long from, long to) {
      close();
      boolean isNext = from == reached;
      if (!isNext) {
        startAt(from);
      }
      if (stacks != null && (!isNext || stackReader == null)) {
        stackReader = reader(stacks);
      }
      end = to;
      cursor = events.recording().stretch(from, to);
    }

    private void startAt(long from) {
      LastSwitches switches = events.switches();
      if (switches != null) {
        event.startAt(from, switches);
      } else if (!canBeginAnywhere(events)) {
        throw new IllegalStateException("a stretch on its own without switches");
      }
    }

    private StackReader reader(StackRecords records) {
      return new StackReader(
          records,
          new StackNames(events.recording(), events.machine(), null),
          () -> {
            throw new IllegalStateException("stacks in later events");
          });
    }

    /** Goes to the next event; false after the last one. */
    public boolean next() {
      OrderedCursor current = cursor;
      if (current == null || !current.next()) {
        reached = end;
        return false;
      }
      if (stackReader != null) {
        stackReader.moveTo(current);
      }
      event.moveTo(current.record(), current.fileNumber());
      return true;
    }

    /** Returns true if the event after the current one has the same time. */
    public boolean isNextAtSameTime() {
      return cursor != null && cursor.isNextAtSameTime();
    }

    /** The current event. */
    public EventReader event() {
      return event;
    }

    /** Returns true if the current event has a stack, and stacks are wanted. */
    boolean hasStack() {
      return stackReader != null && stackReader.has(event);
    }

    @Override
    public void close() {
      OrderedCursor current = cursor;
      if (current != null) {
        current.close();
        cursor = null;
      }
    }
  }
}
