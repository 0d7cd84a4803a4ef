package io.ntrail.analysis.calls;

import io.ntrail.analysis.model.ArgumentMemory;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.ntr.EventChunk;
import io.ntrail.formats.ntr.EventKind;
import io.ntrail.formats.ntr.ThreadEventCursor;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The events of a thread of a {@code .ntr} file that calls are made of. Missing events, however
 * they were lost, are a record of their own before the next event.
 *
 * <p>A position is twice the number of an event in its thread, plus 1 after the record of what is
 * missing before that event.
 */
final class NtrCursor implements CallCursor {
  /** A bit for each kind of event that calls are made of. */
  private static final long OF_CALLS =
      1L << EventKind.ENTRY
          | 1L << EventKind.EXIT
          | 1L << EventKind.UNWIND
          | 1L << EventKind.UNWIND_TARGET
          | 1L << EventKind.LOST
          | 1L << EventKind.ENTRY_ONLY
          | 1L << EventKind.OVER
          | 1L << EventKind.LEFT_OUT;

  private final ThreadEventCursor events;
  private final List<EventChunk> chunks;
  private final NtrClock.Reader clock;
  private final Consumer<ThreadEventCursor> others;

  /** The event that the cursor of events stands on is still to be given. */
  private boolean held;

  /** True after the loss before that event was reported. */
  private boolean toldMissing;

  private boolean ended;
  private boolean isMissing;
  private long missing;
  private long position;

  /** Memory of the entry that the cursor stands on. */
  private ArgumentMemory memory = ArgumentMemory.NONE;

  /** There is memory of the entry that the cursor stands on, or of one to come. */
  private boolean hasMemory;

  /** Memory of the entry that is to come. */
  private final ArgumentMemory.Collector collected = new ArgumentMemory.Collector();

  /**
   * The events of a thread.
   *
   * @param others is given the events that calls are not made of, as they are passed
   */
  NtrCursor(
      ThreadEventCursor events,
      List<EventChunk> chunks,
      NtrClock.Reader clock,
      Consumer<ThreadEventCursor> others) {
    this.others = others;
    this.events = events;
    this.chunks = chunks;
    this.clock = clock;
  }

  @Override
  public boolean next() {
    while (held || !ended && step()) {
      if (!toldMissing && events.firstOfChunk()) {
        toldMissing = true;
        missing = events.missingBefore() + events.lostBefore();
        if (missing > 0) {
          isMissing = true;
          position = 2 * events.event() + 1;
          return true;
        }
      }
      held = false;
      isMissing = false;
      position = 2 * events.event() + 2;
      if (isOfCalls()) {
        if (hasMemory) {
          memory = collected.take(events.ticks(), events.key());
          hasMemory = memory != ArgumentMemory.NONE;
        }
        return true;
      }
      others.accept(events);
      if (events.kind() == EventKind.MEMORY) {
        collected.add(events.ticks(), events.key(), events.value(), values());
        hasMemory = true;
      }
    }
    if (!ended) {
      ended = true;
      missing = events.lostAtEnd();
      isMissing = true;
      position++;
      return missing > 0;
    }
    return false;
  }

  private long[] values() {
    long[] values = new long[events.valueCount()];
    for (int i = 0; i < values.length; i++) {
      values[i] = events.value(i);
    }
    return values;
  }

  @Override
  public ArgumentMemory memory() {
    return memory;
  }

  private boolean step() {
    held = events.next();
    toldMissing = false;
    return held;
  }

  private boolean isOfCalls() {
    int event = events.kind();
    return (event & -Long.SIZE) == 0 && (OF_CALLS >>> event & 1) != 0;
  }

  @Override
  public void seek(long to) {
    if (to == position && !ended) {
      // Pages follow each other: to go there anew would decode a part of the chunk again.
      return;
    }
    long event = to / 2;
    // The first chunk that has the event or begins with it: one without events has a loss.
    int first =
        Search.first(
            0,
            chunks.size(),
            i -> {
              EventChunk chunk = chunks.get(i);
              return chunk.firstEvent() >= event || chunk.firstEvent() + chunk.events() > event;
            });
    events.seek(first);
    ended = false;
    isMissing = false;
    position = to;
    while (step() && events.event() < event) {
      held = false;
    }
    toldMissing = to % 2 != 0 && held && events.event() == event;
    ended = !held && to % 2 != 0;
  }

  @Override
  public long position() {
    return position;
  }

  @Override
  public CallEventKind event() {
    if (isMissing) {
      return CallEventKind.LOST;
    }
    int kind = events.kind();
    if (kind == EventKind.ENTRY) {
      return CallEventKind.ENTRY;
    }
    if (kind == EventKind.EXIT) {
      return CallEventKind.EXIT;
    }
    return switch (kind) {
      case EventKind.ENTRY_ONLY -> CallEventKind.ENTRY_ONLY;
      case EventKind.UNWIND -> CallEventKind.UNWIND;
      case EventKind.UNWIND_TARGET -> CallEventKind.UNWIND_TARGET;
      case EventKind.OVER -> CallEventKind.OVER;
      case EventKind.LEFT_OUT -> CallEventKind.LEFT_OUT;
      default -> CallEventKind.LOST;
    };
  }

  @Override
  public long time() {
    return clock.time(events.ticks());
  }

  @Override
  public long function() {
    return events.function();
  }

  @Override
  public long value() {
    return isMissing ? missing : events.value();
  }

  @Override
  public int area() {
    return events.area();
  }

  @Override
  public int slot() {
    return events.slot();
  }

  @Override
  public long frameKey() {
    return events.key();
  }

  @Override
  public long stackPointer() {
    boolean isKnown = event() == CallEventKind.UNWIND_TARGET && events.valueCount() > 0;
    return isKnown ? events.value(0) : 0;
  }

  @Override
  public int argumentCount() {
    boolean isEntry =
        !isMissing && (events.kind() == EventKind.ENTRY || events.kind() == EventKind.ENTRY_ONLY);
    return isEntry ? events.valueCount() : 0;
  }

  @Override
  public long argument(int index) {
    return events.value(Objects.checkIndex(index, argumentCount()));
  }

  @Override
  public void close() {
    events.close();
  }
}
