package io.ntrail.cli.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonSchema;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Collapsed stacks whose weights have decimals, and comments between them. */
class DecimalWeightsTest {
  @TempDir private Path folder;

  private Path file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private Path before() throws IOException {
    return file("before.txt", "# seconds\nmain;parse 12.5\nmain;copy 7.5\n");
  }

  private Path after() throws IOException {
    return file("after.txt", "main;parse 10.25\nmain;copy 9.75\n");
  }

  private static String done(Object... words) {
    Cli.Result result = Cli.run(words);
    assertEquals("", result.err());
    assertEquals(0, result.exit());
    return result.out();
  }

  @Test
  void decimalsAndCommentsSurviveAnExport() throws IOException {
    String out = done("export", before(), "--to", "collapsed", "-o", "-", "-q");
    assertEquals("main;copy 7.5\nmain;parse 12.5\n", out);
  }

  @Test
  void aComparisonShowsThemWithTheDecimalsOfTheirFile() throws IOException {
    String out = done("diff", before(), after());
    assertTrue(out.contains("20.0 in 2 lines"), out);
    assertTrue(out.contains("20.00 in 2 lines"), out);
    assertTrue(out.lines().anyMatch(l -> l.matches(" *12\\.5 +62\\.5 .* 10\\.25 .*parse")), out);
  }

  @Test
  void programsGetTheExactNumbers() throws IOException {
    Cli.Result json = Cli.run("diff", before(), after(), "--format", "json");
    assertEquals(List.of(), JsonSchema.named("diff").findings(json.json()));
    assertTrue(json.out().contains("\"beforeSelf\":12.5,"), json.out());
    assertTrue(json.out().contains("\"afterSelf\":10.25,"), json.out());
    assertTrue(json.out().contains("\"total\":20,"), json.out());
    String csv = done("diff", before(), after(), "--format", "csv");
    assertTrue(csv.contains(",12.5,12.5,10.25,10.25,"), csv);
  }

  @Test
  void weightsOfTwoFilesAreWrittenInTheSameUnit() throws IOException {
    assertEquals(
        "main;copy 7.5 9.75\nmain;parse 12.5 10.25\n",
        done("diff", before(), after(), "--to", "collapsed", "-o", "-", "-q"));
    Path whole = file("whole.txt", "main;parse 3\n");
    assertEquals(
        "main;copy 7.5 0\nmain;parse 12.5 3\n",
        done("diff", before(), whole, "--to", "collapsed", "-o", "-", "-q"));
  }

  @Test
  void wholeWeightsArePrintedAsBefore() throws IOException {
    Path whole = file("whole.txt", "main;parse 3\n");
    String out = done("diff", whole, whole, "--format", "csv");
    assertTrue(out.contains(",3,3,3,3,"), out);
  }

  @Test
  void aFlameGraphKnowsTheDecimals() throws IOException {
    String page = done("export", before(), "--to", "flamegraph", "-o", "-", "-q");
    assertTrue(page.contains("data-total=\"200\" data-decimals=\"1\""), page.substring(0, 2000));
  }
}
