package io.ntrail.cli.common;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.Recordings;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlShapes;
import io.ntrail.testkit.profile.RecordingBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Losses of the recorder, in forms of answers that have a first line and in others. */
class LossesTest {
  private static final Path SHOP = TestData.projectRoot().resolve("samples/shop.etl");
  private static final Path CALLS = TestData.projectRoot().resolve("samples/shop.ntr");

  /** Answers that are rows or stacks and nothing else. */
  private static final List<List<String>> WITHOUT_FIRST_LINE =
      List.of(
          List.of("events", "--count", "--format", "csv"),
          List.of("events", "--count", "--by", "cpu", "--format", "jsonl"),
          List.of("events", "-n", "1", "--format", "csv"),
          List.of("info", "--list", "processes", "--format", "jsonl"),
          List.of("stacks", "-e", "PerfInfo/SampleProf", "--format", "csv"),
          List.of("profile", "--format", "csv"),
          List.of("profile", "--format", "collapsed"),
          List.of("export", "--to", "collapsed"));

  @TempDir private Path folder;

  /** A recording whose only sample has a stack. */
  private Path sampled(String name, EtlSettings settings) throws IOException {
    RecordingBuilder a = new RecordingBuilder(settings, 8).world();
    a.at(10).sample(RecordingBuilder.APP, 101).stack(100, 101, RecordingBuilder.APP);
    return Recordings.write(folder.resolve(name), a.writer());
  }

  private Path lossy() throws IOException {
    return sampled("lossy.etl", EtlSettings.windows11().lost(41, 2));
  }

  private static Cli.Result run(Path file, List<String> words, String... more) {
    List<Object> all = new ArrayList<>(words);
    all.add(1, file);
    all.addAll(Arrays.asList(more));
    return Cli.run(all.toArray());
  }

  @Test
  void lossesAreAWarningWhereNoFirstLineSaysThem() throws IOException {
    Path file = lossy();
    for (List<String> words : WITHOUT_FIRST_LINE) {
      Cli.Result result = run(file, words, "-q");
      assertEquals(
          List.of("warning: " + file + ": 41 events and 2 buffers lost"),
          result.messages(),
          words.toString());
      assertEquals(0, result.exit(), words.toString());
    }
  }

  @Test
  void lossesAreNoWarningWhereALineOrAMemberSaysThem() throws IOException {
    Path file = lossy();
    for (List<String> words :
        List.of(
            List.of("events", "--count"),
            List.of("events", "--count", "--format", "json"),
            List.of("events", "-n", "1", "--format", "json"),
            List.of("profile", "-q"),
            List.of("profile", "--format", "json"))) {
      assertEquals("", run(file, words).err(), words.toString());
    }
  }

  @Test
  void aRecordingWithoutLossesHasNoSuchWarning() {
    for (List<String> words : WITHOUT_FIRST_LINE) {
      String err = run(SHOP, words).err();
      assertTrue(!err.contains(" lost") && !err.contains("never finalised"), words + ": " + err);
    }
  }

  @Test
  void aRecordingThatWasNeverFinalisedIsAWarningInJsonToo() throws IOException {
    Path file = Recordings.write(folder.resolve("open.etl"), EtlShapes.preallocated(9, 300, 6));
    List<String> warning = List.of("warning: " + file + ": never finalised");
    for (String format : List.of("csv", "jsonl", "json")) {
      assertEquals(
          warning, run(file, List.of("events", "--count", "--format", format)).messages(), format);
    }
    assertEquals("", run(file, List.of("events", "--count")).err());
  }

  @Test
  void strictSaysWhyItFails() throws IOException {
    for (List<String> words : WITHOUT_FIRST_LINE) {
      Cli.Result result = run(lossy(), words, "--strict");
      assertEquals(3, result.exit(), words.toString());
      assertTrue(result.err().contains("41 events and 2 buffers lost"), words.toString());
    }
    Cli.Result named =
        run(SHOP, List.of("profile", "--format", "csv"), "--strict", "-y", "" + folder);
    assertEquals(3, named.exit());
    assertEquals(
        List.of("warning: symbols are missing: some functions have no names"), named.messages());
  }

  @Test
  void comparisonsNameTheSideThatHasLosses() throws IOException {
    Path whole = sampled("whole.etl", EtlSettings.windows11());
    Path lossy = lossy();
    Cli.Result result = Cli.run("diff", whole, lossy, "--format", "csv", "--strict");
    assertEquals(3, result.exit());
    assertEquals(
        List.of("warning: " + lossy + ": 41 events and 2 buffers lost"), result.messages());
    assertEquals("", Cli.run("diff", whole, lossy).err());
  }

  @Test
  void probesSayOnceWhatFollows() throws IOException {
    Path file = lossy();
    for (String format : List.of("text", "csv", "json")) {
      Cli.Result result =
          Cli.run("probe", "*:::SampleProf { @ = count(); }", file, "--format", format);
      assertEquals(
          List.of(
              "warning: "
                  + file
                  + ": 41 events and 2 buffers lost; what was not recorded fires no probe"),
          result.messages().stream().filter(line -> line.contains(" lost")).toList(),
          format);
    }
  }

  @Test
  void recordingsOfCallsSayAlsoWhatWasMadeUpFor() {
    List<String> warning =
        List.of("warning: " + CALLS + ": 3 records lost; 1 missing record made up for");
    for (List<String> words :
        List.of(
            List.of("calls", "--format", "csv"), List.of("calls", "--flat", "--format", "jsonl"))) {
      assertEquals(warning, run(CALLS, words).messages(), words.toString());
    }
    assertEquals("", run(CALLS, List.of("calls", "--flat", "--format", "json")).err());
  }

  @Test
  void timesOfCallsSayAlsoHowManyHadNotEnded() {
    List<String> warning =
        List.of(
            "warning: "
                + CALLS
                + ": 3 records lost; 1 missing record made up for; 1 call open at the end, not"
                + " included: how long they took is not known");
    for (List<String> words :
        List.of(
            List.of("profile", "--format", "csv"),
            List.of("profile", "--format", "jsonl"),
            List.of("profile", "--format", "collapsed"),
            List.of("export", "--to", "collapsed"))) {
      assertEquals(warning, run(CALLS, words).messages(), words.toString());
    }
    for (List<String> words : List.of(List.of("--format", "csv"), List.of("--to", "collapsed"))) {
      Cli.Result result = Cli.run("diff", CALLS, CALLS, words.get(0), words.get(1));
      assertEquals(
          List.of(warning.getFirst(), warning.getFirst()),
          result.messages().stream().filter(line -> line.startsWith("warning")).toList());
    }
    assertEquals("", run(CALLS, List.of("profile", "--format", "json")).err());
  }
}
