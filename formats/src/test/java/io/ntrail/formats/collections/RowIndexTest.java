package io.ntrail.formats.collections;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.testkit.Property;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

class RowIndexTest {
  /** An index over a list of keys, with any hash. */
  private static final class Keys {
    final List<Long> keys = new ArrayList<>();
    final LongUnaryOperator hash;
    final RowIndex index;

    Keys(int expected, LongUnaryOperator hash) {
      this.hash = hash;
      this.index = new RowIndex(expected, row -> hash.applyAsLong(keys.get(row)));
    }

    int slot(long key) {
      int slot = index.slot(hash.applyAsLong(key));
      int row = index.row(slot);
      while (row >= 0 && keys.get(row) != key) {
        slot = index.next(slot);
        row = index.row(slot);
      }
      return slot;
    }

    int find(long key) {
      return index.row(slot(key));
    }

    void put(long key) {
      int slot = slot(key);
      keys.add(key);
      index.put(slot, keys.size() - 1);
    }
  }

  @Test
  void findsTheLastRowOfEachKey() {
    Property.check(g -> {
      int kinds = 1 + g.length(300);
      long factor = g.oneOf(0x9E37_79B9_7F4A_7C15L, 1L, 0L, 1L << 62);
      Keys keys = new Keys(g.below(40), key -> key * factor);
      Map<Long, Integer> expected = new HashMap<>();
      for (int steps = g.length(600); steps > 0; steps--) {
        long key = g.below(kinds);
        if (g.flag()) {
          keys.put(key);
          expected.put(key, keys.keys.size() - 1);
        } else if (g.below(300) == 299) {
          keys.index.clear();
          expected.clear();
        }
        assertEquals(expected.getOrDefault(key, -1), keys.find(key));
      }
      for (long key = 0; key < kinds; key++) {
        assertEquals(expected.getOrDefault(key, -1), keys.find(key));
      }
    });
  }

  /** Keys as they occur, in steps and by halves, are spread as if they were random. */
  @Test
  void probesAreFew() {
    LongUnaryOperator[] shapes = {
      i -> i,
      i -> i << 12,
      i -> i << 44,
      i -> i % 100 << 32 | i / 100,
      i -> 0x7FF8_0000_0000L + 16 * i
    };
    for (LongUnaryOperator shape : shapes) {
      Keys keys = new Keys(0, Hashing::hash);
      int count = 1 << 14;
      for (int i = 0; i < count; i++) {
        keys.put(shape.applyAsLong(i));
      }
      long steps = 0;
      for (long key : keys.keys) {
        int slot = keys.index.slot(Hashing.hash(key));
        while (keys.keys.get(keys.index.row(slot)) != key) {
          slot = keys.index.next(slot);
          steps++;
        }
      }
      assertTrue(steps < 8L * count, steps + " steps for " + count + " keys");
    }
  }

  @Test
  void everyWordCounts() {
    assertTrue(Hashing.hash(1, 0) != Hashing.hash(0, 1));
    assertTrue(Hashing.hash(1, 0, 0) != Hashing.hash(0, 0, 1));
    assertTrue(Hashing.hash(0, 1, 0) != Hashing.hash(0, 0, 1));
    assertEquals(Hashing.hash(5), Hashing.hash(5, 0));
    assertEquals(Hashing.hash(5, 6), Hashing.hash(5, 6, 0));
  }
}
