package io.ntrail.live.consumer;

/**
 * Layout of the block through which the agent's code hands events over: offsets from its begin.
 *
 * <p>Events lie in a ring behind it, one after the other: u32 bytes with this head, a multiple of
 * 8, u32 {@link #AN_EVENT}, then the event as {@code ConsumedEvents} takes it. What does not fit
 * into the rest of the ring begins anew at its begin; the rest then is one such piece, of kind 0.
 * Positions count bytes modulo 2^32. Only the code of the callback moves the one, only whoever
 * reads moves the other.
 */
final class ConsumerBlock {
  /** Out, u32: position behind the last event. */
  static final int WRITTEN = 0;

  /** In, u32: position up to which events were read. */
  static final int READ = 4;

  /** In, u32: bytes of the ring, a power of two. */
  static final int ROOM = 8;

  /** In, u32: number of the last byte of the ring. */
  static final int MASK = 12;

  /** Out, u32: events for which there was no room, modulo 2^32. */
  static final int LOST = 16;

  /** Out, u32: events lost that Windows tells the callback for buffers. */
  static final int TOLD = 20;

  /** Out, u32: buffers, modulo 2^32. */
  static final int BUFFERS = 24;

  /** In, u32: 1 if no further buffer is wanted. */
  static final int STOP = 28;

  /** Out, u32: what ProcessTrace has returned. */
  static final int RESULT = 32;

  /** Out, u32: 1 when it has. */
  static final int ENDED = 36;

  /** In, u64: handle of OpenTrace. */
  static final int HANDLE = 40;

  /** In, u64: address of ProcessTrace. */
  static final int PROCESS = 48;

  /** In, u64: address of the ring. */
  static final int RING = 56;

  /** Position behind the event that is being written. */
  static final int NEXT = 64;

  /** Address of the record that is being copied. */
  static final int RECORD = 72;

  /** Bytes of the block. */
  static final int BYTES = 128;

  /** Bytes in front of an event. */
  static final int HEAD = 8;

  /** Kind of a piece. */
  static final int AN_EVENT = 1;

  private ConsumerBlock() {}
}
