package io.ntrail.analysis.calls;

import org.jspecify.annotations.Nullable;

/**
 * Makes calls out of the records of a thread. What it finds goes to a {@link Sink}, a call when it
 * begins and when it ends.
 */
abstract sealed class CallBuilder permits RoutineMatching, SlotMatching {
  /** Receiver of calls. */
  interface Sink {
    /** A call began with an entry: the innermost one of the selected area. */
    void opened(OpenCalls.Call frame, CallCursor entry);

    /** An exception left a call that is told as ended later, when that shows. */
    default void left(OpenCalls.Call frame, CallCursor unwind) {
      // Most wait for the end.
    }

    /** An unwinder is about to leave a call; it may have been about to leave it before. */
    default void marked(OpenCalls.Call frame, CallCursor target) {
      // Most wait for the end.
    }

    /** The innermost call of the selected area ended; it is taken away after this. */
    void closed(OpenCalls.Call frame, long time, CallEnd end, long value);

    /** A call whose beginning is missing ended. */
    void ended(long function, long time, CallEnd end, long value);

    /** A call began, and there are too many open ones: it has no frame. */
    default void openedBeyond(CallCursor entry) {
      // Most count such calls only.
    }

    /** A call that has no frame since there were too many ended. */
    default void endedBeyond(CallCursor record, CallEnd end) {
      // As its beginning.
    }
  }

  final OpenCalls open;
  private final Sink sink;

  /** Losses that were seen. */
  private int losses;

  /** Calls that began when {@link OpenCalls} was full and have not ended. */
  private long beyond;

  CallBuilder(OpenCalls open, Sink sink) {
    this.open = open;
    this.sink = sink;
  }

  static CallBuilder of(CallSource.Matching matching, OpenCalls open, Sink sink) {
    return switch (matching) {
      case ROUTINE -> new RoutineMatching(open, sink);
      case SLOT -> new SlotMatching(open, sink);
    };
  }

  final void accept(CallCursor record) {
    CallEventKind event = record.event();
    // Most are one of these two, and a cursor tells them apart by a comparison, too.
    if (event == CallEventKind.ENTRY) {
      entry(record);
    } else if (event == CallEventKind.EXIT) {
      exit(record, CallEnd.RETURN);
    } else {
      rare(record, event);
    }
  }

  private void rare(CallCursor record, CallEventKind event) {
    switch (event) {
      case ENTRY -> entry(record);
      case ENTRY_ONLY -> entryOnly(record);
      case EXIT -> exit(record, CallEnd.RETURN);
      case UNWIND -> unwind(record);
      case UNWIND_TARGET -> unwindTarget(record);
      case OVER -> over(record);
      case LOST -> losses++;
      case LEFT_OUT -> leftOut(record);
    }
  }

  /** Adds a call without an end: its callees count as its caller's. */
  void entryOnly(CallCursor record) {
    if (roomForOne(record)) {
      close(opened(record), record.time(), CallEnd.ENTRY_ONLY, 0);
    } else {
      beyond--;
    }
  }

  private void leftOut(CallCursor record) {
    open.select(record.area());
    OpenCalls.Call frame = frameOf(record);
    if (frame != null) {
      frame.leftOut += record.value();
      boolean isItself = slot(frame) == record.slot();
      if (isItself && Long.compareUnsigned(frame.key, record.frameKey()) < 0) {
        // A tail call that is left out moved its frame.
        frame.key = record.frameKey();
      }
    }
  }

  /** Returns the innermost call of the selected area up to the slot of a record; null if none. */
  final OpenCalls.@Nullable Call frameOf(CallCursor record) {
    OpenCalls.Call frame = open.top();
    while (frame != null && slot(frame) > record.slot()) {
      frame = frame.below;
    }
    return frame;
  }

  /** Returns the slot of a call; without slots, its depth. */
  abstract int slot(OpenCalls.Call frame);

  abstract void entry(CallCursor record);

  abstract void exit(CallCursor record, CallEnd end);

  abstract void unwind(CallCursor record);

  /** Marks the calls that an unwinder is about to leave. */
  abstract void unwindTarget(CallCursor record);

  /** Ends the calls of a slot and above it. */
  abstract void over(CallCursor record);

  /** A frame came back from the index, or was opened. */
  abstract void pushed(OpenCalls.Call frame);

  /** A frame is about to be taken away. */
  abstract void popping(OpenCalls.Call frame);

  /** Tells that an exception left a call. */
  final void leaving(OpenCalls.Call frame, CallCursor unwind) {
    sink.left(frame, unwind);
  }

  /** Tells that an unwinder is about to leave a call. */
  final void marking(OpenCalls.Call frame, CallCursor target) {
    sink.marked(frame, target);
  }

  final int losses() {
    return losses;
  }

  final long beyond() {
    return beyond;
  }

  /** Goes back to how it was at the start of a page, but for the open calls. */
  void restore(int lossesThen, long beyondThen) {
    losses = lossesThen;
    beyond = beyondThen;
  }

  /** Returns true if there is room for a call; without, the call is not reported. */
  final boolean roomForOne(CallCursor entry) {
    if (open.isFull()) {
      beyond++;
      sink.openedBeyond(entry);
      return false;
    }
    return true;
  }

  /** Returns true if the end of a call belongs to one that is not reported. */
  final boolean endsBeyond(CallCursor record, CallEnd end) {
    if (beyond > 0) {
      beyond--;
      sink.endedBeyond(record, end);
      return true;
    }
    return false;
  }

  final OpenCalls.Call opened(CallCursor record) {
    OpenCalls.Call frame = open.push(record.function(), record.time());
    frame.losses = losses;
    pushed(frame);
    sink.opened(frame, record);
    return frame;
  }

  /** Ends the innermost call of the selected area. */
  final void close(OpenCalls.Call frame, long time, CallEnd end, long value) {
    sink.closed(frame, time, end, value);
    popping(frame);
    open.pop(frame);
  }

  /** Ends the innermost call of the selected area; its end was not recorded. */
  final void abandon(OpenCalls.Call frame, long time) {
    if (frame.left) {
      CallEnd how = frame.unwound ? CallEnd.UNWIND : CallEnd.LEFT;
      close(frame, frame.leftTime, how, frame.leftCode);
    } else if (frame.marked) {
      close(frame, frame.leftTime, CallEnd.UNWIND, frame.leftCode);
    } else {
      close(frame, time, CallEnd.INFERRED, 0);
    }
  }

  final void withoutEntry(CallCursor record, CallEnd end) {
    sink.ended(record.function(), record.time(), end, record.value());
    open.countChild();
  }

  /**
   * The records are over: what is open stays so, unless an exception was seen to leave it or was
   * about to.
   */
  final void finish() {
    while (true) {
      for (OpenCalls.Call top = open.top(); top != null; top = open.top()) {
        if (top.left || top.marked) {
          abandon(top, 0);
        } else {
          close(top, 0, CallEnd.OPEN, 0);
        }
      }
      if (!open.anyElsewhere()) {
        return;
      }
      open.select(open.anotherArea());
    }
  }
}
