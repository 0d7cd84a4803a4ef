package io.ntrail.formats.collections;

import org.jspecify.annotations.Nullable;

/**
 * Items in the order in which they were added; any of them can be removed without looking for it.
 * An item is in one such list at a time.
 *
 * @param <T> an item
 */
public final class LinkedItems<T extends LinkedItems.Item<T>> {
  /**
   * Item that knows those beside it.
   *
   * @param <T> its own type
   */
  public abstract static class Item<T extends Item<T>> {
    private @Nullable T before;
    private @Nullable T after;

    /** Creates one that is in no list. */
    protected Item() {}

    /** Returns the one that was added before it; it stays the same when this one is removed. */
    public final @Nullable T before() {
      return before;
    }

    /** Returns the one that was added after it; it stays the same when this one is removed. */
    public final @Nullable T after() {
      return after;
    }
  }

  private @Nullable T first;
  private @Nullable T last;

  /** Creates an empty list. */
  public LinkedItems() {}

  /** Returns the first item; null if there is none. */
  public @Nullable T first() {
    return first;
  }

  /** Returns the last item; null if there is none. */
  public @Nullable T last() {
    return last;
  }

  /** Adds an item behind all others. */
  public void add(T item) {
    T end = last;
    link(end, item);
    link(item, null);
  }

  /** Removes an item of this list. */
  public void remove(T item) {
    link(before(item), after(item));
  }

  /** Removes all items. */
  public void clear() {
    first = null;
    last = null;
  }

  private @Nullable T before(Item<T> item) {
    return item.before;
  }

  private @Nullable T after(Item<T> item) {
    return item.after;
  }

  /** Puts two items beside each other; null is the border. */
  private void link(@Nullable T left, @Nullable T right) {
    if (left == null) {
      first = right;
    } else {
      ((Item<T>) left).after = right;
    }
    if (right == null) {
      last = left;
    } else {
      ((Item<T>) right).before = left;
    }
  }
}
