package io.ntrail.cli.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.Tools;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two files of collapsed stacks compared as FlameGraph's difffolded and jfr-converter do it. */
class DiffFoldedTest {
  @TempDir private Path folder;

  @BeforeEach
  void needed() {
    assumeTrue(TestData.available(), TestData.MISSING);
    Tools.assume("xz");
  }

  private static String stored(String name) throws IOException {
    Path packed = TestData.file("exports/folded/" + name + ".txt.xz");
    Tools.Result result = Tools.run("xz", "-dc", packed.toString());
    assertEquals(0, result.exit(), result.err());
    return result.out();
  }

  private Path unpacked(String name) throws IOException {
    Path file = folder.resolve(name + ".txt");
    return Files.exists(file) ? file : Files.writeString(file, stored(name));
  }

  private Cli.Result diff(String... words) throws IOException {
    Path vertx = unpacked("perf-vertx-stacks-01-collapsed-all");
    Path java = unpacked("perf-java-stacks-01-collapsed-all");
    String[] all = new String[words.length + 3];
    List.of("diff", vertx.toString(), java.toString()).toArray(all);
    System.arraycopy(words, 0, all, 3, words.length);
    Cli.Result result = Cli.run((Object[]) all);
    assertEquals("", result.err());
    assertEquals(0, result.exit());
    return result;
  }

  @Test
  void bothWeightsOfEveryStackAreThoseOfDifffolded() throws IOException {
    assertEquals(stored("diff-vertx-vs-java.difffolded"), diff("--to", "collapsed").out());
  }

  @Test
  void scaledWeightsAreThoseOfDifffolded() throws IOException {
    assertEquals(
        stored("diff-vertx-vs-java.difffolded-n"), diff("--to", "collapsed", "--normalize").out());
  }

  /** jfr-converter starts from the second file: a stack that it lacks is not reported. */
  @Test
  void stacksOfTheSecondFileAreThoseOfJfrConverter() throws IOException {
    List<String> ours = diff("--to", "collapsed").lines();
    List<String> theirs = stored("diff-vertx-vs-java.jfr-converter-4.5").lines().toList();
    assertEquals(theirs, ours.stream().filter(line -> !line.endsWith(" 0")).toList());
    assertEquals(33, theirs.size());
    assertEquals(232, ours.size());
  }

  @Test
  void theFlameGraphIsThatOfTheSecondFile() throws IOException {
    Path page = folder.resolve("diff.html");
    diff("-o", page.toString());
    FoldedText second = FoldedText.of(stored("perf-java-stacks-01-collapsed-all").lines().toList());
    assertEquals(second, JfrConverter.read(page));
    diff("--swap", "-o", page.toString());
    FoldedText first = FoldedText.of(stored("perf-vertx-stacks-01-collapsed-all").lines().toList());
    assertEquals(first, JfrConverter.read(page));
  }

  @Test
  void sharesAreThoseOfTheStoredWeights() throws IOException {
    JsonReader json = diff("--format", "json").json();
    assertEquals(285, json.get("before").get("total").number());
    assertEquals(45, json.get("after").get("total").number());
    long before = 0;
    long after = 0;
    for (String line : stored("diff-vertx-vs-java.difffolded").lines().toList()) {
      String[] parts = line.split(" ", -1);
      if (parts[parts.length - 3].endsWith("native_write_msr_safe_[k]")) {
        before += Long.parseLong(parts[parts.length - 2]);
        after += Long.parseLong(parts[parts.length - 1]);
      }
    }
    JsonReader first = json.get("rows").array().getFirst();
    assertEquals("native_write_msr_safe_[k]", first.get("function").text());
    assertEquals(before, first.get("beforeSelf").number());
    assertEquals(after, first.get("afterSelf").number());
    assertTrue(after > 0);
  }

  @Test
  void textOfWindowsIsReadAsText() throws IOException {
    Path plain = TestData.file("exports/folded/ss-simple.txt");
    for (String other : List.of("ss-simple-crlf", "ss-simple-utf16-le")) {
      Path file = TestData.file("exports/folded/" + other + ".txt");
      Cli.Result result = Cli.run("diff", plain, file, "--to", "collapsed");
      assertEquals("a;b 5 5\na;b;c 5 5\na;b;d 4 4\n", result.out(), other);
      assertEquals(0, result.exit(), result.err());
    }
    assertEquals(
        "a;b;c 1", Files.readString(plain, StandardCharsets.UTF_8).lines().findFirst().orElse(""));
  }
}
