package io.ntrail.formats.ntr;

import io.ntrail.formats.collections.Growth;
import java.util.Arrays;

/**
 * The open frames of one area, the outermost first: a part of the model of docs/ntr.md section 6.
 *
 * <p>Arrays rather than {@link io.ntrail.formats.collections.Columns}: every event reads several of
 * them, and columns made writing a tenth slower.
 */
final class AreaFrames {
  /** Number of topmost frames that are searched for the one that an exit names. */
  private static final int SEARCHED = 64;

  final int area;
  int size;
  int[] site = new int[16];
  long[] function = new long[16];
  long[] returnAddress = new long[16];
  int[] slot = new int[16];
  long[] key = new long[16];
  long[] ticks = new long[16];
  long[] call = new long[16];

  AreaFrames(int area) {
    this.area = area;
  }

  void push(
      int newSite,
      long newFunction,
      long newReturnAddress,
      int newSlot,
      long newKey,
      long newTicks,
      long newCall) {
    if (size == site.length) {
      grow();
    }
    int at = size++;
    site[at] = newSite;
    function[at] = newFunction;
    returnAddress[at] = newReturnAddress;
    slot[at] = newSlot;
    key[at] = newKey;
    ticks[at] = newTicks;
    call[at] = newCall;
  }

  private void grow() {
    int capacity = Growth.length(size, size + 1);
    site = Arrays.copyOf(site, capacity);
    function = Arrays.copyOf(function, capacity);
    returnAddress = Arrays.copyOf(returnAddress, capacity);
    slot = Arrays.copyOf(slot, capacity);
    key = Arrays.copyOf(key, capacity);
    ticks = Arrays.copyOf(ticks, capacity);
    call = Arrays.copyOf(call, capacity);
  }

  /** Returns how many of the frames a new frame at this slot and key shows to have left. */
  int gone(int newSlot, long newKey) {
    int top = size - 1;
    while (top >= 0
        && (Integer.compareUnsigned(slot[top], newSlot) >= 0
            || Long.compareUnsigned(key[top], newKey) < 0)) {
      top--;
    }
    return size - 1 - top;
  }

  /** Returns how many frames are above an open one; -1 if it is not among the topmost 64. */
  int above(long ofFunction, int ofSlot, long ofKey) {
    int stop = Math.max(0, size - SEARCHED);
    for (int i = size - 1; i >= stop; i--) {
      if (slot[i] == ofSlot && key[i] == ofKey && function[i] == ofFunction) {
        return size - 1 - i;
      }
    }
    return -1;
  }

  /** Writes the frames as the column of open frames has them; none of them has a site then. */
  void write(ColumnWriter out) {
    out.var(area & 0xFFFF_FFFFL);
    out.var(size);
    int slotBefore = -1;
    long keyBefore = 0;
    long returnAddressBefore = 0;
    long ticksBefore = 0;
    long callBefore = 0;
    for (int i = 0; i < size; i++) {
      out.var(function[i]);
      out.zig(key[i] - keyBefore);
      out.zig(slot[i] - slotBefore);
      out.zig(returnAddress[i] - returnAddressBefore);
      out.zig(ticks[i] - ticksBefore);
      out.zig(call[i] - callBefore);
      keyBefore = key[i];
      slotBefore = slot[i];
      returnAddressBefore = returnAddress[i];
      ticksBefore = ticks[i];
      callBefore = call[i];
      site[i] = 0;
    }
  }

  EventChunk.OpenFrame frame(int at) {
    return new EventChunk.OpenFrame(
        area, function[at], slot[at], key[at], returnAddress[at], ticks[at], call[at]);
  }
}
