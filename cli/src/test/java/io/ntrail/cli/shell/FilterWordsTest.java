package io.ntrail.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.testkit.TestData;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Words by which people name processes, threads, events and times, the same in each command. */
class FilterWordsTest {
  private static final Path SAMPLE = TestData.projectRoot().resolve("samples/shop.etl");
  private static final Path CALLS = TestData.projectRoot().resolve("samples/shop.ntr");

  private static long total(Path file, String... words) {
    Object[] all = new Object[words.length + 4];
    all[0] = "profile";
    all[1] = file;
    all[2] = "--format";
    all[3] = "json";
    System.arraycopy(words, 0, all, 4, words.length);
    Cli.Result result = Cli.run(all);
    assertEquals("", result.err());
    return result.json().get("total").number();
  }

  private static List<String> counts(String... words) {
    Object[] all = new Object[words.length + 3];
    all[0] = "events";
    all[1] = SAMPLE;
    all[2] = "--count";
    System.arraycopy(words, 0, all, 3, words.length);
    Cli.Result result = Cli.run(all);
    assertEquals("", result.err());
    List<String> lines = result.lines();
    return lines.subList(1, lines.size());
  }

  @Test
  void severalProcessesMayBeNamedInOneValue() {
    assertEquals(1_752, total(SAMPLE, "-p", "shopd"));
    assertEquals(1_752 + 451, total(SAMPLE, "-p", "shopd, 6120"));
    assertEquals(counts("-p", "shopd", "-p", "shopcli"), counts("-p", "shopd,shopcli"));
  }

  @Test
  void threadsHaveNamesInEveryCommand() {
    assertEquals(838, total(SAMPLE, "-t", "worker 1"));
    assertEquals(838 + 570, total(SAMPLE, "-t", "worker 1,worker 2"));
    assertEquals(838 + 570 + 224, total(SAMPLE, "-t", "worker*"));
    assertEquals(counts("-t", "5020"), counts("-t", "worker 1"));
  }

  @Test
  void eventsAreMeantByTheLastPartOfTheirNames() {
    assertEquals(counts("-e", "PerfInfo/SampleProf"), counts("-e", "SampleProf"));
  }

  @Test
  void aUnitAtTheEndIsThatOfBothEnds() {
    assertEquals(counts("--time", "500ms..600ms"), counts("--time", "500..600ms"));
    assertEquals(counts("--time", "0.5..0.6"), counts("--time", "500..600ms"));
    assertEquals(counts("--time", "0.5s..600ms"), counts("--time", "500..600ms"));
  }

  @Test
  void namesWithoutAllTheirSuffixesAndTimesOfDay() {
    assumeTrue(TestData.available(), TestData.MISSING);
    Path file = TestData.file("etl/perfview-net452-x64.etl.gz");
    long whole = total(file, "-p", "Test.x64.exe");
    assertEquals(5_129, whole);
    assertEquals(whole, total(file, "-p", "Test"));
    // The first record is of 00:07:00.6236167.
    Cli.Result part =
        Cli.run("profile", file, "-p", "Test", "--time", "00:07:05..00:07:09", "-n", "1");
    assertTrue(part.lines().getFirst().matches(".*, 4\\.3\\d+ \\.\\. 8\\.3\\d+ s: .*"), part.out());
    assertEquals(
        whole,
        total(file, "-p", "Test", "--time", "..00:07:05")
            + total(file, "-p", "Test", "--time", "00:07:05.."));
  }

  @Test
  void timesOfDayAreRefusedWhereARecordingHasNone() {
    Cli.Result refused = Cli.run("calls", CALLS, "--time", "00:07:05..00:07:09");
    assertEquals(2, refused.exit());
    assertEquals(
        "ntrail: --time takes seconds since the start here, not times of day",
        refused.messages().getFirst());
  }

  @Test
  void aNameThatIsPartOfRoutinesProposesThePattern() {
    assertEquals(
        "try: --find '*Parse*'", Cli.run("calls", CALLS, "--find", "Parse").messages().getLast());
    assertEquals(
        "try: --flat -n 0 lists all",
        Cli.run("calls", CALLS, "--find", "Quark").messages().getLast());
  }

  @Test
  void aFileWithoutACommandIsInfo() {
    Cli.Result info = Cli.run("info", SAMPLE);
    Cli.Result bare = Cli.run(SAMPLE);
    assertEquals(info.out(), bare.out());
    assertEquals(0, bare.exit());
    assertEquals(2, Cli.run(SAMPLE + ".no").exit());
  }
}
