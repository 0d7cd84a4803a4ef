package io.ntrail.analysis.naming;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.collections.Growth;
import java.util.Arrays;
import java.util.function.LongPredicate;

/** Addresses of one stack, innermost first: what is called, before its caller. Used again. */
public final class StackAddresses {
  private static final long[] NONE = {};

  private long[] addresses = new long[256];
  private int[] numbers = new int[256];
  private int count;

  /** Addresses that numbers stand for. */
  private long[] numbered = NONE;

  /** Creates a stack without frames. */
  public StackAddresses() {}

  /** Returns the number of frames. */
  public int count() {
    return count;
  }

  /** Returns the address of a frame; 0 is the innermost. */
  public long address(int i) {
    int number = numbers[i];
    return number < 0 ? addresses[i] : numbered[number];
  }

  /**
   * Returns a small number that stands for the address of a frame among the stacks of a recording,
   * for those who remember something of addresses; -1 if it has none.
   */
  public int number(int i) {
    return numbers[i];
  }

  /**
   * Returns whether a frame's address is one that a call returns to. The innermost one, and what
   * the kernel was entered from, is where a thread was.
   *
   * @param isKernel whether an address is of the kernel's half
   */
  public boolean isReturn(int i, LongPredicate isKernel) {
    return i > 0 && (isKernel.test(address(i)) || !isKernel.test(address(i - 1)));
  }

  /** Removes all frames. */
  public void clear() {
    count = 0;
  }

  /** Adds the caller of the last frame. */
  public void add(long address) {
    if (count == addresses.length) {
      grow(count + 1);
    }
    numbers[count] = -1;
    addresses[count++] = address;
  }

  /** Sets the addresses of numbered frames, which are the same for all of a recording. */
  public void numberedIn(long[] addressesByNumber) {
    numbered = addressesByNumber;
  }

  /** Adds the caller of the last frame by the number of its address. */
  public void addNumbered(int number) {
    if (count == numbers.length) {
      grow(count + 1);
    }
    numbers[count++] = number;
  }

  private void grow(int needed) {
    int capacity = Growth.length(addresses.length, needed);
    addresses = Arrays.copyOf(addresses, capacity);
    numbers = Arrays.copyOf(numbers, capacity);
  }

  public void add(long[] from, int at, int length) {
    if (count + length > addresses.length) {
      grow(count + length);
    }
    System.arraycopy(from, at, addresses, count, length);
    Arrays.fill(numbers, count, count + length, -1);
    count += length;
  }

  /** Adds frames as records hold them. */
  public void add(Bytes bytes, int at, int frames, int pointerBytes) {
    if (count + frames > addresses.length) {
      grow(count + frames);
    }
    for (int i = 0; i < frames; i++) {
      addresses[count + i] = bytes.pointer(at + i * pointerBytes, pointerBytes);
    }
    Arrays.fill(numbers, count, count + frames, -1);
    count += frames;
  }

  /** Adds the frames of another stack after these. */
  public void addAll(StackAddresses other) {
    addAll(other, 0, other.count);
  }

  /** Adds some frames of another stack after these. */
  public void addAll(StackAddresses other, int from, int length) {
    int before = count;
    add(other.addresses, from, length);
    System.arraycopy(other.numbers, from, numbers, before, length);
    if (other.numbered.length > 0) {
      numbered = other.numbered;
    }
  }

  /** Puts an address before the innermost frame, unless that is it already. */
  public void setInnermost(long address) {
    if (count > 0 && address(0) == address) {
      return;
    }
    add(0);
    System.arraycopy(addresses, 0, addresses, 1, count - 1);
    System.arraycopy(numbers, 0, numbers, 1, count - 1);
    addresses[0] = address;
    numbers[0] = -1;
  }

  /** Returns a copy of the addresses. */
  public long[] toArray() {
    long[] result = new long[count];
    for (int i = 0; i < count; i++) {
      result[i] = address(i);
    }
    return result;
  }
}
