package io.ntrail.formats.collections;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.testkit.Property;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LongLongMapTest {
  private static Map<Long, Long> copy(LongLongMap map) {
    Map<Long, Long> copy = new LinkedHashMap<>();
    map.forEach(copy::put);
    return copy;
  }

  @Test
  void isLikeLinkedHashMap() {
    Property.check(g -> {
      int kinds = 1 + g.length(400);
      boolean crowded = g.flag();
      LongLongMap map = new LongLongMap();
      Map<Long, Long> expected = new LinkedHashMap<>();
      for (int steps = g.length(1000); steps > 0; steps--) {
        long key = ChosenKeys.draw(g, kinds, crowded);
        long value = g.scaled();
        switch (g.below(4)) {
          case 0 -> {
            map.add(key, value);
            expected.merge(key, value, Long::sum);
          }
          case 1 -> {
            map.put(key, value);
            expected.put(key, value);
          }
          case 2 -> {
            if (g.below(200) == 199) {
              map.clear();
              expected.clear();
            }
          }
          default -> assertEquals(expected.containsKey(key), map.containsKey(key));
        }
        assertEquals(expected.getOrDefault(key, 0L), map.get(key));
        assertEquals(expected.size(), map.size());
      }
      assertEquals(expected.entrySet().stream().toList(), copy(map).entrySet().stream().toList());
    });
  }

  @Test
  void valuesOfANewKeyBeginAtZeroAfterClearToo() {
    LongLongMap map = new LongLongMap();
    map.add(7, 5);
    map.clear();
    map.add(8, 1);
    assertEquals(1, map.get(8));
    assertEquals(0, map.get(7));
  }
}
