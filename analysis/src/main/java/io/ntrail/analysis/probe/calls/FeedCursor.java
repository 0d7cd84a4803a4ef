package io.ntrail.analysis.probe.calls;

import io.ntrail.analysis.calls.CallCursor;
import io.ntrail.analysis.calls.CallEventKind;
import io.ntrail.analysis.model.ArgumentMemory;
import io.ntrail.formats.ntr.EventKind;
import java.util.Objects;

/** Records of a thread that is being recorded, each of them once. */
abstract class FeedCursor implements CallCursor {
  final FeedThread thread;

  /** Memory of the entry that the cursor stands on. */
  private ArgumentMemory memory = ArgumentMemory.NONE;

  /** Memory of the entry that is to come. */
  private final ArgumentMemory.Collector collected = new ArgumentMemory.Collector();

  FeedCursor(FeedThread thread) {
    this.thread = thread;
  }

  /**
   * Looks at a record; returns true if it is one of calls, and not what belongs to the next one.
   */
  final boolean isOfCalls() {
    if (thread.kind() == EventKind.MEMORY) {
      long[] values = new long[thread.count()];
      for (int i = 0; i < values.length; i++) {
        values[i] = thread.more(i);
      }
      collected.add(thread.ticks(), thread.key(), thread.value(), values);
      return false;
    }
    memory = collected.take(thread.ticks(), thread.key());
    return true;
  }

  @Override
  public ArgumentMemory memory() {
    return memory;
  }

  @Override
  public void seek(long position) {
    throw new UnsupportedOperationException("a record is given once");
  }

  @Override
  public long position() {
    throw new UnsupportedOperationException("a record is given once");
  }

  @Override
  public CallEventKind event() {
    return switch (thread.kind()) {
      case EventKind.ENTRY -> CallEventKind.ENTRY;
      case EventKind.ENTRY_ONLY -> CallEventKind.ENTRY_ONLY;
      case EventKind.EXIT -> CallEventKind.EXIT;
      case EventKind.UNWIND -> CallEventKind.UNWIND;
      case EventKind.UNWIND_TARGET -> CallEventKind.UNWIND_TARGET;
      case EventKind.OVER -> CallEventKind.OVER;
      default -> CallEventKind.LOST;
    };
  }

  @Override
  public long function() {
    return thread.function();
  }

  @Override
  public long value() {
    return thread.value();
  }

  @Override
  public int area() {
    return thread.area();
  }

  @Override
  public int slot() {
    return thread.slot();
  }

  @Override
  public long frameKey() {
    return thread.key();
  }

  @Override
  public long stackPointer() {
    boolean isKnown = thread.kind() == EventKind.UNWIND_TARGET && thread.count() > 0;
    return isKnown ? thread.more(0) : 0;
  }

  @Override
  public int argumentCount() {
    boolean isEntry = thread.kind() == EventKind.ENTRY || thread.kind() == EventKind.ENTRY_ONLY;
    return isEntry ? thread.count() : 0;
  }

  @Override
  public long argument(int index) {
    return thread.more(Objects.checkIndex(index, argumentCount()));
  }
}
