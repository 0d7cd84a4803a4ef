package io.ntrail.formats.collections;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.testkit.Property;
import java.util.LinkedHashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LongSetTest {
  @Test
  void isLikeLinkedHashSet() {
    Property.check(g -> {
      int kinds = 1 + g.length(400);
      boolean crowded = g.flag();
      LongSet set = new LongSet();
      Set<Long> expected = new LinkedHashSet<>();
      for (int steps = g.length(1000); steps > 0; steps--) {
        long value = ChosenKeys.draw(g, kinds, crowded);
        if (g.below(500) == 499) {
          set.clear();
          expected.clear();
        } else if (g.flag()) {
          assertEquals(expected.add(value), set.add(value));
        }
        assertEquals(expected.contains(value), set.contains(value));
        assertEquals(expected.size(), set.size());
      }
      assertArrayEquals(expected.stream().mapToLong(v -> v).toArray(), set.toArray());
    });
  }
}
