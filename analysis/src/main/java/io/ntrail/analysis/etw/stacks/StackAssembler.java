package io.ntrail.analysis.etw.stacks;

import io.ntrail.analysis.etw.recording.OrderedCursor;
import io.ntrail.analysis.naming.StackAddresses;
import io.ntrail.formats.etl.RecordCursor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The stacks of the events that a walk comes to, put together from all that they may be recorded
 * in: stack records of the kernel, extended items of the event, events after it. One thread at a
 * time.
 */
public final class StackAssembler implements AutoCloseable {
  private final StackRecords stacks;
  private final Supplier<OrderedCursor> another;
  private final StackRecords.Walk walk;
  private final ProviderStacks own;
  private final StackAddresses behind = new StackAddresses();
  private final boolean anyLater;
  private @Nullable DeferredStacks later;
  private long number = -1;

  /**
   * Creates an assembler of stacks that were visited and settled.
   *
   * @param another makes a cursor that begins where the walk begins, and ends with the recording
   */
  public StackAssembler(StackRecords stacks, Supplier<OrderedCursor> another) {
    this.stacks = stacks;
    this.another = another;
    this.walk = stacks.walk();
    this.own = new ProviderStacks(stacks);
    this.anyLater = stacks.carriers().any();
  }

  /** Goes to the cursor's next record; all must come. */
  public void moveTo(OrderedCursor cursor) {
    number++;
    walk.moveTo(cursor);
  }

  /** The stack records of the current record. */
  public StackRecords.Walk records() {
    return walk;
  }

  /**
   * Puts the frames that stack records gave an event together with those that it brings along and
   * those that come after it; the kernel's part is first, whichever came first. An event that
   * brings the second half of another event's stack has no stack itself.
   *
   * @param key time of the event, see {@link io.ntrail.analysis.etw.recording.EtwRecording#key}
   */
  public void complete(RecordCursor record, long key, StackAddresses frames) {
    if (!record.kind().isEvent()) {
      return;
    }
    boolean brings = own.copy(record, key, frames);
    if (!anyLater) {
      return;
    }
    DeferredStacks ahead = later;
    if (ahead == null) {
      ahead = new DeferredStacks(another.get(), stacks);
      later = ahead;
    }
    behind.clear();
    switch (ahead.copy(number, record, brings, behind)) {
      case WHOLE -> {
        // Nothing follows.
      }
      case SECOND -> frames.clear();
      case FIRST -> {
        if (frames.count() > 0
            && stacks.isKernel(behind.address(0))
            && !stacks.isKernel(frames.address(0))) {
          behind.addAll(frames);
          frames.clear();
        }
        frames.addAll(behind);
      }
    }
  }

  /** Events that were given a stack, or half of it, from an event after them. */
  public long joined() {
    DeferredStacks ahead = later;
    return ahead == null ? 0 : ahead.joined();
  }

  /**
   * Events whose stack was not searched for to the end after them, as the memory limit was reached.
   */
  public long givenUp() {
    DeferredStacks ahead = later;
    return ahead == null ? 0 : ahead.givenUp();
  }

  @Override
  public void close() {
    DeferredStacks ahead = later;
    if (ahead != null) {
      ahead.close();
    }
  }
}
