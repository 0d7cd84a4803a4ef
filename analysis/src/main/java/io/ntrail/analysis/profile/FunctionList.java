package io.ntrail.analysis.profile;

import java.util.Arrays;

/** Numbers of functions, innermost first. Used again. */
final class FunctionList {
  int[] numbers = new int[256];
  int count;

  void clear() {
    count = 0;
  }

  void add(int function) {
    if (count == numbers.length) {
      numbers = Arrays.copyOf(numbers, 2 * count);
    }
    numbers[count++] = function;
  }

  void addAll(int[] functions) {
    if (count + functions.length > numbers.length) {
      numbers = Arrays.copyOf(numbers, Math.max(count + functions.length, 2 * count));
    }
    System.arraycopy(functions, 0, numbers, count, functions.length);
    count += functions.length;
  }

  int[] toArray() {
    return Arrays.copyOf(numbers, count);
  }
}
