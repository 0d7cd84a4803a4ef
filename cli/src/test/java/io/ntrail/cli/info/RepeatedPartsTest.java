package io.ntrail.cli.info;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recordings of which something is there twice: nothing is counted twice without a word. */
class RepeatedPartsTest {
  private static final Path SAMPLE = TestData.projectRoot().resolve("samples/busy.etl");
  private static final int BUFFER = 64 << 10;

  @TempDir private Path folder;

  private static long records(Path file) {
    return Cli.run("info", file, "--format", "json").json().get("records").number();
  }

  /** A misplaced write. */
  @Test
  void aBufferThatIsACopyOfAnotherIsAGap() throws IOException {
    byte[] bytes = Files.readAllBytes(SAMPLE);
    System.arraycopy(bytes, 20 * BUFFER, bytes, 22 * BUFFER, BUFFER);
    Path file = Files.write(folder.resolve("overwritten.etl"), bytes);
    Cli.Result result = Cli.run("info", file);
    assertEquals(3, result.exit(), result.err());
    assertTrue(
        result.err().contains("it is a copy of the buffer at offset " + 20 * BUFFER), result.err());
    assertTrue(records(file) < records(SAMPLE));
  }

  @Test
  void aBufferThatIsThereTwiceIsCountedOnce() throws IOException {
    byte[] bytes = Files.readAllBytes(SAMPLE);
    byte[] longer = Arrays.copyOf(bytes, bytes.length + BUFFER);
    int from = bytes.length - 5 * BUFFER;
    System.arraycopy(bytes, from, longer, bytes.length, BUFFER);
    Path file = Files.write(folder.resolve("longer.etl"), longer);
    assertEquals(3, Cli.run("info", file).exit());
    assertEquals(records(SAMPLE), records(file));
  }

  @Test
  void filesThatAreCopiesOfEachOtherAreReadWithAWarning() throws IOException {
    Path copy = Files.copy(SAMPLE, folder.resolve("copy.etl"));
    for (Path second : new Path[] {SAMPLE, copy}) {
      Cli.Result result = Cli.run("profile", SAMPLE, second);
      assertEquals(0, result.exit(), result.err());
      assertTrue(result.err().contains("its events are counted twice"), result.err());
    }
  }

  /** Writes the sample without the frequency of its clock. */
  private Path withoutFrequency(String name) throws IOException {
    byte[] bytes = Files.readAllBytes(SAMPLE);
    int frequency = 72 + 32 + 0x100;
    Arrays.fill(bytes, frequency, frequency + 8, (byte) 0);
    return Files.write(folder.resolve(name), bytes);
  }

  @Test
  void timesWithoutAFrequencyAreOfAnUnknownClock() throws IOException {
    Cli.Result result = Cli.run("info", withoutFrequency("clock.etl"));
    assertEquals(3, result.exit(), result.err());
    assertTrue(result.out().contains("clock: unknown"), result.out());
    assertTrue(result.err().contains("PerfFreq 0"), result.err());
  }

  @Test
  void aFileThatTellsOfALostClockHidesNoOtherOne() throws IOException {
    Path part = folder.resolve("part.etl");
    assertEquals(
        3, Cli.run("cut", withoutFrequency("cut.etl"), "-e", "Thread/*", "-o", part).exit());
    Cli.Result result = Cli.run("info", part, withoutFrequency("other.etl"), "--format", "json");
    Set<String> files = new TreeSet<>();
    for (JsonReader gap : result.json().get("gaps").array()) {
      if (gap.get("what").text().equals("clock")) {
        files.add(Path.of(gap.get("file").text()).getFileName().toString());
      }
    }
    assertEquals(Set.of("cut.etl", "other.etl"), files, result.err());
  }
}
