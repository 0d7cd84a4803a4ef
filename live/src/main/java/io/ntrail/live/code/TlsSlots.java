package io.ntrail.live.code;

/**
 * The two TLS slots that the code of a session uses.
 *
 * @param slot index of the one with the code of the thread's next free slot; 0 there = the thread
 *     is unknown
 * @param record index of the one with the address of the thread's next record, or of its table of
 *     calls; 0 there = nothing is recorded
 */
public record TlsSlots(int slot, int record) {
  /** Number of TLS slots in the thread environment block, which code can access directly. */
  public static final int DIRECT = 64;
}
