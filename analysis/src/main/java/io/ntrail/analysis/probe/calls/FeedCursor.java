package io.ntrail.analysis.probe.calls;

import io.ntrail.analysis.calls.CallCursor;
import io.ntrail.analysis.calls.CallEventKind;
import io.ntrail.formats.ntr.EventKind;
import java.util.Objects;

/** Records of a thread that is being recorded, each of them once. */
abstract class FeedCursor implements CallCursor {
  final FeedThread thread;

  FeedCursor(FeedThread thread) {
    this.thread = thread;
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
  public int argumentCount() {
    boolean isEntry = thread.kind() == EventKind.ENTRY || thread.kind() == EventKind.ENTRY_ONLY;
    return isEntry ? thread.count() : 0;
  }

  @Override
  public long argument(int index) {
    return thread.more(Objects.checkIndex(index, argumentCount()));
  }
}
