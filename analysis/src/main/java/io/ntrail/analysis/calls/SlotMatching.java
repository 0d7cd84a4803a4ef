package io.ntrail.analysis.calls;

import org.jspecify.annotations.Nullable;

/**
 * Matches exits with entries by the slot that a frame had, for records of live tracing.
 *
 * <p>The target itself saw to it that all slots below that of a new frame were in use. So:
 *
 * <ul>
 *   <li>An entry ends all calls in its slot and in those above it.
 *   <li>A frame lies below its caller's (stacks grow down), or, of a tail call, in its place. A
 *       call below the new frame is over, too, unless it has the slot next to it: then the new one
 *       is its tail call that moved up, and the target has its frame there from then on.
 *   <li>An exit ends the call in its slot, and before it all above. Another routine in the slot, or
 *       another place, is another call: both have lost a record, or a fiber moved to another thread
 *       with one of them.
 *   <li>An exception that leaves a call twice has, after a loss, left another one in its place.
 *   <li>A call that an exception was seen to leave is over, but frames of the unwinder may lie on
 *       it; it is taken away as soon as it is the innermost one and something else happens.
 * </ul>
 *
 * <p>Where unwinding follows no function tables (IA-32), unwinders record the frame that control
 * goes to instead. That marks the open calls between it and the unwinder's own stack pointer, of
 * whichever stack of the thread: the record's area is that of the last traced call, which may have
 * been made on another one.
 *
 * <ul>
 *   <li>Handlers lie in the same stretch of the stack, and return: an exit takes the mark away.
 *   <li>A marked call that goes without an exit was left when it was marked the last time.
 *   <li>An entry above the unwinder's stack pointer shows that the unwinder is done. What is marked
 *       is over then as far as it is innermost: without that, what a handler calls would be called
 *       by the frames that it left, as long as it lies below them.
 * </ul>
 *
 * <p>Calls that end without a record of it end where an exception left them, else when that shows.
 * A long jump without unwinding shows at the next entry that lies as high as what it left.
 */
final class SlotMatching extends CallBuilder {
  /** Code of an unwind that was given no exception: STATUS_UNWIND. */
  static final long WITHOUT_EXCEPTION = 0xC000_0027L;

  SlotMatching(OpenCalls open, Sink sink) {
    super(open, sink);
  }

  @Override
  void pushed(OpenCalls.Call frame) {
    // Slots need no further account.
  }

  @Override
  void popping(OpenCalls.Call frame) {
    // Slots need no further account.
  }

  @Override
  int slot(OpenCalls.Call frame) {
    return frame.slot;
  }

  @Override
  void entry(CallCursor record) {
    open.select(record.area());
    int slot = record.slot();
    long key = record.frameKey();
    for (OpenCalls.Call top = open.top(); top != null; top = open.top()) {
      boolean isOver = top.slot >= slot || top.left || isUnwound(top, key);
      boolean isBelow = Long.compareUnsigned(top.key, key) < 0 && top.slot != slot - 1;
      if (!isOver && !isBelow) {
        break;
      }
      abandon(top, record.time());
    }
    OpenCalls.Call caller = open.top();
    if (caller != null && Long.compareUnsigned(caller.key, key) < 0) {
      caller.key = key;
    }
    if (roomForOne(record)) {
      OpenCalls.Call frame = opened(record);
      frame.slot = slot;
      frame.key = key;
    }
  }

  /**
   * Handles a record without a slot: of other calls it only shows that those which were left are
   * over.
   */
  @Override
  void entryOnly(CallCursor record) {
    open.select(record.area());
    for (OpenCalls.Call top = open.top(); top != null; top = open.top()) {
      if (!top.left && !isUnwound(top, record.frameKey())) {
        break;
      }
      abandon(top, record.time());
    }
    super.entryOnly(record);
  }

  @Override
  void exit(CallCursor record, CallEnd end) {
    open.select(record.area());
    int slot = record.slot();
    OpenCalls.Call top = open.top();
    while (top != null && top.slot > slot) {
      abandon(top, record.time());
      top = open.top();
    }
    if (top == null || top.slot != slot) {
      if (!endsBeyond(record, end)) {
        withoutEntry(record, end);
      }
      return;
    }
    boolean lossy = top.losses != losses();
    boolean same =
        top.function == record.function() && top.key == record.frameKey() && !(lossy && top.left);
    if (same) {
      close(top, record.time(), end, record.value());
    } else {
      abandon(top, record.time());
      withoutEntry(record, end);
    }
  }

  @Override
  void unwind(CallCursor record) {
    open.select(record.area());
    int slot = record.slot();
    for (OpenCalls.Call frame = open.top(); frame != null; frame = frame.below) {
      if (frame.slot <= slot) {
        boolean same =
            frame.slot == slot
                && frame.function == record.function()
                && frame.key == record.frameKey()
                && !(frame.left && frame.losses != losses());
        if (same) {
          leave(frame, record);
          return;
        }
        break;
      }
    }
    withoutEntry(record, CallEnd.UNWIND);
  }

  /**
   * Returns whether the unwinder that was about to leave a call is done when another one begins.
   */
  private boolean isUnwound(OpenCalls.Call frame, long key) {
    long pointer = frame.unwinder;
    // The entry of the unwinder itself has the key pointer + 4.
    return frame.marked
        && pointer != 0
        && Long.compareUnsigned(key, pointer) > 0
        && Long.compareUnsigned(key - pointer, Integer.BYTES) > 0;
  }

  @Override
  void unwindTarget(CallCursor record) {
    if (record.stackPointer() == 0 || record.frameKey() == 0) {
      open.select(record.area());
      mark(open.top(), record);
    } else {
      open.tops(top -> mark(top, record));
    }
  }

  /** Marks the calls of a stack from the stack pointer up to the target. */
  private void mark(OpenCalls.@Nullable Call top, CallCursor record) {
    long pointer = record.stackPointer();
    long target = record.frameKey() == 0 ? -1 : record.frameKey();
    for (OpenCalls.Call frame = top; frame != null; frame = frame.below) {
      if (Long.compareUnsigned(frame.key, target) > 0) {
        return;
      }
      if (Long.compareUnsigned(frame.key, pointer) > 0 && !frame.left) {
        marking(frame, record);
        // The unwinder of a long jump, or of a handler that was given an exception, has no code.
        if (!frame.marked || record.value() != WITHOUT_EXCEPTION) {
          frame.leftCode = record.value();
        }
        frame.marked = true;
        frame.leftTime = record.time();
        frame.unwinder = pointer;
      }
    }
  }

  @Override
  void over(CallCursor record) {
    open.select(record.area());
    OpenCalls.Call top = open.top();
    while (top != null && top.slot >= record.slot()) {
      if (top.left || top.marked) {
        abandon(top, record.time());
      } else {
        close(top, record.time(), CallEnd.OVER, 0);
      }
      top = open.top();
    }
  }

  /**
   * Marks a call that an exception left, and those whose tail call it was: unwinders pass over
   * them, since their frames were in the same place. The first record counts.
   */
  private void leave(OpenCalls.Call frame, CallCursor record) {
    if (!frame.unwound) {
      leaving(frame, record);
    }
    frame.unwound = true;
    OpenCalls.Call at = frame;
    while (true) {
      if (!at.left) {
        at.left = true;
        at.marked = false;
        at.leftTime = record.time();
        at.leftCode = record.value();
      }
      OpenCalls.Call caller = at.below;
      if (caller == null || caller.key != at.key || caller.slot != at.slot - 1) {
        return;
      }
      at = caller;
    }
  }
}
