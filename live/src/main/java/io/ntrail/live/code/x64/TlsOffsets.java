package io.ntrail.live.code.x64;

import io.ntrail.live.code.TlsSlots;

/**
 * Offsets of the two TLS slots from the segment register gs.
 *
 * @param slot code of the thread's next free slot; 0 = the thread is unknown
 * @param record address of the thread's next record; 0 = nothing is recorded
 */
record TlsOffsets(int slot, int record) {
  /** Offset of TlsSlots in the thread environment block, which gs points to. */
  static final int TLS_SLOTS = 0x1480;

  static TlsOffsets of(TlsSlots tls) {
    return new TlsOffsets(TLS_SLOTS + 8 * tls.slot(), TLS_SLOTS + 8 * tls.record());
  }
}
