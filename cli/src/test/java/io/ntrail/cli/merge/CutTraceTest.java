package io.ntrail.cli.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.testkit.etl.TraceRecording;
import io.ntrail.testkit.pt.PtPackets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cut keeps the Processor Trace behind events that it keeps, and the events of what it keeps. */
class CutTraceTest {
  private static final int PID = 4000;
  private static final long USER = 0x0000_0001L;

  @TempDir private Path folder;
  private Path whole = Path.of("");

  @BeforeEach
  void record() throws IOException {
    whole = folder.resolve("whole.etl");
    TraceRecording recording = new TraceRecording();
    recording.process(PID, 4008, "shop.exe").process(5000, 5008, "stock.exe");
    byte[] stream =
        new PtPackets(false)
            .psb()
            .psbEnd()
            .mode(64)
            .ip(PtPackets.PGE, 0x401000)
            .noIp(PtPackets.PGD)
            .toByteArray();
    for (int i = 1; i <= 6; i++) {
      boolean isShop = i % 2 == 1;
      recording.onto(100L * i - 50, isShop ? 1 : 2, isShop ? 4008 : 5008, 0);
      recording.traced(
          100L * i, isShop ? 1 : 2, isShop ? PID : 5000, isShop ? 4008 : 5008, USER, stream);
    }
    Files.write(whole, recording.toByteArray());
  }

  private List<String> pieces(String... selection) {
    Path file = whole;
    if (selection.length > 0) {
      file = folder.resolve("cut.etl");
      List<Object> words = new ArrayList<>(List.of("cut", whole, "-o", file));
      words.addAll(List.of(selection));
      Cli.Result cut = Cli.run(words.toArray());
      assertEquals(0, cut.exit(), cut.err());
    }
    return Cli.run("info", file, "--format", "json").json().get("pieces").array().stream()
        .map(CutTraceTest::text)
        .toList();
  }

  private static String text(JsonReader piece) {
    return "%d %d %s"
        .formatted(
            piece.get("timeNanos").number(), piece.get("tid").number(), piece.get("event").text());
  }

  @Test
  void piecesStayWithTheEventsThatAreSelected() {
    List<String> all = pieces();
    assertEquals(6, all.size());
    assertEquals("10100 4008 PerfInfo/SysClExit", all.getFirst());
    assertEquals(all, pieces("-e", "SysClExit"));
    assertEquals(all, pieces("--every", "10"));
  }

  @Test
  void eventsStayWithThePiecesThatAreSelected() {
    assertEquals(pieces(), pieces("-e", "ProcessorTrace/*"));
  }

  @Test
  void otherPiecesGo() {
    List<String> ofShop = pieces().stream().filter(piece -> piece.contains(" 4008 ")).toList();
    List<String> cut = pieces("-t", "4008");
    // The first of the type that is not selected, and the last record of all, stay with their
    // events.
    assertEquals(
        List.of("20100 5008 PerfInfo/SysClExit", "60100 5008 PerfInfo/SysClExit"),
        cut.stream().filter(piece -> !ofShop.contains(piece)).toList());
    assertEquals(ofShop, cut.stream().filter(ofShop::contains).toList());
  }
}
