package io.ntrail.cli.common;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.Recordings;
import io.ntrail.testkit.etl.SampleRecording;
import io.ntrail.testkit.etl.TruthRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Words about events and records. */
class EventTotalsTest {
  private static final int STACK_WALK = 0x18;

  @TempDir private Path folder;

  @Test
  void recordsWithoutStackRecordsAreEvents() {
    assertEquals("1,208 events", new EventTotals(1_208, 0).text());
    assertEquals("1 event", new EventTotals(1, 0).text());
    assertEquals("0 events", new EventTotals(0, 0).text());
  }

  @Test
  void stackRecordsAreRecordsAndNoEvents() {
    assertEquals(
        "12 records (11 events; 1 stack record, attached to their events, not counted as events)",
        new EventTotals(12, 1).text());
    assertEquals(
        "2 stack records, 1 KiB, attached to their events, not counted as events",
        new EventTotals(12, 2).attached(1 << 10));
  }

  @Test
  void allCommandsTellTheSameNumbersInTheSameWords() throws IOException {
    Path file = Recordings.write(folder.resolve("shop.etl"), SampleRecording.make());
    long stacks =
        SampleRecording.make().truth().stream()
            .map(TruthRecord::record)
            .filter(record -> record.group() == STACK_WALK)
            .count();
    long records = SampleRecording.make().truth().size();
    EventTotals totals = new EventTotals(records, stacks);
    assertTrue(stacks > 0 && records > stacks);
    for (Object[] words :
        List.of(
            new Object[] {"events", file},
            new Object[] {"events", file, "-n", "0"},
            new Object[] {"events", file, "--count"},
            new Object[] {"events", file, "--count", "--time", "-1.."},
            new Object[] {"events", file, "--count", "--by", "cpu"},
            new Object[] {"profile", file, "-e", "*"})) {
      String first = Cli.run(words).lines().getFirst();
      assertTrue(first.contains(totals.text()), first);
    }
    String info = Cli.run("info", file).out();
    String attached = totals.text().substring(totals.text().indexOf("attached to"));
    assertTrue(info.contains(", %,d events of ".formatted(totals.events())), info);
    assertTrue(info.contains("(%,d stack records, ".formatted(stacks)), info);
    assertTrue(info.contains(attached), info);
    assertTrue(
        Cli.run("profile", file, "-e", "DiskIo/Read")
            .lines()
            .getFirst()
            .matches(".*: [\\d,]+ events, complete.*"));
  }
}
