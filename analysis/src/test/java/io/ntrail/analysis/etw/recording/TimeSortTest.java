package io.ntrail.analysis.etw.recording;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class TimeSortTest {
  private final TimeSort batch = new TimeSort();

  @Test
  void recordsOfOneTimeKeepTheOrderOfTheirRuns() {
    batch.clear(100, 4);
    batch.addUpTo(199, new long[] {110, 120, 200}, 0, 3);
    batch.addUpTo(199, new long[] {90, 100, 120, 121}, 1, 4);
    batch.sort();
    assertEquals(List.of("100 1:0", "110 0:0", "120 0:1", "120 1:1", "121 1:2"), rows());
  }

  @Test
  void aLargeBatchOfOneTimeLeavesRoomForTheNextOnes() {
    long[] equal = new long[5000];
    Arrays.fill(equal, 7);
    batch.clear(7, 0);
    batch.addUpTo(7, equal, 0, equal.length);
    assertEquals(4000, batch.addUpTo(7, equal, 3999, 4000));
    batch.sort();
    assertEquals(7, batch.key(4999));
    assertEquals(List.of("7 0:4999", "7 1:0"), rows().subList(4999, 5001));
    long[] even = new long[2000];
    Arrays.setAll(even, i -> 2L * i);
    for (int count : List.of(500, 2000)) {
      batch.clear(0, 2048);
      batch.addUpTo(3999, even, 0, count);
      batch.addUpTo(3999, even, 0, count);
      batch.sort();
      assertEquals(2 * count, rows().size());
      assertEquals(List.of("0 0:0", "0 1:0", "2 0:1"), rows().subList(0, 3));
      assertEquals(2 * count - 2 + " 1:" + (count - 1), rows().getLast());
    }
  }

  private List<String> rows() {
    String[] rows = new String[batch.size()];
    Arrays.setAll(rows, i -> batch.key(i) + " " + batch.run(i) + ":" + batch.place(i));
    return List.of(rows);
  }
}
