package io.ntrail.formats.collections;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.testkit.Property;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

class ColumnsTest {
  private record Row(int i, long l, short s, byte b, String o) {}

  private static final class Rows {
    final Columns columns;
    final IntColumn ints;
    final LongColumn longs;
    final ShortColumn shorts;
    final ByteColumn bytes;
    final ObjectColumn<String> objects;

    Rows(Columns columns) {
      this.columns = columns;
      ints = columns.ints();
      longs = columns.longs();
      shorts = columns.shorts();
      bytes = columns.bytes();
      objects = columns.objects();
    }

    void add(Row row) {
      int at = columns.add();
      ints.set(at, row.i);
      longs.set(at, row.l - 1);
      longs.add(at, 1);
      shorts.set(at, row.s);
      bytes.set(at, row.b);
      objects.set(at, row.o);
    }

    List<Row> list() {
      List<Row> list = new ArrayList<>();
      for (int i = 0; i < columns.rows(); i++) {
        list.add(new Row(ints.get(i), longs.get(i), shorts.get(i), bytes.get(i), objects.get(i)));
        assertEquals(ints.get(i), ints.array()[i]);
        assertEquals(longs.get(i), longs.array()[i]);
        assertEquals(shorts.get(i), shorts.array()[i]);
        assertEquals(bytes.get(i), bytes.array()[i]);
      }
      return list;
    }
  }

  @Test
  void rowsAreLikeAListOfRecords() {
    Property.check(g -> {
      Rows rows = new Rows(new Columns(g.below(20), 1 << 20));
      List<Row> expected = new ArrayList<>();
      for (int steps = g.length(300); steps > 0; steps--) {
        switch (g.below(12)) {
          case 0 -> {
            int left = g.below(expected.size() + 1);
            rows.columns.truncate(left);
            expected = new ArrayList<>(expected.subList(0, left));
          }
          case 1 -> {
            rows.columns.sort((a, b) -> Byte.compare(rows.bytes.get(a), rows.bytes.get(b)));
            expected.sort(Comparator.comparingInt(Row::b));
          }
          case 2 -> {
            List<Row> before = expected;
            int[] order =
                g.list(10, e -> e.below(Math.max(1, before.size()))).stream()
                    .mapToInt(v -> v)
                    .limit(before.size())
                    .toArray();
            rows.columns.permute(order);
            expected = new ArrayList<>();
            for (int row : order) {
              expected.add(before.get(row));
            }
          }
          case 3 -> {
            rows.columns.trim();
            assertEquals(expected.size(), rows.columns.capacity());
          }
          case 4 -> {
            Rows more = new Rows(new Columns(g.below(3)));
            for (Row row : expected.subList(0, g.below(expected.size() + 1))) {
              more.add(row);
            }
            rows.columns.addAll(more.columns);
            expected.addAll(more.list());
          }
          default -> {
            Row row =
                new Row((int) g.bits(), g.bits(), (short) g.bits(), (byte) g.below(5), g.text(3));
            rows.add(row);
            expected.add(row);
          }
        }
        assertEquals(expected.size(), rows.columns.rows());
      }
      assertEquals(expected, rows.list());
      rows.columns.clear();
      assertEquals(0, rows.columns.rows());
    });
  }

  @Test
  void aLimitIsKept() {
    Columns columns = new Columns(0, 20);
    IntColumn column = columns.ints();
    for (int i = 0; i < 20; i++) {
      assertFalse(columns.isFull());
      assertEquals(0, column.array().length == 0 ? 0 : column.get(Math.min(i, 15)));
      columns.add();
    }
    assertTrue(columns.isFull());
    assertEquals(20, columns.capacity());
    assertThrows(IllegalStateException.class, columns::add);
    assertEquals(20, columns.rows());
  }

  @Test
  void rowsMayBeAppendedTogether() {
    Columns columns = new Columns(0, 100);
    IntColumn column = columns.ints();
    assertEquals(0, columns.add(3));
    column.set(2, 7);
    assertEquals(3, columns.add(97));
    assertEquals(7, column.get(2));
    assertEquals(0, column.get(99));
    assertThrows(IllegalStateException.class, () -> columns.add(1));
    assertEquals(100, columns.rows());
  }

  @Test
  void columnsComeBeforeRows() {
    Columns columns = new Columns();
    columns.add();
    assertThrows(IllegalStateException.class, columns::ints);
  }

  @Test
  void rowsThatAreNotThereCannotBeLeft() {
    Columns columns = new Columns();
    columns.add();
    assertThrows(IndexOutOfBoundsException.class, () -> columns.truncate(2));
    assertThrows(IndexOutOfBoundsException.class, () -> columns.truncate(-1));
    assertThrows(IllegalArgumentException.class, () -> columns.permute(new int[2]));
  }
}
