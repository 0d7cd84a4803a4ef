package io.ntrail.formats.ntr;

import io.ntrail.formats.collections.Growth;
import java.util.Arrays;

/**
 * The sites of a chunk and which one followed which context: the model of docs/ntr.md section 6
 * that writer and reader share. Site 0 is the unknown one.
 *
 * <p>Arrays rather than {@link io.ntrail.formats.collections.Columns}: every event reads several of
 * them, and columns made writing a tenth slower.
 */
final class SiteTable {
  private static final long[] NONE = {};

  int count;
  long[] function;
  long[] returnAddress;
  long[] keyStep;
  int[] slotStep;
  int[] shape;
  long[] last;
  long[] second;
  long[][] arguments;
  long[][] exitValues;

  /** For each context the site that followed it, 0 if none did. */
  int[] following;

  SiteTable() {
    int capacity = 64;
    function = new long[capacity];
    returnAddress = new long[capacity];
    keyStep = new long[capacity];
    slotStep = new int[capacity];
    shape = new int[capacity];
    last = new long[capacity];
    second = new long[capacity];
    arguments = new long[capacity][];
    exitValues = new long[capacity][];
    Arrays.fill(arguments, NONE);
    Arrays.fill(exitValues, NONE);
    following = new int[2 * capacity];
    count = 1;
  }

  /** Forgets all of them; site 0 remembers nothing. */
  void clear() {
    Arrays.fill(following, 0, 2 * count, 0);
    Arrays.fill(arguments, 0, count, NONE);
    Arrays.fill(exitValues, 0, count, NONE);
    last[0] = 0;
    second[0] = 0;
    count = 1;
  }

  /** Defines the next site; it remembers nothing yet. */
  int define(long newFunction, long newReturnAddress, long step, int newSlotStep, int newShape) {
    if (count == function.length) {
      grow();
    }
    int site = count++;
    function[site] = newFunction;
    returnAddress[site] = newReturnAddress;
    keyStep[site] = step;
    slotStep[site] = newSlotStep;
    shape[site] = newShape;
    last[site] = 0;
    second[site] = 0;
    return site;
  }

  private void grow() {
    int capacity = Growth.length(count, count + 1);
    function = Arrays.copyOf(function, capacity);
    returnAddress = Arrays.copyOf(returnAddress, capacity);
    keyStep = Arrays.copyOf(keyStep, capacity);
    slotStep = Arrays.copyOf(slotStep, capacity);
    shape = Arrays.copyOf(shape, capacity);
    last = Arrays.copyOf(last, capacity);
    second = Arrays.copyOf(second, capacity);
    arguments = Arrays.copyOf(arguments, capacity);
    exitValues = Arrays.copyOf(exitValues, capacity);
    Arrays.fill(arguments, count, capacity, NONE);
    Arrays.fill(exitValues, count, capacity, NONE);
    following = Arrays.copyOf(following, 2 * capacity);
  }

  /** Returns the last arguments of a site, at least {@code n} of them. */
  long[] arguments(int site, int n) {
    return remembered(arguments, site, n);
  }

  /** Returns the last further values of a site's exits, at least {@code n} of them. */
  long[] exitValues(int site, int n) {
    return remembered(exitValues, site, n);
  }

  private static long[] remembered(long[][] of, int site, int n) {
    if (of[site].length < n) {
      of[site] = Arrays.copyOf(of[site], n);
    }
    return of[site];
  }

  /** Remembers a returned value. */
  void returned(int site, long value) {
    long before = last[site];
    long difference = before ^ value;
    // Without a branch: nothing predicts it.
    long isNew = (difference | -difference) >> 63;
    second[site] = before & isNew | second[site] & ~isNew;
    last[site] = value;
  }
}
