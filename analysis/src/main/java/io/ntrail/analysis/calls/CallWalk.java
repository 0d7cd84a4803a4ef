package io.ntrail.analysis.calls;

import java.util.Objects;
import java.util.OptionalLong;

/**
 * The calls of a thread in the order of their entries, as a flyweight: it is the call it stands on.
 * For one thread of the reader at a time.
 *
 * <p>Calls of a thread are numbered from 0. Those below a call follow it, so that the next one
 * beside it is as many further on as there are, without those that are {@linkplain #leftOut() left
 * out}, unless the thread has several stacks.
 */
public final class CallWalk implements AutoCloseable {
  private final CallSource source;
  private final CallIndex index;
  private final CallCursor cursor;
  private final CallPage calls;
  private final int thread;
  private int page = -1;
  private int at = -1;

  CallWalk(CallSource source, int thread, CallIndex index) {
    this.source = source;
    this.thread = thread;
    this.index = index;
    this.cursor = source.cursor(thread);
    this.calls = new CallPage(source.matching());
  }

  /** Goes to the next call; false if there is none. */
  public boolean next() {
    while (page < 0 || at + 1 >= calls.count()) {
      if (page + 1 >= index.pages()) {
        at = calls.count();
        return false;
      }
      open(page + 1);
    }
    at++;
    return true;
  }

  private void open(int which) {
    page = which;
    calls.fill(index, which, cursor);
    at = -1;
  }

  /** Goes before the call of a number. */
  public void seek(long number) {
    int wanted = index.pageOf(number);
    if (wanted != page) {
      open(wanted);
    }
    at = (int) Math.min(number - index.firstCall(wanted), calls.count()) - 1;
  }

  /** Goes before the first call that was entered at a time or later. */
  public void seekTime(long time) {
    open(index.pageAt(time));
    while (next()) {
      if (entry() >= time) {
        at--;
        return;
      }
    }
  }

  /** Moves past all calls below this one; several stacks of a thread keep that from being done. */
  public void skipChildren() {
    if (!index.hasAreas()) {
      seek(last() + 1);
    }
  }

  /** The thread, by its place in the source. */
  public int thread() {
    return thread;
  }

  /** Returns the thread as a value. */
  public CallThread threadInfo() {
    return source.threads().get(thread);
  }

  /** The number of the call in its thread. */
  public long number() {
    return index.firstCall(page) + at;
  }

  /** The routine, as {@link CallSource#function} knows it. */
  public long function() {
    return calls.function[at];
  }

  /** Returns the time of its entry; if that is missing, of its end. */
  public long entry() {
    return calls.entry[at];
  }

  /** Returns the time of its end; empty if it is open or only its entry is recorded. */
  public OptionalLong exit() {
    return isOpen() || isEntryOnly() ? OptionalLong.empty() : OptionalLong.of(calls.exit[at]);
  }

  /** Returns its duration; 0 if unknown, see {@link #hasDuration()}. */
  public long duration() {
    return hasDuration() ? Math.max(0, calls.exit[at] - calls.entry[at]) : 0;
  }

  /** Returns true if it has a beginning and an end. */
  public boolean hasDuration() {
    return calls.end[at] != CallEnd.OPEN.ordinal()
        && calls.end[at] != CallEnd.ENTRY_ONLY.ordinal()
        && !lostEntry();
  }

  /** Returns the number of calls below it, at any depth. */
  public long children() {
    return calls.children[at] + leftOut();
  }

  /**
   * Returns the number of calls below it that the recording leaves out, as it was cut out of
   * another one.
   */
  public long leftOut() {
    return calls.leftOut[at];
  }

  /** Returns the number of the last call below it, of a thread with one stack. */
  long last() {
    return number() + calls.children[at];
  }

  /** Returns the number of open calls around it on its stack. */
  public int depth() {
    return calls.depth[at];
  }

  /** The stack that it lies on. */
  public int area() {
    return calls.area[at];
  }

  /** Returns its recorded return address. */
  public long caller() {
    return calls.caller[at];
  }

  /** Returns the number of its recorded arguments; 0 if its entry was lost. */
  public int argumentCount() {
    return calls.argumentsEnd[at] - calls.argumentsOf(at);
  }

  /**
   * An argument, as all 64 bits of where it lay.
   *
   * @param index from 0, below {@link #argumentCount()}
   */
  public long argument(int index) {
    return calls.arguments[calls.argumentsOf(at) + Objects.checkIndex(index, argumentCount())];
  }

  /** Returns its return value, or the code of the exception that left it. */
  public long value() {
    return calls.value[at];
  }

  /** Returns the way in which it ended. */
  public CallEnd end() {
    return CallEnd.at(calls.end[at] & CallPage.LOST_ENTRY - 1);
  }

  /** Returns true if its beginning is missing: it has no duration then, and no calls below it. */
  public boolean lostEntry() {
    return (calls.end[at] & CallPage.LOST_ENTRY) != 0;
  }

  /** Returns true if a part of it was not recorded and was made up. */
  public boolean repaired() {
    return lostEntry() || end() == CallEnd.INFERRED;
  }

  /** Returns true if it is of a routine of which only entries are recorded. */
  public boolean isEntryOnly() {
    return calls.end[at] == CallEnd.ENTRY_ONLY.ordinal();
  }

  /** Returns true if {@link #value} of a call that returned is what it returned. */
  public boolean knowsReturned() {
    return source.hasReturnedValues();
  }

  /** Returns true if it had not ended when the recording did. */
  public boolean isOpen() {
    return calls.end[at] == CallEnd.OPEN.ordinal();
  }

  @Override
  public void close() {
    cursor.close();
  }
}
