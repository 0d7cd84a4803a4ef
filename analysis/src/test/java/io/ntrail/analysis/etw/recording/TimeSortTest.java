package io.ntrail.analysis.etw.recording;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class TimeSortTest {
  private final TimeSort batch = new TimeSort();

  @Test
  void recordsOfOneTimeKeepTheOrderOfTheirRuns() {
    batch.clear(100);
    batch.addBefore(200, new long[] {110, 120, 200}, 0, 3, 0);
    batch.addBefore(200, new long[] {90, 100, 120, 121}, 1, 4, 1);
    batch.sort();
    assertEquals(List.of("100 1:1", "110 0:0", "120 0:1", "120 1:2", "121 1:3"), rows());
  }

  @Test
  void aLargeBatchOfOneTimeLeavesRoomForTheNextOnes() {
    long[] equal = new long[5000];
    Arrays.fill(equal, 7);
    batch.clear(7);
    batch.addBefore(8, equal, 0, equal.length, 0);
    batch.sort();
    assertEquals(7, batch.key(4999));
    long[] even = new long[2000];
    Arrays.setAll(even, i -> 2L * i);
    for (int count : List.of(500, 2000)) {
      batch.clear(0);
      batch.addBefore(4000, even, 0, count, 0);
      batch.addBefore(4000, even, 0, count, 1);
      batch.sort();
      assertEquals(2 * count, rows().size());
      assertEquals(List.of("0 0:0", "0 1:0", "2 0:1"), rows().subList(0, 3));
      assertEquals(2 * count - 2 + " 1:" + (count - 1), rows().getLast());
    }
  }

  private List<String> rows() {
    String[] rows = new String[batch.size()];
    Arrays.setAll(rows, i -> batch.key(i) + " " + batch.run(i) + ":" + batch.position(i));
    return List.of(rows);
  }
}
