package io.ntrail.formats.collections;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.testkit.Property;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of {@link IntList}, {@link LongList} and {@link Growth}. */
class ListsTest {
  @Test
  void intListIsLikeArrayList() {
    Property.check(g -> {
      IntList list = new IntList(g.below(20));
      List<Integer> expected = new ArrayList<>();
      for (int steps = g.length(300); steps > 0; steps--) {
        int value = (int) g.scaled();
        switch (g.below(6)) {
          case 0, 1 -> {
            list.add(value);
            expected.add(value);
          }
          case 2 -> {
            int[] more = g.list(20, e -> (int) e.scaled()).stream().mapToInt(v -> v).toArray();
            int at = g.below(more.length + 1);
            list.addAll(more, at, more.length - at);
            Arrays.stream(more, at, more.length).forEach(expected::add);
          }
          case 3 -> {
            if (!expected.isEmpty()) {
              assertEquals(expected.removeLast(), list.removeLast());
            }
          }
          case 4 -> {
            if (!expected.isEmpty()) {
              int index = g.below(expected.size());
              list.set(index, value);
              expected.set(index, value);
              assertEquals(value, list.get(index));
            }
          }
          default -> {
            int size = g.below(100);
            list.extend(size, value);
            expected.addAll(Collections.nCopies(Math.max(0, size - expected.size()), value));
          }
        }
        assertEquals(expected.size(), list.size());
        assertEquals(expected.isEmpty(), list.isEmpty());
      }
      int[] all = expected.stream().mapToInt(v -> v).toArray();
      assertArrayEquals(all, list.toArray());
      assertArrayEquals(all, Arrays.copyOf(list.array(), list.size()));
      list.clear();
      assertTrue(list.isEmpty());
    });
  }

  @Test
  void longListIsLikeArrayList() {
    Property.check(g -> {
      LongList list = new LongList(g.below(20));
      List<Long> expected = new ArrayList<>();
      for (int steps = g.length(300); steps > 0; steps--) {
        long value = g.scaled();
        switch (g.below(7)) {
          case 0, 1 -> {
            list.add(value);
            expected.add(value);
          }
          case 2 -> {
            long[] more = g.list(20, e -> e.scaled()).stream().mapToLong(v -> v).toArray();
            int at = g.below(more.length + 1);
            list.addAll(more, at, more.length - at);
            Arrays.stream(more, at, more.length).forEach(expected::add);
          }
          case 3 -> {
            if (!expected.isEmpty()) {
              assertEquals(expected.removeLast(), list.removeLast());
            }
          }
          case 4 -> {
            if (!expected.isEmpty()) {
              int index = g.below(expected.size());
              list.set(index, value);
              expected.set(index, value);
              assertEquals(value, list.get(index));
            }
          }
          case 5 -> {
            int size = g.below(100);
            list.extend(size, value);
            expected.addAll(Collections.nCopies(Math.max(0, size - expected.size()), value));
          }
          default -> {
            if (g.below(10) == 9) {
              list.sort();
              Collections.sort(expected);
            }
          }
        }
        assertEquals(expected.size(), list.size());
        assertEquals(expected.isEmpty(), list.isEmpty());
      }
      long[] all = expected.stream().mapToLong(v -> v).toArray();
      assertArrayEquals(all, list.toArray());
      assertArrayEquals(all, Arrays.copyOf(list.array(), list.size()));
      list.clear();
      assertTrue(list.isEmpty());
    });
  }

  @Test
  void whatIsNotThereIsRefused() {
    IntList ints = new IntList(8);
    LongList longs = new LongList(8);
    assertThrows(IndexOutOfBoundsException.class, () -> ints.get(0));
    assertThrows(IndexOutOfBoundsException.class, () -> ints.set(0, 1));
    assertThrows(IndexOutOfBoundsException.class, ints::removeLast);
    assertThrows(IndexOutOfBoundsException.class, () -> longs.get(0));
    assertThrows(IndexOutOfBoundsException.class, () -> longs.set(0, 1));
    assertThrows(IndexOutOfBoundsException.class, longs::removeLast);
    assertThrows(IndexOutOfBoundsException.class, () -> ints.addAll(new int[3], 2, 2));
    assertThrows(IndexOutOfBoundsException.class, () -> longs.addAll(new long[3], 2, 2));
  }

  @Test
  void arraysDoubleAndThenGrowByHalf() {
    assertEquals(16, Growth.length(0, 1));
    assertEquals(32, Growth.length(16, 17));
    assertEquals(3 << 19, Growth.length(1 << 20, (1 << 20) + 1));
    assertEquals(1000, Growth.length(16, 1000));
    assertEquals(Growth.MOST, Growth.length(Growth.MOST - 5, Growth.MOST - 4));
    assertThrows(OutOfMemoryError.class, () -> Growth.length(Growth.MOST, Growth.MOST + 1));
    assertThrows(OutOfMemoryError.class, () -> Growth.length(Growth.MOST, Integer.MIN_VALUE));
  }
}
