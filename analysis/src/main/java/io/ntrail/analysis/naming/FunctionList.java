package io.ntrail.analysis.naming;

import java.util.Arrays;

/**
 * Functions of a stack by their numbers in a {@link FunctionIndex}, innermost first. Used again.
 */
public final class FunctionList {
  private int[] numbers = new int[256];
  private int count;

  /** Creates an empty list. */
  public FunctionList() {}

  /** Returns how many functions there are. */
  public int count() {
    return count;
  }

  /** Returns the number of a function; 0 is the innermost. */
  public int get(int i) {
    return numbers[i];
  }

  /** Removes all functions. */
  public void clear() {
    count = 0;
  }

  /** Adds the caller of the last function. */
  public void add(int function) {
    if (count == numbers.length) {
      numbers = Arrays.copyOf(numbers, 2 * count);
    }
    numbers[count++] = function;
  }

  /** Adds the callers of the last function. */
  public void addAll(int[] functions) {
    if (count + functions.length > numbers.length) {
      numbers = Arrays.copyOf(numbers, Math.max(count + functions.length, 2 * count));
    }
    System.arraycopy(functions, 0, numbers, count, functions.length);
    count += functions.length;
  }

  /** Returns a copy of the numbers. */
  public int[] toArray() {
    return Arrays.copyOf(numbers, count);
  }
}
