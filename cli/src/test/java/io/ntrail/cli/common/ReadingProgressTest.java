package io.ntrail.cli.common;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.analysis.etw.recording.ReadingState.Pass;
import io.ntrail.analysis.etw.recording.StoppedReading;
import io.ntrail.analysis.model.StoppableWork.Position;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The words about how far reading came. */
class ReadingProgressTest {
  @Test
  void theLineNamesThePass() {
    assertEquals(
        "looking through shop.etl  43 %   181.5 MiB of 412.6 MiB   61 MiB/s",
        ReadingProgress.line(
            "shop.etl", new Position<>(Pass.SURVEY, 190_316_544, 432_642_458), 2.9754));
    assertEquals(
        "finding the stacks of shop.etl  50 %",
        ReadingProgress.line("shop.etl", new Position<>(Pass.STACKS, 3, 6), 1));
    assertEquals(
        "reading shop.etl in order of time  99 %",
        ReadingProgress.line("shop.etl", new Position<>(Pass.IN_ORDER, 999, 1000), 1));
  }

  @Test
  void nothingSaysAHundredPercent() {
    for (Pass pass : Pass.values()) {
      assertEquals(
          "shop.etl is read: making the answer",
          ReadingProgress.line("shop.etl", new Position<>(pass, 7, 7), 1));
    }
  }

  @Test
  void aStopTellsTimeAndBytes() {
    assertEquals(
        "stopped at 61 % (38.100 s of 62.400 s, 2 KiB of 3 KiB read); the answer covers that part"
            + " only",
        ReadingProgress.text(
            new StoppedReading(0, 38_100_000_000L, 62_400_000_000L, 2048, 3072, List.of())));
  }
}
