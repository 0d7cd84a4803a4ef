package io.ntrail.live.code;

import io.ntrail.formats.bytes.Bytes;
import java.util.List;

/** Measurement in a target of the overhead that tracing adds to a call. */
public interface OverheadTest {
  /** Returns the size and the alignment of the buffer for records. */
  int bufferBytes();

  /** Returns the parameters of the routine, which also get its results. */
  byte[] parameters(long buffer);

  /** Returns the address of the slot's code. */
  long slot();

  /** Returns the size of the slot's code. */
  int slotBytes();

  /** Returns the writes that make the slot read the clock, or not. */
  List<MemoryWrite> clock(boolean on);

  /** Reads the results. */
  Ticks ticks(Bytes results);

  /**
   * Ticks of the time stamp counter.
   *
   * @param traced of all calls with records
   * @param unrecorded of all calls without records
   * @param plain of all calls without tracing
   * @param clock of as many pairs of readings of the clock
   * @param calls number of calls
   */
  record Ticks(long traced, long unrecorded, long plain, long clock, int calls) {}
}
