package io.ntrail.cli.events;

import org.jspecify.annotations.Nullable;

/**
 * Members of JSON that were written a moment ago, by the four bytes that they tell: states,
 * priorities, flags and ids have few values. Of no use where most are new.
 */
final class RecentMembers {
  private static final int BITS = 6;

  /** Values whose members are kept. */
  private static final int SLOTS = 1 << BITS;

  /** Length of members that are kept. */
  private static final int LONGEST = 1 << 8;

  /** Number by which new values may be more than known ones. */
  private static final int PATIENCE = 1 << 9;

  private final int[] words = new int[SLOTS];
  private final byte[] @Nullable [] members = new byte[SLOTS][];
  private int balance = PATIENCE;

  /** Keeps nothing yet. */
  RecentMembers() {}

  private static int slot(int word) {
    return word * 0x9E37_79B1 >>> Integer.SIZE - BITS;
  }

  /** Returns the members of a value; null if they are not known. */
  byte @Nullable [] of(int word) {
    int slot = slot(word);
    byte[] known = members[slot];
    if (known == null || words[slot] != word) {
      balance--;
      return null;
    }
    balance++;
    return known;
  }

  /** Returns whether more values were known than new, or only some of them less. */
  boolean isUseful() {
    return balance >= 0;
  }

  /** Keeps the members of a value. */
  void keep(int word, byte[] made) {
    if (made.length <= LONGEST) {
      int slot = slot(word);
      words[slot] = word;
      members[slot] = made;
    }
  }
}
