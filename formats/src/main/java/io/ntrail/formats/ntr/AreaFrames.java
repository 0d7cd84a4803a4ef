package io.ntrail.formats.ntr;

import io.ntrail.formats.collections.Growth;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The open frames of one area, the outermost first: a part of the model of docs/ntr.md section 6.
 */
final class AreaFrames {
  /** Number of topmost frames that are searched for the one that an exit names. */
  private static final int SEARCHED = 64;

  /**
   * A frame; used again for another one. An object rather than a row of {@link
   * io.ntrail.formats.collections.Columns}, because every event reads or sets several of its
   * properties.
   */
  static final class Frame {
    int site;
    int slot;
    long function;
    long key;
    long returnAddress;
    long ticks;
    long call;

    private Frame() {}

    /** Sets what only the list of open frames has. */
    void entered(long from, long at, long number) {
      returnAddress = from;
      ticks = at;
      call = number;
    }
  }

  final int area;
  int size;
  private Frame[] frames = {};

  AreaFrames(int area) {
    this.area = area;
  }

  /** Returns the innermost frame; null if there is none. */
  @Nullable Frame top() {
    return size == 0 ? null : frames[size - 1];
  }

  /** Opens a frame; what only the list of open frames has is that of an earlier one. */
  Frame push(int site, long function, int slot, long key) {
    if (size == frames.length) {
      grow();
    }
    Frame frame = frames[size++];
    frame.site = site;
    frame.function = function;
    frame.slot = slot;
    frame.key = key;
    return frame;
  }

  /** Closes the innermost frame and returns it; there has to be one. */
  Frame pop() {
    return frames[--size];
  }

  private void grow() {
    int had = frames.length;
    frames = Arrays.copyOf(frames, Growth.length(had, had + 1));
    for (int i = had; i < frames.length; i++) {
      frames[i] = new Frame();
    }
  }

  /** Returns how many of the frames a new frame at this slot and key shows to have left. */
  int gone(int newSlot, long newKey) {
    int top = size - 1;
    while (top >= 0
        && (Integer.compareUnsigned(frames[top].slot, newSlot) >= 0
            || Long.compareUnsigned(frames[top].key, newKey) < 0)) {
      top--;
    }
    return size - 1 - top;
  }

  /** Returns how many frames are above an open one; -1 if it is not among the topmost 64. */
  int above(long ofFunction, int ofSlot, long ofKey) {
    int stop = Math.max(0, size - SEARCHED);
    for (int i = size - 1; i >= stop; i--) {
      Frame frame = frames[i];
      if (frame.slot == ofSlot && frame.key == ofKey && frame.function == ofFunction) {
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
      Frame frame = frames[i];
      out.var(frame.function);
      out.zig(frame.key - keyBefore);
      out.zig(frame.slot - slotBefore);
      out.zig(frame.returnAddress - returnAddressBefore);
      out.zig(frame.ticks - ticksBefore);
      out.zig(frame.call - callBefore);
      keyBefore = frame.key;
      slotBefore = frame.slot;
      returnAddressBefore = frame.returnAddress;
      ticksBefore = frame.ticks;
      callBefore = frame.call;
      frame.site = 0;
    }
  }

  /** Returns a frame as a reader tells it. */
  EventChunk.OpenFrame open(Frame frame) {
    return new EventChunk.OpenFrame(
        area, frame.function, frame.slot, frame.key, frame.returnAddress, frame.ticks, frame.call);
  }
}
