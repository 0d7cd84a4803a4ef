package io.ntrail.formats.ntr;

import java.util.Arrays;

/**
 * Head of a chunk of events (docs/ntr.md section 5).
 *
 * @param offset the chunk's offset in the file
 * @param payload bytes of its payload
 * @param number of the chunk in the file
 * @param thread the number of its thread
 * @param sequence number among the chunks of the thread, from 0
 * @param firstEvent events of the thread before it
 * @param firstCall calls of the thread before it
 * @param earliest ticks of its earliest event
 * @param latest ticks of its latest event
 * @param lost records that the recorder lost before it, since the previous chunk
 * @param events number of events
 * @param calls number of entries among them
 * @param openBefore open frames before its first event
 * @param openAfter open frames after its last event
 * @param fewestOpen the fewest at any time between
 * @param flags 1 if some open frames are not listed
 */
public record EventChunk(
    long offset,
    int payload,
    long number,
    long thread,
    long sequence,
    long firstEvent,
    long firstCall,
    long earliest,
    long latest,
    long lost,
    int events,
    int calls,
    int openBefore,
    int openAfter,
    int fewestOpen,
    int flags) {
  // Written out: what a record of so many parts makes of itself takes long at every start.
  @Override
  public boolean equals(Object other) {
    return other instanceof EventChunk chunk
        && chunk.offset == offset
        && chunk.payload == payload
        && chunk.number == number
        && Arrays.equals(chunk.indexed(), indexed());
  }

  @Override
  public int hashCode() {
    return Long.hashCode(offset);
  }

  /** Returns its size in the file, in bytes. */
  public long size() {
    return NtrLayout.chunkSize(payload);
  }

  /** Returns what an index has of it, in this order. */
  long[] indexed() {
    return new long[] {
      thread,
      sequence,
      firstEvent,
      firstCall,
      earliest,
      latest - earliest,
      lost,
      events,
      calls,
      openBefore,
      openAfter,
      fewestOpen,
      flags
    };
  }

  /** Returns true if some open frames are not listed because they were too many. */
  public boolean openIncomplete() {
    return (flags & NtrLayout.OPEN_INCOMPLETE) != 0;
  }

  /**
   * Frame that the recorder considered open at the start of the chunk.
   *
   * @param area number of its stack
   * @param function its number
   * @param slot its index among the traced frames of the stack, unsigned
   * @param key the address above its return address
   * @param returnAddress its return address
   * @param ticks time of its entry
   * @param call the number of the call in its thread, from 0
   */
  public record OpenFrame(
      int area, long function, int slot, long key, long returnAddress, long ticks, long call) {}
}
