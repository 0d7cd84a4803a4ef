package io.ntrail.programs.x86.asm;

import io.ntrail.programs.x86.asm.operands.Label;
import java.util.Arrays;
import java.util.List;

/**
 * Layout of assembled code: the length of each relaxable fragment, and so the place of everything.
 *
 * <p>All jumps start short, and those that do not reach become near, until all reach: without
 * padding between them that is the shortest code possible. Padding may become shorter when jumps
 * become longer, so where there is padding a second round makes jumps short again that reach after
 * all. In the end no near jump could be short with the others as they are. The result depends on
 * nothing but the program.
 */
final class CodeLayout {
  private static final int LONGEST_JUMP = 6;

  private final Assembler owner;
  private final int fixedBytes;
  private final RelaxableFragment[] items;
  private final int[] lengths;

  /** Bytes of all items before each one, and of all of them. */
  private final int[] before;

  CodeLayout(Assembler owner, List<RelaxableFragment> elastic, int fixedBytes) {
    this.owner = owner;
    this.fixedBytes = fixedBytes;
    items = elastic.toArray(RelaxableFragment[]::new);
    lengths = new int[items.length];
    before = new int[items.length + 1];
    for (int i = 0; i < items.length; i++) {
      lengths[i] = items[i] instanceof RelaxableFragment.Jump jump ? jump.shortLength() : 0;
    }
    sum();
    grow();
    if (Arrays.stream(items).anyMatch(item -> !(item instanceof RelaxableFragment.Jump))) {
      shrink();
    }
    checkFills();
  }

  /** The place of a label. */
  int offset(Label label) {
    CodeLabel own = CodeLabel.of(label, owner);
    if (!own.isBound() || own.at() > fixedBytes || own.elasticBefore() > items.length) {
      throw new IllegalArgumentException("unbound label: " + label);
    }
    return offset(own.at(), own.elasticBefore());
  }

  /**
   * Returns the place after {@code fixed} fixed bytes and {@code elasticBefore} relaxable
   * fragments.
   */
  int offset(int fixed, int elasticBefore) {
    return fixed + before[elasticBefore];
  }

  /** The length of an item. */
  int length(int item) {
    return lengths[item];
  }

  /** Bytes of all items together. */
  int elasticBytes() {
    return before[items.length];
  }

  /** Returns the distance of a jump, counted from its end. */
  int distance(int item, Label target) {
    return offset(target) - offset(items[item].at(), item + 1);
  }

  private void sum() {
    for (int i = 0; i < items.length; i++) {
      int at = items[i].at() + before[i];
      if (items[i] instanceof RelaxableFragment.Align align) {
        lengths[i] = -at & (align.boundary() - 1);
      } else if (items[i] instanceof RelaxableFragment.Fill fill) {
        lengths[i] = Math.max(0, offset(fill.from()) + fill.size() - at);
      }
      before[i + 1] = before[i] + lengths[i];
    }
  }

  private void grow() {
    boolean changed = true;
    while (changed) {
      changed = false;
      for (int i = 0; i < items.length; i++) {
        if (items[i] instanceof RelaxableFragment.Jump jump
            && isShort(i, jump)
            && !reaches(i, jump)) {
          lengths[i] = jump.nearLength();
          changed = true;
        }
      }
      sum();
    }
  }

  private void shrink() {
    long limit = 128L + slack();
    boolean changed = true;
    while (changed) {
      changed = false;
      for (int i = 0; i < items.length; i++) {
        if (items[i] instanceof RelaxableFragment.Jump jump
            && !isShort(i, jump)
            && Math.abs((long) distance(i, jump.target())) <= limit) {
          lengths[i] = jump.shortLength();
          sum();
          if (allReach()) {
            changed = true;
          } else {
            lengths[i] = jump.nearLength();
            sum();
          }
        }
      }
    }
  }

  /**
   * Returns how far beyond one byte's reach a jump may go and still be worth a try: a fragment that
   * is shorter by a few bytes moves what follows a padding by no more than twice the largest
   * boundary.
   */
  private int slack() {
    int slack = LONGEST_JUMP;
    for (RelaxableFragment item : items) {
      if (item instanceof RelaxableFragment.Align align) {
        slack = Math.max(slack, 2 * align.boundary());
      }
    }
    return slack;
  }

  private boolean allReach() {
    for (int i = 0; i < items.length; i++) {
      if (items[i] instanceof RelaxableFragment.Jump jump
          && isShort(i, jump)
          && !reaches(i, jump)) {
        return false;
      }
    }
    return true;
  }

  private boolean isShort(int item, RelaxableFragment.Jump jump) {
    return lengths[item] == jump.shortLength();
  }

  private boolean reaches(int item, RelaxableFragment.Jump jump) {
    int distance = distance(item, jump.target());
    return distance == (byte) distance;
  }

  private void checkFills() {
    for (int i = 0; i < items.length; i++) {
      if (items[i] instanceof RelaxableFragment.Fill fill) {
        int used = offset(fill.at(), i) - offset(fill.from());
        if (used > fill.size()) {
          throw new IllegalArgumentException(
              "%d bytes after %s, more than %d".formatted(used, fill.from(), fill.size()));
        }
      }
    }
  }

  /** Writes a little-endian number. */
  static void put(byte[] target, int at, long value, int bytes) {
    for (int i = 0; i < bytes; i++) {
      target[at + i] = (byte) (value >>> (8 * i));
    }
  }
}
