package io.ntrail.cli.events;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class RecentMembersTest {
  private final RecentMembers recent = new RecentMembers();

  @Test
  void returnsTheMembersOfExactlyTheirValue() {
    byte[] members = {1};
    recent.keep(0x0801_0800, members);
    assertSame(members, recent.of(0x0801_0800));
    for (int bit = 0; bit < Integer.SIZE; bit++) {
      assertNull(recent.of(0x0801_0800 ^ 1 << bit));
    }
  }

  @Test
  void doesNotKnowZeroBeforeItIsKept() {
    assertNull(recent.of(0));
  }

  @Test
  void keepsTheLaterOfTwoValuesOfOnePlace() {
    // More values than places.
    for (int value = 0; value < 1_000; value++) {
      byte[] members = {(byte) value};
      recent.keep(value, members);
      assertSame(members, recent.of(value));
    }
  }

  @Test
  void doesNotKeepLongMembers() {
    recent.keep(7, new byte[1_000]);
    assertNull(recent.of(7));
  }

  @Test
  void isOfNoUseWhereMostValuesAreNew() {
    for (int value = 0; value < 2_000; value++) {
      assertNull(recent.of(value));
      recent.keep(value, new byte[1]);
    }
    assertFalse(recent.isUseful());
  }

  @Test
  void isOfUseWhereValuesComeAgain() {
    for (int i = 0; i < 10_000; i++) {
      int value = i % 3;
      if (recent.of(value) == null) {
        recent.keep(value, new byte[1]);
      }
    }
    assertTrue(recent.isUseful());
  }
}
