package io.ntrail.live.consumer;

/**
 * Offsets in EVENT_RECORD and EVENT_HEADER_EXTENDED_DATA_ITEM that are the same in 32-bit and
 * 64-bit code (evntcons.h).
 */
final class EventRecordLayout {
  /** Number of items, u16. */
  static final int ITEM_COUNT = 84;

  /** Bytes of data, u16. */
  static final int DATA_LENGTH = 86;

  /** Bytes of an item's data, u16. */
  static final int ITEM_LENGTH = 6;

  /** Address of an item's data, u64. */
  static final int ITEM_DATA = 8;

  /** Bytes of an item. */
  static final int ITEM_BYTES = 16;

  private EventRecordLayout() {}
}
