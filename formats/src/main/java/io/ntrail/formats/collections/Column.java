package io.ntrail.formats.collections;

/** One column of {@link Columns}. */
abstract sealed class Column permits ByteColumn, IntColumn, LongColumn, ObjectColumn, ShortColumn {
  abstract void resize(int length);

  abstract void permute(int[] order);

  /** Returns the array of its values. */
  abstract Object storage();
}
