package io.ntrail.cli.pt;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Answers of {@code ntrail pt flow} on one core and on several. */
class PtCoresTest {
  @TempDir private Path folder;

  /** A stream of a real program with damage in the middle. */
  private Path stream() throws IOException {
    byte[] bytes = TestData.gunzip("pt/xdc/avscript32.pt.gz");
    for (int at = 40_000; at < 41_000; at += 100) {
      bytes[at] ^= 0x10;
    }
    return Files.write(folder.resolve("damaged.pt"), bytes);
  }

  private static Cli.Result flow(Path stream, String code, int cores, List<String> options) {
    List<Object> words = new ArrayList<>(List.of("pt", "flow", stream));
    words.addAll(List.of("--pages", code, "--model", "6/94/3", "--cores", Integer.toString(cores)));
    words.addAll(options);
    return Cli.run(words.toArray());
  }

  private static String code() {
    return TestData.file("pt/xdc/avscript32.addr.gz")
        + ","
        + TestData.file("pt/xdc/avscript32.dump.gz");
  }

  @Test
  void allAnswersAreTheSameOnOneCoreAndOnSeveral() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Path stream = stream();
    List<List<String>> answers =
        List.of(
            List.of(),
            List.of("--format", "json"),
            List.of("--addresses"),
            List.of("--instructions", "--events", "--format", "jsonl", "-n", "200000"),
            List.of("--blocks", "--format", "csv"),
            List.of("--calls"),
            List.of("--calls", "--format", "json"),
            List.of("--profile"));
    for (List<String> answer : answers) {
      Cli.Result one = flow(stream, code(), 1, answer);
      Cli.Result several = flow(stream, code(), 3, answer);
      assertTrue(one.err().contains("the flow is lost"), one.err());
      assertEquals(one.err(), several.err(), answer.toString());
      assertEquals(one.exit(), several.exit(), answer.toString());
      assertTrue(one.out().equals(several.out()), answer.toString());
    }
  }

  @Test
  void aRecordingOfCallsIsTheSameOnOneCoreAndOnSeveral() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Path stream = stream();
    Path one = folder.resolve("one.ntr");
    Path several = folder.resolve("several.ntr");
    flow(stream, code(), 1, List.of("--calls", "-o", one.toString()));
    flow(stream, code(), 3, List.of("--calls", "-o", several.toString()));
    assertArrayEquals(Files.readAllBytes(one), Files.readAllBytes(several));
  }

  /** Times are told packet by packet; those of this stream are made up, but not constant. */
  @Test
  void timesAreTheSameOnOneCoreAndOnSeveral() {
    assumeTrue(TestData.available(), TestData.MISSING);
    Path stream = TestData.file("pt/stepped/perl-cyc.pt.gz");
    String code =
        TestData.file("pt/stepped/perl.addr.gz") + "," + TestData.file("pt/stepped/perl.dump.gz");
    List<List<String>> answers =
        List.of(
            List.of("--clock", "3,2,308,37", "--profile", "--time", "1ms..2ms"),
            List.of(
                "--clock", "3,2,308,37", "--blocks", "--format", "csv", "--time", "1ms..1200us"));
    for (List<String> answer : answers) {
      Cli.Result one = flow(stream, code, 1, answer);
      Cli.Result several = flow(stream, code, 3, answer);
      assertTrue(one.out().lines().count() > 20, one.out());
      assertTrue(one.out().equals(several.out()), answer.toString());
      assertEquals(one.err(), several.err());
    }
  }
}
