package io.ntrail.formats.ntr;

import java.util.Arrays;

/**
 * The open frames of one area, the outermost first: a part of the model of docs/ntr.md section 6.
 */
final class AreaFrames {
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
    int capacity = 2 * size;
    site = Arrays.copyOf(site, capacity);
    function = Arrays.copyOf(function, capacity);
    returnAddress = Arrays.copyOf(returnAddress, capacity);
    slot = Arrays.copyOf(slot, capacity);
    key = Arrays.copyOf(key, capacity);
    ticks = Arrays.copyOf(ticks, capacity);
    call = Arrays.copyOf(call, capacity);
  }

  OpenFrame frame(int at) {
    return new OpenFrame(
        area, function[at], slot[at], key[at], returnAddress[at], ticks[at], call[at]);
  }
}
