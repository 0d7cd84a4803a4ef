package io.ntrail.cli.info;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
      assertTrue(result.err().contains("events are counted twice"), result.err());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "merge",
        "merge --compress xpress",
        "cut -p search.exe",
        "cut --every 10",
        "cut --time 0.01..0.02",
        "cut -e Thread/CSwitch"
      })
  void aFileWrittenFromAnotherOneIsReadWithItWithAWarning(String written) {
    List<Object> words = new ArrayList<>(Arrays.asList((Object[]) written.split(" ")));
    words.add(1, SAMPLE);
    Path made = folder.resolve("made.etl");
    words.addAll(List.of("-o", made));
    assertEquals(0, Cli.run(words.toArray()).exit());
    for (Path[] both : new Path[][] {{SAMPLE, made}, {made, SAMPLE}}) {
      Cli.Result result = Cli.run("events", both[0], both[1], "--count");
      assertTrue(
          result
              .err()
              .contains(
                  "warning: %s and %s have the same events, or some of them: these are counted twice\n"
                      .formatted((Object[]) both)),
          result.err());
    }
    assertFalse(Cli.run("events", made, "--count").err().contains("twice"));
  }

  /** Recordings of one machine and boot, and a merge of two of them. */
  @Test
  void filesOfDifferentSessionsHaveNoEventsInCommon() {
    assumeTrue(TestData.available(), TestData.MISSING);
    Path kernel = TestData.file("etl/diaghub.kernel.1.etl.gz");
    Path user = TestData.file("etl/diaghub.user_paged.1.etl.gz");
    Path injected = TestData.file("etl/diaghub.user_injected.1.etl.gz");
    Path both = folder.resolve("both.etl");
    assertEquals(0, Cli.run("merge", kernel, user, "-o", both).exit());
    assertFalse(Cli.run("events", both, injected, "--count").err().contains("twice"));
    assertFalse(Cli.run("events", kernel, user, "--count").err().contains("twice"));
    assertTrue(Cli.run("events", kernel, both, "--count").err().contains("twice"));
    assertTrue(Cli.run("events", user, both, "--count").err().contains("twice"));
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
