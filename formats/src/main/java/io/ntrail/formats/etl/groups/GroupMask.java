package io.ntrail.formats.etl.groups;

import io.ntrail.formats.bytes.BytesBuilder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Groups of kernel events that a session logs: PERFINFO_GROUPMASK, eight words of 32 bits.
 *
 * <p>A group is written as a constant, too: the word's index in the top three bits, its bits below
 * ({@code 0x20000002}: bit 1 of word 1). Source: ntwmi.h, StackWalkFlags.txt of UIforETW.
 * Immutable.
 */
public final class GroupMask {
  /** Bytes of a mask. */
  public static final int BYTES = 32;

  /** No group. */
  public static final GroupMask NONE = new GroupMask(new int[BYTES / Integer.BYTES]);

  private static final int WORD_SHIFT = 29;
  private static final int BITS = (1 << WORD_SHIFT) - 1;

  private final int[] words;

  private GroupMask(int[] words) {
    this.words = words;
  }

  /** Returns the mask of a constant. */
  public static GroupMask of(int constant) {
    int[] words = new int[BYTES / Integer.BYTES];
    words[constant >>> WORD_SHIFT] = constant & BITS;
    return new GroupMask(words);
  }

  /** Returns the groups of both. */
  public GroupMask and(GroupMask other) {
    int[] all = words.clone();
    for (int i = 0; i < all.length; i++) {
      all[i] |= other.words[i];
    }
    return new GroupMask(all);
  }

  /** Returns the groups that another one does not have. */
  public GroupMask without(GroupMask other) {
    int[] rest = words.clone();
    for (int i = 0; i < rest.length; i++) {
      rest[i] &= ~other.words[i];
    }
    return new GroupMask(rest);
  }

  /** Returns whether it has no group. */
  public boolean isEmpty() {
    return Arrays.stream(words).allMatch(word -> word == 0);
  }

  /** Returns whether it has all groups of another. */
  public boolean hasAll(GroupMask other) {
    for (int i = 0; i < words.length; i++) {
      if ((words[i] & other.words[i]) != other.words[i]) {
        return false;
      }
    }
    return true;
  }

  /** Returns a word: 0 has the EnableFlags of EVENT_TRACE_PROPERTIES. */
  public int word(int index) {
    return words[index];
  }

  /** Returns the constants of all words that have groups, as hexadecimal numbers. */
  List<String> constants() {
    List<String> constants = new ArrayList<>();
    for (int i = 0; i < words.length; i++) {
      if (words[i] != 0) {
        constants.add("0x%X".formatted(i << WORD_SHIFT | words[i]));
      }
    }
    return constants;
  }

  /** Returns the bytes of the structure, as EnableKernelFlags has them. */
  public byte[] toBytes() {
    BytesBuilder bytes = new BytesBuilder(BYTES);
    for (int word : words) {
      bytes.u32(word);
    }
    return bytes.toArray();
  }
}
