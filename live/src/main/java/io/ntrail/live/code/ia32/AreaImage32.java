package io.ntrail.live.code.ia32;

import static io.ntrail.live.code.ia32.AreaLayout32.CODE;
import static io.ntrail.live.code.ia32.AreaLayout32.DATA;
import static io.ntrail.live.code.ia32.AreaLayout32.DELTA;
import static io.ntrail.live.code.ia32.AreaLayout32.SLOTS;
import static io.ntrail.live.code.ia32.AreaLayout32.TABLE;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.code.AreaCode;
import io.ntrail.live.code.SessionLayout;
import java.util.ArrayList;
import java.util.List;

/** Content of areas: code that contains the address of the area, and data with its number. */
final class AreaImage32 implements AreaCode {
  private final SlotCode32.Assembled slot;
  private final byte[] overflow;

  /** Assembles the areas of a session. */
  AreaImage32(RoutineContext32 parts) {
    slot =
        SlotCode32.assemble(
            parts.words(), parts.slotRecord(), parts.cells(), parts.samples().exist());
    overflow = SlotCode32.overflow(parts.cells());
  }

  @Override
  public byte[] template(long area) {
    BytesBuilder whole = new BytesBuilder(TABLE - CODE);
    whole.zeros(AreaLayout32.STRIDE);
    for (int i = 0; i < SLOTS; i++) {
      whole.bytes(slot.bytes(area, i)).zeros(AreaLayout32.STRIDE - slot.length());
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
    return TABLE - AreaLayout32.HEAD;
  }

  @Override
  public byte[] data(int area) {
    BytesBuilder data = new BytesBuilder(DELTA);
    data.zeros((SLOTS + 2) * AreaLayout32.STRIDE);
    for (int i = 0; i <= SLOTS; i++) {
      int at = AreaLayout32.data(i) - DATA;
      data.setU32(at + AreaLayout32.META, area << 20 | i << 8 | SessionLayout.ENTRY);
    }
    return data.toArray();
  }

  @Override
  public int slots() {
    return AreaLayout32.data(0);
  }

  @Override
  public int slotsBytes() {
    return AreaLayout32.STRIDE * (SLOTS + 1);
  }

  @Override
  public List<SlotFrame> frames(long area, Bytes slots) {
    List<SlotFrame> frames = new ArrayList<>();
    // The last slot first: a tail call returns into the slot before, from the same place.
    for (int i = SLOTS - 1; i >= 0; i--) {
      int at = AreaLayout32.STRIDE * i;
      frames.add(
          new SlotFrame(
              slots.u32(at + AreaLayout32.KEY) - Integer.BYTES,
              area + AreaLayout32.code(i) + exit(),
              slots.u32(at + AreaLayout32.RET)));
    }
    return frames;
  }
}
