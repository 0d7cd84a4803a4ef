package io.ntrail.live.code;

import io.ntrail.formats.bytes.Bytes;
import java.util.List;

/** Content of areas: code, which may contain addresses, and data that depends on the number. */
public interface AreaCode {
  /** Returns everything of an area from {@link AreaGeometry#code} on, with empty data. */
  byte[] template(long area);

  /** Returns the data of an area, for {@link AreaGeometry#data}. */
  byte[] data(int area);

  /** Returns the number of entries of the function table; its addresses count from the head. */
  int entries();

  /** Returns the size of the memory that an area needs, from its head on. */
  int size();

  /** Returns the offset of the data of slots that {@link #frames} reads. */
  int slots();

  /** Returns the size of the data of slots that {@link #frames} reads. */
  int slotsBytes();

  /**
   * Returns the frames in the slots of an area, the innermost first.
   *
   * @param slots data of the slots
   */
  List<SlotFrame> frames(long area, Bytes slots);

  /**
   * Frame of a traced function, according to its slot.
   *
   * @param place address of the return address
   * @param exit the return address into the slot
   * @param caller the return address that belongs there without tracing
   */
  record SlotFrame(long place, long exit, long caller) {}
}
