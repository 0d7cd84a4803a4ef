package io.ntrail.cli.common;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.analysis.model.StoppableWork.Position;
import org.junit.jupiter.api.Test;

/** The words about how far work in phases came. */
class WorkPhaseTest {
  private static final WorkPhase FILES = new WorkPhase("reading the dumps of crashes", "file");
  private static final WorkPhase BYTES = WorkPhase.ofBytes("following the flow of trace.pt");

  @Test
  void theLineNamesThePhaseAndItsMeasure() {
    assertEquals(
        "reading the dumps of crashes  37 %   3 of 8 files", FILES.line(new Position<>("", 3, 8)));
    assertEquals(
        "following the flow of trace.pt  43 %   181.5 MiB of 412.6 MiB",
        BYTES.line(new Position<>("", 190_316_544, 432_642_458)));
  }

  @Test
  void nothingSaysAHundredPercent() {
    assertEquals(
        "reading the dumps of crashes  99 %   1,999 of 2,000 files",
        FILES.line(new Position<>("", 1_999, 2_000)));
    assertEquals(
        "reading the dumps of crashes: making the answer", FILES.line(new Position<>("", 8, 8)));
  }

  @Test
  void aStopTellsWhatWasReadOfHowMuch() {
    assertEquals(
        "stopped at 37 % (3 of 8 files read); the answer covers that part only",
        FILES.stopped(new Position<>("", 3, 8)));
    assertEquals(
        "stopped at 50 % (2 KiB of 4 KiB read); the answer covers that part only",
        BYTES.stopped(new Position<>("", 2048, 4096)));
  }
}
