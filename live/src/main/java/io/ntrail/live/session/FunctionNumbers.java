package io.ntrail.live.session;

/**
 * Map from the low half of the address of a body thunk to the number of the function in the {@code
 * .ntr}. Used by one thread.
 */
final class FunctionNumbers {
  private int[] addresses = new int[1 << 10];

  /** Numbers; 0 where there is none. */
  private int[] numbers = new int[1 << 10];

  private int count;

  /**
   * Adds a function, or gives it another number.
   *
   * @param number 1 to 2^31 - 1
   */
  void put(int address, int number) {
    if (2 * (count + 1) > addresses.length) {
      grow();
    }
    int at = place(address);
    if (numbers[at] == 0) {
      count++;
    }
    addresses[at] = address;
    numbers[at] = number;
  }

  /** Returns the number of a function; 0 if it is unknown. */
  int of(int address) {
    return numbers[place(address)];
  }

  private int place(int address) {
    int mask = addresses.length - 1;
    int at = address * 0x9E37_79B1 >>> 8 & mask;
    while (numbers[at] != 0 && addresses[at] != address) {
      at = at + 1 & mask;
    }
    return at;
  }

  private void grow() {
    int[] before = addresses;
    int[] numbersBefore = numbers;
    addresses = new int[2 * before.length];
    numbers = new int[2 * before.length];
    for (int i = 0; i < before.length; i++) {
      if (numbersBefore[i] != 0) {
        int at = place(before[i]);
        addresses[at] = before[i];
        numbers[at] = numbersBefore[i];
      }
    }
  }
}
