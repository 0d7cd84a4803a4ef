package io.ntrail.cli.profile;

import static io.ntrail.cli.harness.SampledProgram.BASE;
import static io.ntrail.cli.harness.SampledProgram.DRIVER;
import static io.ntrail.cli.harness.SampledProgram.SYSTEM;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.SampledProgram;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code --only} and {@code --hide}: which stacks count, and how a profile says so. */
class ProfileFilterTest {
  private static final Path SAMPLES = TestData.projectRoot().resolve("samples");

  // What lies in shopd.exe: see samples/shopd.cpp.
  private static final long COUNT = BASE + 0x1000;
  private static final long WORTH = BASE + 0x1040;
  private static final long CALL_IN_MAIN = BASE + 0x10C0;

  @TempDir private Path folder;

  /** Stacks of main: two through count, one through worth; a driver is called by both. */
  private Path recording() throws IOException {
    return new SampledProgram()
        .sample(COUNT + 9, CALL_IN_MAIN, SYSTEM + 0x3030)
        .sample(DRIVER + 0x40, COUNT + 9, CALL_IN_MAIN, SYSTEM + 0x3030)
        .sample(DRIVER + 0x40, WORTH + 9, CALL_IN_MAIN, SYSTEM + 0x3030)
        .sample(SYSTEM + 0x3030)
        .write(folder);
  }

  private static Cli.Result profile(Path recording, String... words) {
    List<Object> all = new ArrayList<>(List.of("profile", recording, "-y", SAMPLES, "-n", "0"));
    all.addAll(List.of(words));
    Cli.Result result = Cli.run(all.toArray());
    assertEquals(0, result.exit(), result.err());
    return result;
  }

  private static long total(Path recording, String... words) throws IOException {
    List<String> all = new ArrayList<>(List.of("--format", "json"));
    all.addAll(List.of(words));
    JsonReader json = profile(recording, all.toArray(String[]::new)).json();
    assertEquals(List.of(), JsonSchema.named("profile").findings(json));
    assertEquals(4, json.get("total").number() + json.get("filteredOut").number());
    return json.get("total").number();
  }

  @Test
  void onlyStacksThroughAFunctionCount() throws IOException {
    Path recording = recording();
    assertEquals(2, total(recording, "--only", "*count"));
    assertEquals(2, total(recording, "--only", "ntoskrnl"));
    assertEquals(3, total(recording, "--only", "*count", "--only", "ntoskrnl"));
    assertEquals(4, total(recording, "--only", "ntdll!*"));
  }

  @Test
  void stacksThroughAHiddenFunctionDoNotCount() throws IOException {
    Path recording = recording();
    assertEquals(2, total(recording, "--hide", "*count"));
    assertEquals(1, total(recording, "--hide", "shopd"));
    assertEquals(1, total(recording, "--only", "*count", "--hide", "ntoskrnl"));
  }

  @Test
  void filtersLookAtTheFramesThatAreShown() throws IOException {
    assertEquals(0, total(recording(), "--only", "ntdll", "--fold", "ntdll"));
    assertEquals(4, total(recording(), "--only", "system", "--group", "ntdll=system"));
  }

  @Test
  void aTreeHasNoStackThatIsFilteredOut() throws IOException {
    assertEquals(
        List.of("1"),
        profile(recording(), "--only", "*worth", "--format", "collapsed").lines().stream()
            .map(line -> line.substring(line.lastIndexOf(' ') + 1))
            .toList());
  }

  @Test
  void theHeadingListsTheFiltersInEffectAndWhatTheyLeaveOut() throws IOException {
    String heading =
        profile(
                recording(),
                "--only",
                "*count",
                "--only",
                "*worth",
                "--hide",
                "ntoskrnl",
                "--fold",
                "ntdll",
                "--group",
                "shopd!main=program",
                "--just-my-code",
                "--no-inline")
            .lines()
            .getFirst();
    String filters =
        ", only *count or *worth, hidden: ntoskrnl, just my code, folded: ntdll,"
            + " grouped: shopd!main as program, no inline frames, 0 .. ";
    assertTrue(heading.contains(filters), heading);
    // Just my code folds the driver, so that nothing goes through it.
    assertTrue(heading.contains(": 3 samples = "), heading);
    assertTrue(heading.contains(", 1 sample filtered out, "), heading);
  }

  @Test
  void aPartOfANameIsProposedAsAPattern() throws IOException {
    for (String option : List.of("--only", "--hide", "--fold")) {
      assertTrue(profile(recording(), option, "Stock").err().contains("try: '*Stock*'"), option);
    }
    assertTrue(
        profile(recording(), "--callers", "Stock").err().contains("try: --callers '*Stock*'"));
  }

  @Test
  void anExportLeavesOutTheSameStacks() throws IOException {
    Cli.Result result =
        Cli.run(
            "export",
            recording(),
            "-y",
            SAMPLES,
            "--to",
            "collapsed",
            "--only",
            "*worth",
            "-o",
            "-");
    assertEquals(0, result.exit(), result.err());
    assertEquals(1, result.lines().size());
    assertTrue(result.out().contains("worth"), result.out());
  }
}
