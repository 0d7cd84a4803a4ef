package io.ntrail.testkit;

import java.util.ArrayList;
import java.util.List;

/**
 * The part of a long sweep that an ordinary run goes through; with {@code -Dntrail.long=true} it is
 * the whole. The same part every time.
 */
public final class Slice {
  private static final boolean LONG = Boolean.getBoolean("ntrail.long");

  private Slice() {}

  /**
   * Returns each element whose index is a multiple of {@code every}, from the first on.
   *
   * @param all in an order that is the same every time
   */
  public static <T> List<T> of(List<T> all, int every) {
    List<T> slice = new ArrayList<>();
    for (int i = 0; i < all.size(); i += LONG ? 1 : every) {
      slice.add(all.get(i));
    }
    return slice;
  }

  /** Returns one number for whole sweeps and another for slices: what is counted, or tried. */
  public static int count(int inAll, int inSlice) {
    return LONG ? inAll : inSlice;
  }
}
