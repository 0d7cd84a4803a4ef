package io.ntrail.live.code.ia32;

import static io.ntrail.live.code.ia32.AreaLayout.CODE;
import static io.ntrail.live.code.ia32.AreaLayout.DATA;
import static io.ntrail.live.code.ia32.AreaLayout.DELTA;
import static io.ntrail.live.code.ia32.AreaLayout.SLOTS;
import static io.ntrail.live.code.ia32.AreaLayout.TABLE;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.code.AreaCode;
import io.ntrail.live.code.SessionLayout;
import java.util.ArrayList;
import java.util.List;

/** Content of areas: code that contains the address of the area, and data with its number. */
final class AreaImage implements AreaCode {
  private final SlotCode.Assembled slot;
  private final byte[] overflow;

  /** Assembles the areas of a session. */
  AreaImage(RoutineContext parts) {
    slot = SlotCode.assemble(parts.words(), parts.slotRecord(), parts.cells());
    overflow = SlotCode.overflow(parts.cells());
  }

  @Override
  public byte[] template(long area) {
    BytesBuilder whole = new BytesBuilder(TABLE - CODE);
    whole.zeros(AreaLayout.STRIDE);
    for (int i = 0; i < SLOTS; i++) {
      whole.bytes(slot.bytes(area, i)).zeros(AreaLayout.STRIDE - slot.length());
    }
    return whole.bytes(overflow).zeros(TABLE - CODE - whole.size()).toArray();
  }

  @Override
  public int entries() {
    return 0;
  }

  /** Returns the offset of the return point in a slot. */
  int exit() {
    return slot.exit();
  }

  /** Returns the offsets of addresses in the code of a slot: all are of its area. */
  List<Integer> addresses() {
    return slot.addresses();
  }

  /** Returns the offsets in a slot of the instructions that read the clock: 0F 31. */
  List<Integer> clocks() {
    return slot.clocks();
  }

  @Override
  public int size() {
    return TABLE - AreaLayout.HEAD;
  }

  @Override
  public byte[] data(int area) {
    BytesBuilder data = new BytesBuilder(DELTA);
    data.zeros((SLOTS + 2) * AreaLayout.STRIDE);
    for (int i = 0; i <= SLOTS; i++) {
      int at = AreaLayout.data(i) - DATA;
      data.setU32(at + AreaLayout.META, area << 20 | i << 8 | SessionLayout.ENTRY);
    }
    return data.toArray();
  }

  @Override
  public int slots() {
    return AreaLayout.data(0);
  }

  @Override
  public int slotsBytes() {
    return AreaLayout.STRIDE * (SLOTS + 1);
  }

  @Override
  public List<SlotFrame> frames(long area, Bytes slots) {
    List<SlotFrame> frames = new ArrayList<>();
    // The last slot first: a tail call returns into the slot before, from the same place.
    for (int i = SLOTS - 1; i >= 0; i--) {
      int at = AreaLayout.STRIDE * i;
      frames.add(
          new SlotFrame(
              slots.u32(at + AreaLayout.KEY) - Integer.BYTES,
              area + AreaLayout.code(i) + exit(),
              slots.u32(at + AreaLayout.RET)));
    }
    return frames;
  }
}
