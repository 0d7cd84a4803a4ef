package io.ntrail.cli.events;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.testkit.TestData;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The order of fields on the screen, and {@code events --long}. */
class EventLongTest {
  private static final Path SAMPLE = TestData.projectRoot().resolve("samples/shop.etl");

  private static List<String> read(String... words) {
    Object[] all = new Object[words.length + 6];
    System.arraycopy(new Object[] {"events", SAMPLE, "-e", "FileIo/Read", "-n", "1"}, 0, all, 0, 6);
    System.arraycopy(words, 0, all, 6, words.length);
    return Cli.run(all).lines();
  }

  @Test
  void filesComeFirstAndAddressesLast() {
    String line = read().get(2);
    assertTrue(
        line.matches(
            ".*FileIo/Read  FileName=\\S+ FileKey=\\S+ Offset=\\S+ TTID=\\d+ IoSize=65,536 IrpPtr=.*"),
        line);
  }

  @Test
  void eachFieldStandsOnItsOwnLine() {
    List<String> lines = read("--long");
    assertTrue(lines.get(2).endsWith("  FileIo/Read"), lines.get(2));
    assertTrue(lines.get(3).matches(" {8}FileName=C:.shop.stock\\.db FileKey=\\S+"), lines.get(3));
    assertEquals("        Offset=16,318,464", lines.get(4));
    assertTrue(lines.contains("        IoSize=65,536"));
  }

  @Test
  void longIsForPeople() {
    Cli.Result result = Cli.run("events", SAMPLE, "--long", "--format", "jsonl");
    assertEquals(2, result.exit());
  }
}
