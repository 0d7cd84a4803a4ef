package io.ntrail.formats.collections;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.ntrail.testkit.Property;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LinkedItemsTest {
  private static final class Numbered extends LinkedItems.Item<Numbered> {
    final int number;

    Numbered(int number) {
      this.number = number;
    }
  }

  private static List<Integer> forwards(LinkedItems<Numbered> items) {
    List<Integer> numbers = new ArrayList<>();
    for (Numbered one = items.first(); one != null; one = one.after()) {
      numbers.add(one.number);
    }
    return numbers;
  }

  private static List<Integer> backwards(LinkedItems<Numbered> items) {
    List<Integer> numbers = new ArrayList<>();
    for (@Nullable Numbered one = items.last(); one != null; one = one.before()) {
      numbers.addFirst(one.number);
    }
    return numbers;
  }

  @Test
  void itemsStayInOrderWhicheverAreRemoved() {
    Property.check(gen -> {
      LinkedItems<Numbered> items = new LinkedItems<>();
      List<Numbered> expected = new ArrayList<>();
      for (int i = gen.length(60); i > 0; i--) {
        if (expected.isEmpty() || gen.below(3) != 0) {
          Numbered one = new Numbered(i);
          items.add(one);
          expected.add(one);
        } else {
          items.remove(expected.remove(gen.below(expected.size())));
        }
        List<Integer> numbers = expected.stream().map(one -> one.number).toList();
        assertEquals(numbers, forwards(items));
        assertEquals(numbers, backwards(items));
      }
      items.clear();
      assertNull(items.first());
      assertNull(items.last());
    });
  }
}
