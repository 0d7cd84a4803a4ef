package io.ntrail.programs.x86;

import java.util.AbstractSet;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/** Some flags, which never change, in the order of their declaration. */
public final class FlagSet extends AbstractSet<Flag> {
  private static final Flag[] ALL = Flag.values();

  /** A bit per flag, by its ordinal number. */
  private final int bits;

  FlagSet(int bits) {
    this.bits = bits & (1 << ALL.length) - 1;
  }

  @Override
  public boolean contains(@Nullable Object flag) {
    return flag instanceof Flag one && (bits & one.bit()) != 0;
  }

  @Override
  public int size() {
    return Integer.bitCount(bits);
  }

  @Override
  public Iterator<Flag> iterator() {
    return new Iterator<>() {
      private int left = bits;

      @Override
      public boolean hasNext() {
        return left != 0;
      }

      @Override
      public Flag next() {
        if (left == 0) {
          throw new NoSuchElementException();
        }
        Flag flag = ALL[Integer.numberOfTrailingZeros(left)];
        left &= left - 1;
        return flag;
      }
    };
  }
}
