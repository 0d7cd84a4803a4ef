package io.ntrail.analysis.calls;

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
  void pushed(int frame) {
    // Slots need no further account.
  }

  @Override
  void popping(int frame) {
    // Slots need no further account.
  }

  @Override
  int slot(int frame) {
    return open.slot[frame];
  }

  @Override
  void entry(CallCursor record) {
    open.select(record.area());
    int slot = record.slot();
    long key = record.frameKey();
    for (int top = open.top(); top != OpenCalls.NONE; top = open.top()) {
      boolean isOver = open.slot[top] >= slot || open.left[top] || isUnwound(top, key);
      boolean isBelow = Long.compareUnsigned(open.key[top], key) < 0 && open.slot[top] != slot - 1;
      if (!isOver && !isBelow) {
        break;
      }
      abandon(record.time());
    }
    int caller = open.top();
    if (caller != OpenCalls.NONE && Long.compareUnsigned(open.key[caller], key) < 0) {
      open.key[caller] = key;
    }
    if (roomForOne(record)) {
      int frame = opened(record);
      open.slot[frame] = slot;
      open.key[frame] = key;
    }
  }

  /**
   * Handles a record without a slot: of other calls it only shows that those which were left are
   * over.
   */
  @Override
  void entryOnly(CallCursor record) {
    open.select(record.area());
    for (int top = open.top(); top != OpenCalls.NONE; top = open.top()) {
      if (!open.left[top] && !isUnwound(top, record.frameKey())) {
        break;
      }
      abandon(record.time());
    }
    super.entryOnly(record);
  }

  @Override
  void exit(CallCursor record, CallEnd end) {
    open.select(record.area());
    int slot = record.slot();
    while (open.top() != OpenCalls.NONE && open.slot[open.top()] > slot) {
      abandon(record.time());
    }
    int top = open.top();
    if (top == OpenCalls.NONE || open.slot[top] != slot) {
      if (!endsBeyond(record, end)) {
        withoutEntry(record, end);
      }
      return;
    }
    boolean lossy = open.losses[top] != losses();
    boolean same =
        open.function[top] == record.function()
            && open.key[top] == record.frameKey()
            && !(lossy && open.left[top]);
    if (same) {
      close(record.time(), end, record.value());
    } else {
      abandon(record.time());
      withoutEntry(record, end);
    }
  }

  @Override
  void unwind(CallCursor record) {
    open.select(record.area());
    int slot = record.slot();
    for (int frame = open.top(); frame != OpenCalls.NONE; frame = open.below[frame]) {
      if (open.slot[frame] <= slot) {
        boolean same =
            open.slot[frame] == slot
                && open.function[frame] == record.function()
                && open.key[frame] == record.frameKey()
                && !(open.left[frame] && open.losses[frame] != losses());
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
  private boolean isUnwound(int frame, long key) {
    long pointer = open.unwinder[frame];
    // The entry of the unwinder itself has the key pointer + 4.
    return open.marked[frame]
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
  private void mark(int top, CallCursor record) {
    long pointer = record.stackPointer();
    long target = record.frameKey() == 0 ? -1 : record.frameKey();
    for (int frame = top; frame != OpenCalls.NONE; frame = open.below[frame]) {
      if (Long.compareUnsigned(open.key[frame], target) > 0) {
        return;
      }
      if (Long.compareUnsigned(open.key[frame], pointer) > 0 && !open.left[frame]) {
        marking(frame, record);
        // The unwinder of a long jump, or of a handler that was given an exception, has no code.
        if (!open.marked[frame] || record.value() != WITHOUT_EXCEPTION) {
          open.leftCode[frame] = record.value();
        }
        open.marked[frame] = true;
        open.leftTime[frame] = record.time();
        open.unwinder[frame] = pointer;
      }
    }
  }

  @Override
  void over(CallCursor record) {
    open.select(record.area());
    while (open.top() != OpenCalls.NONE && open.slot[open.top()] >= record.slot()) {
      if (open.left[open.top()] || open.marked[open.top()]) {
        abandon(record.time());
      } else {
        close(record.time(), CallEnd.OVER, 0);
      }
    }
  }

  /**
   * Marks a call that an exception left, and those whose tail call it was: unwinders pass over
   * them, since their frames were in the same place. The first record counts.
   */
  private void leave(int frame, CallCursor record) {
    if (!open.unwound[frame]) {
      leaving(frame, record);
    }
    open.unwound[frame] = true;
    int at = frame;
    while (true) {
      if (!open.left[at]) {
        open.left[at] = true;
        open.marked[at] = false;
        open.leftTime[at] = record.time();
        open.leftCode[at] = record.value();
      }
      int caller = open.below[at];
      if (caller == OpenCalls.NONE
          || open.key[caller] != open.key[at]
          || open.slot[caller] != open.slot[at] - 1) {
        return;
      }
      at = caller;
    }
  }
}
