package io.ntrail.formats.collections;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.ntrail.testkit.Property;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LongIntMapTest {
  @Test
  void isLikeHashMap() {
    Property.check(g -> {
      int kinds = 1 + g.length(400);
      boolean crowded = g.flag();
      LongIntMap map = new LongIntMap(g.below(40));
      Map<Long, Integer> expected = new HashMap<>();
      for (int steps = g.length(1000); steps > 0; steps--) {
        long key = ChosenKeys.draw(g, kinds, crowded);
        if (g.below(500) == 499) {
          map.clear();
          expected.clear();
        } else if (g.flag()) {
          int value = (int) (g.scaled() & Integer.MAX_VALUE);
          map.put(key, value);
          expected.put(key, value);
        }
        assertEquals(expected.getOrDefault(key, -1), map.get(key));
        assertEquals(expected.size(), map.size());
      }
      expected.forEach((key, value) -> assertEquals(value, map.get(key)));
    });
  }

  @Test
  void keysHaveTheChosenHash() {
    Property.check(g -> {
      long hash = g.bits();
      assertEquals(hash, Hashing.hash(ChosenKeys.withHash(hash)));
    });
  }

  @Test
  void everyKeyIsAllowed() {
    LongIntMap map = new LongIntMap();
    long[] keys = {0, -1, 1, Long.MIN_VALUE, Long.MAX_VALUE};
    for (int i = 0; i < keys.length; i++) {
      assertEquals(-1, map.get(keys[i]));
      map.put(keys[i], i);
    }
    for (int i = 0; i < keys.length; i++) {
      assertEquals(i, map.get(keys[i]));
    }
    map.put(0, Integer.MAX_VALUE);
    assertEquals(Integer.MAX_VALUE, map.get(0));
    assertEquals(keys.length, map.size());
  }

  @Test
  void negativeValuesAreRefused() {
    LongIntMap map = new LongIntMap();
    assertThrows(IllegalArgumentException.class, () -> map.put(1, -1));
    assertEquals(0, map.size());
  }
}
