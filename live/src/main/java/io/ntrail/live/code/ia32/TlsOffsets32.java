package io.ntrail.live.code.ia32;

import io.ntrail.live.code.TlsSlots;

/**
 * Offsets of the two TLS slots from the segment register fs.
 *
 * @param slot code of the thread's next free slot; 0 = the thread is unknown
 * @param record address of the thread's next record; 0 = nothing is recorded
 */
record TlsOffsets32(int slot, int record) {
  /** Offset of TlsSlots in the thread environment block, which fs points to. */
  static final int TLS_SLOTS = 0xE10;

  /** Offset there of the innermost registration of a handler for exceptions. */
  static final int REGISTRATIONS = 0;

  /** Offset of the stack's base there. */
  static final int STACK_BASE = 4;

  /** Offset of the stack's limit there. */
  static final int STACK_LIMIT = 8;

  /** Offset of the lowest address that is reserved for the stack. */
  static final int STACK_RESERVED = 0xE0C;

  /** Offset of the block's own address. */
  static final int THREAD_BLOCK = 0x18;

  /** Offset of the thread's id. */
  static final int THREAD_ID = 0x24;

  static TlsOffsets32 of(TlsSlots tls) {
    return new TlsOffsets32(
        TLS_SLOTS + Integer.BYTES * tls.slot(), TLS_SLOTS + Integer.BYTES * tls.record());
  }
}
