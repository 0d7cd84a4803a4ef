package io.ntrail.formats.bytes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Places that could not be read, collected by several. */
class GapsTest {
  private static final int LIMIT = 10_000;

  private static Gap at(long offset, String why) {
    return new Gap("file", offset, 8, "row", why);
  }

  private static Gaps from(long first, int count, String why) {
    Gaps gaps = new Gaps();
    for (int i = 0; i < count; i++) {
      gaps.add(at(first + i, why));
    }
    return gaps;
  }

  @Test
  void thoseOfAnotherCollectionAreAddedInOrderAndOnce() {
    Gaps gaps = from(10, 2, "first");
    gaps.add(from(8, 3, "second"));
    assertEquals(
        List.of(at(8, "second"), at(9, "second"), at(10, "first"), at(11, "first")), gaps.list());
    assertFalse(gaps.isBeyondLimit());
  }

  @Test
  void whatAnotherCollectionLeftOutIsLeftOutHere() {
    Gaps gaps = from(0, 3, "first");
    gaps.add(from(3, LIMIT + 5, "second"));
    assertTrue(gaps.isBeyondLimit());
    List<Gap> list = gaps.list();
    assertEquals(LIMIT + 1, list.size());
    assertEquals("at least 8 more places could not be read", list.getLast().why());
  }
}
