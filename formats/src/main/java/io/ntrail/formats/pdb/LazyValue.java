package io.ntrail.formats.pdb;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A value that is computed on first use, once, whatever the number of threads. */
final class LazyValue<T> implements Supplier<T> {
  private final Supplier<T> maker;
  private volatile @Nullable T value;

  LazyValue(Supplier<T> maker) {
    this.maker = maker;
  }

  @Override
  public T get() {
    T made = value;
    if (made != null) {
      return made;
    }
    synchronized (this) {
      made = value;
      if (made == null) {
        made = maker.get();
        value = made;
      }
      return made;
    }
  }
}
