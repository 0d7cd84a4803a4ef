package io.ntrail.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Questions to which nothing is found in a recording that could not be read as a whole. The answer
 * may be in the rest: that is said, and the recording is not to blame.
 */
class NothingFoundTest {
  private static final String UNREAD = " in what could be read";

  @TempDir private Path folder;

  private Path sample(String name) {
    return TestData.projectRoot().resolve("samples").resolve(name);
  }

  /** Returns the first bytes of a sample. */
  private Path cut(String name, int bytes) throws IOException {
    byte[] whole = Files.readAllBytes(sample(name));
    return Files.write(folder.resolve(name), Arrays.copyOf(whole, bytes));
  }

  /** Returns a recording of which only the first buffer is there, with its header. */
  private Path withoutSamples() throws IOException {
    return cut("shop.etl", 800);
  }

  private static void saysWhatIsMissing(Cli.Result result, String what) {
    assertEquals(3, result.exit(), result.err());
    assertTrue(result.err().contains("could not be read ("), result.err());
    assertTrue(result.err().contains(what), result.err());
    assertFalse(result.err().contains("wpr -start"), result.err());
  }

  @Test
  void aProfileOfACutRecordingHasNoSamplesInWhatCouldBeRead() throws IOException {
    Path file = withoutSamples();
    Cli.Result result = Cli.run("profile", "-q", file);
    saysWhatIsMissing(result, "warning: " + file + " holds no CPU samples" + UNREAD);
    String first = result.lines().getFirst();
    assertTrue(first.contains(": 0 samples") && first.contains("could not be read"), first);
  }

  @Test
  void theObjectOfAProfileWithoutSamplesListsTheGaps() throws IOException {
    Cli.Result result = Cli.run("profile", withoutSamples(), "--format", "json");
    assertEquals(List.of(), JsonSchema.named("profile").findings(result.json()));
    assertEquals(0, result.json().get("total").number());
    assertFalse(result.json().get("gaps").array().isEmpty());
    assertEquals(3, result.exit());
  }

  @Test
  void aMetricOfCountersThatIsNotFoundListsTheGaps() throws IOException {
    Path file = withoutSamples();
    Cli.Result result = Cli.run("profile", file, "--metric", "pmc");
    saysWhatIsMissing(
        result, "ntrail: " + file + " holds no samples of the processor's counters" + UNREAD);
  }

  @Test
  void aRecordingThatWasReadAsAWholeIsToBeRecordedAgain() {
    Cli.Result result = Cli.run("profile", sample("shop.etl"), "--metric", "fault");
    assertEquals(1, result.exit());
    assertTrue(result.err().startsWith("ntrail: "), result.err());
    assertTrue(result.err().contains("\ntry: xperf -on"), result.err());
  }

  @Test
  void aDifferenceSaysOnWhichSideSamplesMayBeMissing() throws IOException {
    Path file = withoutSamples();
    Cli.Result result = Cli.run("diff", file, sample("shop.etl"));
    saysWhatIsMissing(result, file + " holds no CPU samples" + UNREAD);
    JsonReader json = Cli.run("diff", file, sample("shop.etl"), "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("diff").findings(json));
    assertFalse(json.get("before").get("gaps").array().isEmpty());
    assertEquals(List.of(), json.get("after").get("gaps").array());
  }

  @Test
  void anExportWithoutSamplesSaysThatTheyMayBeMissing() throws IOException {
    Path file = withoutSamples();
    for (String format : List.of("collapsed", "flamegraph")) {
      Cli.Result result = Cli.run("export", file, "--to", format, "-o", folder.resolve(format));
      saysWhatIsMissing(result, file + " holds no CPU samples" + UNREAD);
    }
  }

  @Test
  void stacksAtATimeSayThatTheyMayBeMissing() throws IOException {
    Path file = withoutSamples();
    Cli.Result result = Cli.run("stacks", file, "--at", "0.1");
    saysWhatIsMissing(
        result, "no event has a stack at or before 0.100000 s (" + file + ")" + UNREAD);
    assertTrue(result.lines().getFirst().contains("could not be read"), result.out());
    JsonReader json = Cli.run("stacks", file, "--at", "0.1", "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("stacks").findings(json));
    assertEquals(List.of(), json.get("threads").array());
    assertFalse(json.get("gaps").array().isEmpty());
  }

  @Test
  void aProbeThatIsNotFoundMayBeInWhatCouldNotBeRead() throws IOException {
    for (Path file : List.of(withoutSamples(), cut("shop.jtrc", 473))) {
      Cli.Result result = Cli.run("probe", "no::such:probe { @ = count(); }", file);
      assertEquals(2, result.exit());
      assertTrue(result.err().contains("could not be read ("), result.err());
      assertTrue(
          result.err().contains("[D_PDESC_ZERO]; what could not be read may hold it"),
          result.err());
    }
  }

  @Test
  void aDumpWhoseListOfThreadsIsCutOffIsNotOneWithoutThreads() throws IOException {
    Path dump = cut("shop.dmp", 21_669);
    Cli.Result result = Cli.run("stacks", dump);
    saysWhatIsMissing(result, "warning: " + dump + " lists no threads" + UNREAD);
    assertTrue(result.lines().getFirst().contains("could not be read"), result.out());
    assertEquals("no exception" + UNREAD, result.lines().get(1));
    JsonReader json = Cli.run("stacks", dump, "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("stacks").findings(json));
    assertEquals(List.of(), json.get("threads").array());
    assertFalse(json.get("gaps").array().isEmpty());
  }

  @Test
  void aThreadOrModuleThatIsNotFoundMayBeInTheRestOfTheDump() throws IOException {
    Path dump = cut("shop.dmp", 21_669);
    saysWhatIsMissing(
        Cli.run("stacks", dump, "-t", "77"),
        "ntrail: no thread of " + dump + " matches 77" + UNREAD);
    saysWhatIsMissing(
        Cli.run("image", "--from", dump, "shopcore"),
        "ntrail: " + dump + " has no module shopcore" + UNREAD);
  }

  @Test
  void aThreadOfCallsThatIsNotFoundMayBeInTheRest() throws IOException {
    Path calls = cut("shop.jtrc", 473);
    saysWhatIsMissing(
        Cli.run("calls", calls, "-t", "77"),
        "ntrail: no thread of " + calls + " is thread 77" + UNREAD);
  }

  @Test
  void anErrorOfAnotherKindInAProgramIsNotTheFaultOfTheFile() throws IOException {
    Cli.Result result = Cli.run("probe", "BEGIN { nosuch(); }", withoutSamples());
    assertEquals(2, result.exit());
    assertFalse(result.err().contains("could not be read"), result.err());
  }
}
