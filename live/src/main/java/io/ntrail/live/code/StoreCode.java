package io.ntrail.live.code;

import io.ntrail.formats.bytes.Bytes;
import java.util.List;

/**
 * Routine that a thread of its own runs in a target: it writes two bytes at each of many addresses,
 * with one store each, where it finds the expected value. It can lie anywhere.
 */
public interface StoreCode {
  /** Returns the code, and after it its function table with the unwind data. */
  byte[] bytes();

  /** Returns the offset of the function table. */
  int tableAt();

  /** Returns the number of entries of the function table. */
  int entries();

  /** Returns the parameters of the routine. */
  byte[] parameters(List<Store> stores);

  /** Returns the stores that were made, from the parameters after the routine has run. */
  List<Store> made(Bytes parameters, List<Store> stores);

  /**
   * Two bytes to write.
   *
   * @param address of both, within one cache line
   * @param expected present value, little-endian
   * @param value new value
   */
  record Store(long address, int expected, int value) {}
}
