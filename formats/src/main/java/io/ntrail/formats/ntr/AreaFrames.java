package io.ntrail.formats.ntr;

import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.LongColumn;

/**
 * The open frames of one area, the outermost first: a part of the model of docs/ntr.md section 6.
 */
final class AreaFrames {
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

  OpenFrame frame(int at) {
    return new OpenFrame(
        area, function.get(at), slot.get(at), key.get(at), returnAddress.get(at), ticks.get(at), call.get(at));
  }
}
