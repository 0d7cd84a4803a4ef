package io.ntrail.live.session;

import io.ntrail.formats.collections.LongIntMap;

/**
 * Map from the low half of the address of a body thunk to the number of the function in the {@code
 * .ntr}. Used by one thread.
 */
final class FunctionNumbers {
  private final LongIntMap numbers = new LongIntMap(1 << 9);

  /**
   * Adds a function, or gives it another number.
   *
   * @param number 1 to 2^31 - 1
   */
  void put(int address, int number) {
    numbers.put(Integer.toUnsignedLong(address), number);
  }

  /** Returns the number of a function; 0 if it is unknown. */
  int of(int address) {
    return Math.max(0, numbers.get(Integer.toUnsignedLong(address)));
  }
}
