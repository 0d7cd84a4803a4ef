package io.ntrail.formats.ntr;

import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.LongColumn;

/**
 * The open frames of one area, the outermost first: a part of the model of docs/ntr.md section 6.
 */
final class AreaFrames {
  /** Number of topmost frames that are searched for the one that an exit names. */
  private static final int SEARCHED = 64;

  final int area;
  private final Columns frames = new Columns(16);
  final IntColumn site = frames.ints();
  final LongColumn function = frames.longs();
  final LongColumn returnAddress = frames.longs();
  final IntColumn slot = frames.ints();
  final LongColumn key = frames.longs();
  final LongColumn ticks = frames.longs();
  final LongColumn call = frames.longs();

  AreaFrames(int area) {
    this.area = area;
  }

  int size() {
    return frames.rows();
  }

  void push(
      int newSite,
      long newFunction,
      long newReturnAddress,
      int newSlot,
      long newKey,
      long newTicks,
      long newCall) {
    int at = frames.add();
    site.set(at, newSite);
    function.set(at, newFunction);
    returnAddress.set(at, newReturnAddress);
    slot.set(at, newSlot);
    key.set(at, newKey);
    ticks.set(at, newTicks);
    call.set(at, newCall);
  }

  /** Takes the innermost frames away. */
  void pop(int count) {
    frames.truncate(frames.rows() - count);
  }

  /** Returns how many of the frames a new frame at this slot and key shows to have left. */
  int gone(int newSlot, long newKey) {
    int top = size() - 1;
    while (top >= 0
        && (Integer.compareUnsigned(slot.get(top), newSlot) >= 0
            || Long.compareUnsigned(key.get(top), newKey) < 0)) {
      top--;
    }
    return size() - 1 - top;
  }

  /** Returns how many frames are above an open one; -1 if it is not among the topmost 64. */
  int above(long ofFunction, int ofSlot, long ofKey) {
    int stop = Math.max(0, size() - SEARCHED);
    for (int i = size() - 1; i >= stop; i--) {
      if (slot.get(i) == ofSlot && key.get(i) == ofKey && function.get(i) == ofFunction) {
        return size() - 1 - i;
      }
    }
    return -1;
  }

  /** Writes the frames as the column of open frames has them; none of them has a site then. */
  void write(ColumnWriter out) {
    out.var(area & 0xFFFF_FFFFL);
    out.var(size());
    int slotBefore = -1;
    long keyBefore = 0;
    long returnAddressBefore = 0;
    long ticksBefore = 0;
    long callBefore = 0;
    for (int i = 0; i < size(); i++) {
      out.var(function.get(i));
      out.zig(key.get(i) - keyBefore);
      out.zig(slot.get(i) - slotBefore);
      out.zig(returnAddress.get(i) - returnAddressBefore);
      out.zig(ticks.get(i) - ticksBefore);
      out.zig(call.get(i) - callBefore);
      keyBefore = key.get(i);
      slotBefore = slot.get(i);
      returnAddressBefore = returnAddress.get(i);
      ticksBefore = ticks.get(i);
      callBefore = call.get(i);
      site.set(i, 0);
    }
  }

  OpenFrame frame(int at) {
    return new OpenFrame(
        area,
        function.get(at),
        slot.get(at),
        key.get(at),
        returnAddress.get(at),
        ticks.get(at),
        call.get(at));
  }
}
