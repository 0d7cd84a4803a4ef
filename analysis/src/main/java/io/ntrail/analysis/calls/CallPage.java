package io.ntrail.analysis.calls;

import io.ntrail.formats.collections.Growth;
import java.util.Arrays;

/**
 * The calls that begin in a page, by their entries. Filled anew for every page that is looked at.
 * Bare arrays, because every call that is walked over fills and reads all of them.
 */
final class CallPage implements CallBuilder.Sink {
  private final OpenCalls open = new OpenCalls();
  private final CallBuilder rebuilder;
  private int count;

  long[] function = new long[256];
  long[] entry = new long[256];
  long[] exit = new long[256];
  long[] children = new long[256];
  long[] leftOut = new long[256];
  long[] value = new long[256];
  long[] caller = new long[256];
  int[] depth = new int[256];
  int[] area = new int[256];

  /** A {@link CallEnd}; calls whose beginning is missing are those with {@link #LOST_ENTRY}. */
  byte[] end = new byte[256];

  static final int LOST_ENTRY = 0x10;

  /**
   * End of the arguments of each call in {@link #arguments}, where those of a call are adjacent.
   */
  int[] argumentsEnd = new int[256];

  long[] arguments = new long[0];

  CallPage(CallSource.Matching matching) {
    this.rebuilder = CallBuilder.of(matching, open, this);
  }

  int count() {
    return count;
  }

  /** Rebuilds a page. */
  void fill(CallIndex index, int page, CallCursor cursor) {
    count = 0;
    index.restore(page, open, rebuilder);
    cursor.seek(index.position(page));
    if (page + 1 < index.pages()) {
      long to = index.position(page + 1);
      while (cursor.position() != to && cursor.next()) {
        rebuilder.accept(cursor);
      }
    } else {
      while (!index.isCut() && cursor.next()) {
        rebuilder.accept(cursor);
      }
      rebuilder.finish();
    }
    index.finish(page, this);
  }

  void end(int ordinal, long time, long below, long without, CallEnd how, long result) {
    exit[ordinal] = time;
    children[ordinal] = below;
    leftOut[ordinal] = without;
    value[ordinal] = result;
    end[ordinal] = (byte) how.ordinal();
  }

  @Override
  public void opened(OpenCalls.Call frame, CallCursor record) {
    int ordinal = add(frame.function, frame.entry, frame.depth, record.value());
    frame.ordinal = ordinal;
    area[ordinal] = frame.area;
    int given = record.argumentCount();
    if (given > 0) {
      keepArguments(ordinal, record, given);
    }
  }

  private void keepArguments(int ordinal, CallCursor record, int given) {
    int at = argumentsEnd[ordinal];
    if (at + given > arguments.length) {
      arguments = Arrays.copyOf(arguments, Growth.length(arguments.length, at + given));
    }
    for (int i = 0; i < given; i++) {
      arguments[at++] = record.argument(i);
    }
    argumentsEnd[ordinal] = at;
  }

  /** Returns the index of the first argument of a call. */
  int argumentsOf(int ordinal) {
    return ordinal == 0 ? 0 : argumentsEnd[ordinal - 1];
  }

  @Override
  public void closed(OpenCalls.Call frame, long time, CallEnd how, long result) {
    if (frame.ordinal != OpenCalls.BEFORE) {
      end(frame.ordinal, time, frame.children, frame.leftOut, how, result);
    }
  }

  @Override
  public void ended(long routine, long time, CallEnd how, long result) {
    int ordinal = add(routine, time, open.nextDepth(), 0);
    area[ordinal] = open.selected();
    end(ordinal, time, 0, 0, how, result);
    end[ordinal] |= LOST_ENTRY;
  }

  private int add(long routine, long time, int level, long from) {
    if (count == function.length) {
      grow();
    }
    function[count] = routine;
    entry[count] = time;
    depth[count] = level;
    caller[count] = from;
    end[count] = (byte) CallEnd.OPEN.ordinal();
    argumentsEnd[count] = argumentsOf(count);
    return count++;
  }

  private void grow() {
    int more = Growth.length(count, count + 1);
    function = Arrays.copyOf(function, more);
    entry = Arrays.copyOf(entry, more);
    exit = Arrays.copyOf(exit, more);
    children = Arrays.copyOf(children, more);
    leftOut = Arrays.copyOf(leftOut, more);
    value = Arrays.copyOf(value, more);
    caller = Arrays.copyOf(caller, more);
    depth = Arrays.copyOf(depth, more);
    area = Arrays.copyOf(area, more);
    end = Arrays.copyOf(end, more);
    argumentsEnd = Arrays.copyOf(argumentsEnd, more);
  }
}
