package io.ntrail.formats.collections;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.testkit.Property;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LongSetTest {
  @Test
  void isLikeHashSet() {
    Property.check(g -> {
      int kinds = 1 + g.length(400);
      boolean crowded = g.flag();
      LongSet set = new LongSet();
      Set<Long> expected = new HashSet<>();
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
      expected.forEach(value -> assertTrue(set.contains(value)));
    });
  }

  @Test
  void zeroIsAValueAsAnyOther() {
    LongSet set = new LongSet();
    assertFalse(set.contains(0));
    assertTrue(set.add(0));
    assertFalse(set.add(0));
    assertTrue(set.contains(0));
    assertEquals(1, set.size());
    set.clear();
    assertFalse(set.contains(0));
  }
}
