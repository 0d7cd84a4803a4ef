package io.ntrail.analysis.etw.stacks;

import io.ntrail.analysis.etw.recording.OrderedCursor;
import io.ntrail.analysis.naming.StackAddresses;
import io.ntrail.formats.etl.RecordCursor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The one stack of each event that a walk comes to, put together from all that it may be recorded
 * in: stack records of the kernel, extended items of the event, events after it. Counts without
 * frames come to the same: {@link StackJoin}, {@link DeferredStackJoin}. One thread at a time.
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
  private int thread;

  /**
   * Creates an assembler of stacks that were visited and settled.
   *
   * @param another makes a cursor that begins where the walk begins, and ends with the recording
   */
  public StackAssembler(StackRecords stacks, Supplier<OrderedCursor> another) {
    this(stacks, stacks.walk(), another);
  }

  /**
   * Creates an assembler of stacks that were visited and settled.
   *
   * @param walk goes along with the same walk
   * @param another makes a cursor that begins where the walk begins, and ends with the recording
   */
  public StackAssembler(
      StackRecords stacks, StackRecords.Walk walk, Supplier<OrderedCursor> another) {
    this.stacks = stacks;
    this.another = another;
    this.walk = walk;
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
   * Puts the stack of the current record together; the kernel's part is first, whichever came
   * first. Of the stacks of several threads it is that of the event's thread, else that of the
   * thread that logged the event, else the first. An event that brings the second half of another
   * event's stack has no stack itself. To be called at most once for a record.
   *
   * @param key time of the event, see {@link io.ntrail.analysis.etw.recording.EtwRecording#key}
   * @param ofThread thread that the event belongs to
   * @param frames receives the frames: none if nothing defines the key of the stack
   * @return whether the event has a stack
   */
  public boolean take(RecordCursor record, long key, int ofThread, StackAddresses frames) {
    frames.clear();
    thread = record.threadId();
    if (record.kind().isEvent()) {
      return takeOfProvider(record, key, frames);
    }
    if (!walk.found()) {
      return false;
    }
    int stack = choose(ofThread, thread);
    thread = walk.thread(stack);
    walk.copy(stack, frames);
    return true;
  }

  private int choose(int ofThread, int header) {
    int chosen = 0;
    for (int i = 0; i < walk.threads(); i++) {
      if (walk.thread(i) == ofThread) {
        return i;
      }
      if (walk.thread(i) == header) {
        chosen = i;
      }
    }
    return chosen;
  }

  /** Returns the thread whose stack was taken last: in its process the addresses are code. */
  public int thread() {
    return thread;
  }

  private boolean takeOfProvider(RecordCursor record, long key, StackAddresses frames) {
    boolean brings = own.copy(record, key, frames);
    boolean has = brings || record.hasExtendedItems() && record.hasStackItem();
    if (!anyLater) {
      return has;
    }
    DeferredStacks ahead = later;
    if (ahead == null) {
      ahead = new DeferredStacks(another.get(), stacks);
      later = ahead;
    }
    behind.clear();
    return switch (ahead.copy(number, record, brings, behind)) {
      case WHOLE -> has;
      case SECOND -> {
        frames.clear();
        yield false;
      }
      case FIRST -> {
        if (frames.count() > 0
            && stacks.isKernel(behind.address(0))
            && !stacks.isKernel(frames.address(0))) {
          behind.addAll(frames);
          frames.clear();
        }
        frames.addAll(behind);
        yield true;
      }
    };
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
