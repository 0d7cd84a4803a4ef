package io.ntrail.formats.collections;

import java.util.ArrayList;
import java.util.List;

/**
 * Table of parallel primitive columns that grow together: one row is one entry of each column.
 *
 * <pre>{@code
 * private final Columns notes = new Columns();
 * private final IntColumn processes = notes.ints();
 * private final LongColumn times = notes.longs();
 *
 * void note(int process, long time) {
 *   int row = notes.add();
 *   processes.set(row, process);
 *   times.set(row, time);
 * }
 * }</pre>
 *
 * <p>All columns are made before the first row is added.
 */
public final class Columns {
  private final int limit;
  private final List<Column> columns = new ArrayList<>();
  private int capacity;
  private int rows;

  /** Makes a table without columns and rows. */
  public Columns() {
    this(0);
  }

  /**
   * Makes a table without columns and rows.
   *
   * @param capacity rows that it has room for before it grows
   */
  public Columns(int capacity) {
    this(capacity, Growth.MOST);
  }

  /**
   * Makes a table without columns and rows.
   *
   * @param capacity rows that it has room for before it grows
   * @param limit rows that it can have at most
   */
  public Columns(int capacity, int limit) {
    this.capacity = Math.min(capacity, limit);
    this.limit = limit;
  }

  private <C extends Column> C with(C column) {
    if (rows > 0) {
      throw new IllegalStateException("there are rows already");
    }
    columns.add(column);
    return column;
  }

  /** Makes a column of ints. */
  public IntColumn ints() {
    return with(new IntColumn(capacity));
  }

  /** Makes a column of longs. */
  public LongColumn longs() {
    return with(new LongColumn(capacity));
  }

  /** Makes a column of shorts. */
  public ShortColumn shorts() {
    return with(new ShortColumn(capacity));
  }

  /** Makes a column of bytes. */
  public ByteColumn bytes() {
    return with(new ByteColumn(capacity));
  }

  /** Makes a column of objects. */
  public <T> ObjectColumn<T> objects() {
    return with(new ObjectColumn<>(capacity));
  }

  /** Returns the number of rows. */
  public int rows() {
    return rows;
  }

  /** Returns whether the table has as many rows as its limit allows. */
  public boolean isFull() {
    return rows == limit;
  }

  /** Returns the number of rows that there is room for before the columns grow. */
  public int capacity() {
    return capacity;
  }

  /**
   * Appends a row and returns its number. Its values are 0 unless rows were taken away before: then
   * they may be those of such a row.
   *
   * @throws IllegalStateException if the table is full
   */
  public int add() {
    if (rows == capacity) {
      grow();
    }
    return rows++;
  }

  /**
   * Appends rows, as {@link #add()} does, and returns the number of the first one.
   *
   * @throws IllegalStateException if there is no room for all of them; none is appended
   */
  public int add(int more) {
    int first = rows;
    room(more);
    rows = first + more;
    return first;
  }

  /**
   * Appends the rows of another table, whose columns are of the same types.
   *
   * @throws IllegalStateException if there is no room for all of them; none is appended
   */
  public void addAll(Columns other) {
    room(other.rows);
    for (int i = 0; i < columns.size(); i++) {
      Object from = other.columns.get(i).storage();
      System.arraycopy(from, 0, columns.get(i).storage(), rows, other.rows);
    }
    rows += other.rows;
  }

  private void room(int more) {
    if (more > limit - rows) {
      throw new IllegalStateException("more than " + limit + " rows");
    }
    int sum = rows + more;
    if (sum > capacity) {
      resize(Math.min(limit, Growth.length(capacity, sum)));
    }
  }

  private void grow() {
    if (rows == limit) {
      throw new IllegalStateException("more than " + limit + " rows");
    }
    resize(Math.min(limit, Growth.length(capacity, rows + 1)));
  }

  private void resize(int length) {
    for (Column column : columns) {
      column.resize(length);
    }
    capacity = length;
  }

  /** Takes rows away at the end so that so many are left. */
  public void truncate(int left) {
    if (left < 0 || left > rows) {
      throw new IndexOutOfBoundsException(left);
    }
    rows = left;
  }

  /** Takes all rows away; the memory is kept. */
  public void clear() {
    rows = 0;
  }

  /** Gives memory back that no row needs. */
  public void trim() {
    resize(rows);
  }

  /** Sorts the rows; equal ones keep their order. */
  public void sort(RowSort.Order order) {
    permute(RowSort.sorted(rows, order));
  }

  /**
   * Puts the rows into another order.
   *
   * @param order of each new row the number that it had; rows whose number is missing are taken
   *     away
   */
  public void permute(int[] order) {
    if (order.length > rows) {
      throw new IllegalArgumentException(order.length + " rows out of " + rows);
    }
    for (Column column : columns) {
      column.permute(order);
    }
    rows = order.length;
  }
}
