package io.ntrail.cli.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Remarks on weights that a profile does not have, in each form of its answers. */
class ProfileRemarksTest {
  private static final Path SHOP = TestData.projectRoot().resolve("samples/shop.etl");
  private static final String OPEN = "5 had not ended when the recording stopped: not included";
  private static final String WAITS = OPEN.replace("5 ", "5 waits ");

  @TempDir private Path folder;

  private static List<String> warnings(Object... words) {
    Cli.Result result = Cli.run(words);
    assertEquals(0, result.exit(), result.err());
    return result.messages();
  }

  @Test
  void remarksCloseATable() {
    Cli.Result result = Cli.run("profile", SHOP, "--wait", "-q");
    assertEquals(OPEN, result.lines().getLast());
    assertEquals("", result.err());
  }

  @Test
  void remarksAreWarningsWhereRowsHaveNoPlaceForThem() {
    for (String format : List.of("csv", "jsonl", "collapsed")) {
      assertEquals(
          List.of("warning: " + WAITS),
          warnings("profile", SHOP, "--wait", "--format", format, "-q"),
          format);
    }
  }

  @Test
  void jsonHasMembersForThem() {
    Cli.Result result = Cli.run("profile", SHOP, "--wait", "--format", "json");
    assertEquals(5, result.json().get("remarks").get("unfinished").number());
    assertEquals("", result.err());
  }

  @Test
  void exportsWarnOfThemAndPagesShowThem() throws IOException {
    Path stacks = folder.resolve("wait.collapsed.txt");
    assertEquals(
        List.of("warning: " + WAITS), warnings("export", SHOP, "--wait", "-o", stacks, "-q"));
    Path page = folder.resolve("wait.html");
    assertEquals(
        List.of("warning: " + WAITS), warnings("export", SHOP, "--wait", "-o", page, "-q"));
    assertTrue(Files.readString(page).contains("<p>" + WAITS + "</p>"));
  }

  @Test
  void comparisonsSayWhichSideTheyAreOf() {
    Cli.Result text = Cli.run("diff", SHOP, SHOP, "--wait", "-q");
    int lines = text.lines().size();
    assertEquals(
        List.of("before: " + WAITS, "after: " + WAITS), text.lines().subList(lines - 2, lines));
    assertEquals("", text.err());
    for (List<String> form :
        List.of(
            List.of("--format", "csv"),
            List.of("--format", "jsonl"),
            List.of("--to", "collapsed"))) {
      assertEquals(
          List.of("warning: before: " + WAITS, "warning: after: " + WAITS),
          warnings("diff", SHOP, SHOP, "--wait", form.getFirst(), form.getLast()),
          form.toString());
    }
    assertEquals(List.of(), warnings("diff", SHOP, SHOP, "--wait", "--format", "json"));
  }
}
