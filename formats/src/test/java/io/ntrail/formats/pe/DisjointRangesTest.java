package io.ntrail.formats.pe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.pe.DisjointRanges.Piece;
import io.ntrail.testkit.ProcessorTime;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DisjointRangesTest {
  private static List<Piece> of(long... ranges) {
    DisjointRanges pieces = new DisjointRanges();
    for (int i = 0; i < ranges.length; i += 2) {
      pieces.add(ranges[i], ranges[i + 1]);
    }
    return pieces.sorted();
  }

  @Test
  void theFirstRangeKeepsWhatLaterOnesOverlap() {
    assertEquals(
        List.of(new Piece(0, 10, 1), new Piece(10, 20, 0), new Piece(20, 30, 1)),
        of(10, 20, 0, 30));
  }

  @Test
  void aRangeInsideOfAnotherLeavesNothing() {
    assertEquals(List.of(new Piece(0, 30, 0)), of(0, 30, 10, 20, 0, 30, 5, 5));
  }

  @Test
  void everyPlaceBelongsToTheFirstRangeThatHoldsIt() {
    Random random = new Random(7);
    for (int run = 0; run < 500; run++) {
      long[] ranges = new long[2 * (1 + random.nextInt(12))];
      for (int i = 0; i < ranges.length; i += 2) {
        ranges[i] = random.nextInt(60);
        ranges[i + 1] = ranges[i] + random.nextInt(20);
      }
      List<Piece> pieces = of(ranges);
      long[] begins = pieces.stream().mapToLong(Piece::begin).toArray();
      for (int place = 0; place < 90; place++) {
        int first = -1;
        for (int i = ranges.length - 2; i >= 0; i -= 2) {
          first = place >= ranges[i] && place < ranges[i + 1] ? i / 2 : first;
        }
        int at = DisjointRanges.find(begins, place);
        int found = at >= 0 && place < pieces.get(at).end() ? pieces.get(at).source() : -1;
        assertEquals(first, found, () -> java.util.Arrays.toString(ranges));
      }
    }
  }

  /** A square of so many would take minutes. */
  @Test
  void tensOfThousandsOfOverlappingRangesTakeNoTime() {
    ProcessorTime.within(
        Duration.ofSeconds(5),
        () -> {
          DisjointRanges pieces = new DisjointRanges();
          for (int i = 0; i < 30_000; i++) {
            pieces.add(4L * i, 4L * i + 2);
          }
          for (int i = 0; i < 30_000; i++) {
            pieces.add(i, 200_000L - i);
          }
          assertEquals(60_000, pieces.sorted().size());
        });
  }
}
