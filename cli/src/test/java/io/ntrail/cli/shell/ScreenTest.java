package io.ntrail.cli.shell;

import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.Main;
import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.Recordings;
import io.ntrail.cli.text.Terminal;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.EtlShapes;
import io.ntrail.testkit.etl.EtlWriter;
import io.ntrail.testkit.etl.SampleRecording;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tables on the screen: they close with their totals, and are cut to the terminal only on a
 * terminal.
 */
class ScreenTest {
  private static final Pattern ROW = Pattern.compile(" *([0-9,]+) +([0-9.]+) +.*");

  @TempDir private Path folder;

  /** On a terminal of so many columns, without a pager. */
  private static Cli.Result onTerminal(int columns, Object... words) {
    List<String> args = new ArrayList<>(Arrays.stream(words).map(Object::toString).toList());
    args.add("--no-pager");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int exit = Main.run(args.toArray(String[]::new), Terminal.of(out, err, 24, columns));
    return new Cli.Result(
        exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  private Path sample() throws IOException {
    return Recordings.write(folder.resolve("shop.etl"), SampleRecording.make());
  }

  private static long first(String row) {
    return Long.parseLong(ROW.matcher(row).replaceFirst("$1").replace(",", ""));
  }

  private static void addsUp(List<String> rows) {
    String total = rows.getLast();
    assertTrue(total.endsWith("  total"), total);
    List<String> others = rows.subList(0, rows.size() - 1);
    assertEquals(first(total), others.stream().mapToLong(ScreenTest::first).sum());
  }

  @Test
  void tablesCloseWithTheirTotal() throws IOException {
    Path file = sample();
    List<String> counts = Cli.run("events", file, "--count").lines();
    addsUp(counts.subList(2, counts.size()));
    List<String> few = Cli.run("events", file, "--count", "-n", "3").lines();
    assertEquals(7, few.size());
    assertTrue(few.get(5).contains(" more types (-n 0 shows all)"), few.get(5));
    addsUp(few.subList(2, few.size()));
    List<String> info = Cli.run("info", file).lines();
    int head =
        info.indexOf(
            info.stream()
                .filter(line -> line.endsWith("events by source"))
                .findFirst()
                .orElseThrow());
    addsUp(info.subList(head + 1, info.size()));
    List<String> events = Cli.run("events", file, "-n", "5").lines();
    assertTrue(events.getLast().endsWith(" more records not shown (-n 0 shows all)"));
    assertEquals(8, events.size());
  }

  @Test
  void textThatIsPipedIsWholeAndATerminalShowsTwentyRows() throws IOException {
    Path file = sample();
    Path written = folder.resolve("out.txt");
    for (Object[] words :
        List.of(
            new Object[] {"profile", file},
            new Object[] {"profile", file, "--tree"},
            new Object[] {"events", file, "-e", "DiskIo/*"},
            new Object[] {"diff", file, file})) {
      String whole = Cli.run(words).out();
      assertFalse(whole.contains("-n 0 shows all"), whole);
      List<String> screen = onTerminal(100, words).lines();
      assertTrue(
          screen.stream().anyMatch(line -> line.contains("-n 0")), () -> String.join("\n", screen));
      long rows = screen.stream().filter(line -> line.matches(" *[0-9][0-9,.]* .*")).count();
      assertTrue(20 <= rows && rows <= 24, rows + " rows with those that close");
      List<Object> toFile = new ArrayList<>(List.of(words));
      toFile.addAll(List.of("-o", written));
      onTerminal(100, toFile.toArray());
      assertEquals(whole, Files.readString(written));
    }
  }

  @Test
  void firstLinesSayWhatOfWhatAndWhatIsLost() throws IOException {
    Path file = sample();
    for (Object[] words :
        List.of(
            new Object[] {"info", file},
            new Object[] {"events", file},
            new Object[] {"events", file, "--count"},
            new Object[] {"events", file, "--time", "0.1..0.2"})) {
      String first = Cli.run(words).lines().getFirst();
      assertTrue(first.startsWith(file + ": "), first);
      assertTrue(first.endsWith(", complete, 0 events and 0 buffers lost"), first);
    }
    assertTrue(Cli.run("events", file, "--time", "0.1..0.2").out().contains("0.100000 .. 0.2"));
    assertTrue(Cli.run("events", file, "--time", "0.1..").out().contains(": from 0.100000 s"));
    assertTrue(Cli.run("events", file, "--time", "..0.1").out().contains(": before 0.100000 s"));
    Cli.Result none = Cli.run("events", file, "--time", "99..100");
    assertEquals(1, none.lines().size(), "no table without rows");
    assertTrue(none.out().contains(": 0 events, "), none.out());
  }

  @Test
  void cutOnlyOnATerminal() throws IOException {
    Path file = sample();
    for (String[] more : new String[][] {{"events", "--count"}, {"events", "-n", "0"}, {"info"}}) {
      List<Object> words = new ArrayList<>(List.of(more[0], file));
      words.addAll(Arrays.asList(more).subList(1, more.length));
      Cli.Result piped = Cli.run(words.toArray());
      Cli.Result narrow = onTerminal(40, words.toArray());
      assertTrue(narrow.out().contains("..."), narrow.out());
      assertTrue(!piped.out().contains("..."), piped.out());
      words.add("--wide");
      assertEquals(piped.out(), onTerminal(60, words.toArray()).out());
    }
    onTerminal(60, "events", file, "--count").lines().stream()
        .skip(1)
        .forEach(line -> assertTrue(line.length() <= 60, line));
    for (int columns : new int[] {70, 100, 140}) {
      onTerminal(columns, "events", file, "-n", "0", "-e", "Shop-*", "-e", "Image*")
          .lines()
          .stream()
          .skip(1)
          .forEach(line -> assertTrue(line.length() <= columns, line));
    }
    // Machine formats are never cut.
    assertEquals(
        Cli.run("events", file, "--count", "--format", "csv").out(),
        onTerminal(60, "events", file, "--count", "--format", "csv").out());
  }

  @Test
  void columnsThatMatterLessGoBeforeNamesAreCut() {
    Path calls = TestData.projectRoot().resolve("samples/shop.ntr");
    String wide = onTerminal(140, "calls", calls, "--flat").lines().get(2);
    assertTrue(wide.contains("mean us") && wide.contains("p50 us"), wide);
    Cli.Result narrow = onTerminal(80, "calls", calls, "--flat");
    assertTrue(!narrow.out().contains("..."), narrow.out());
    assertTrue(narrow.lines().stream().anyMatch(line -> line.startsWith("  calls  total ms  ")));
    assertTrue(!narrow.out().contains("mean us"), narrow.out());
    narrow.lines().stream()
        .filter(line -> line.contains("!"))
        .forEach(line -> assertTrue(line.length() <= 80, line));
  }

  /** Everything that the sample's answers say fits 80 columns, and no remark is cut. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "info shop.etl",
        "info shop.dmp",
        "info shop.etl --list images",
        "info shop.etl --list sessions",
        "events shop.etl --count",
        "events shop.etl --long -n 3",
        "profile shop.etl --tree",
        "profile shop.etl --wait",
        "stacks shop.dmp --all",
        "stacks shop.etl --at 0.75 -p shopd",
        "calls shop.ntr --flat",
        "image shopcore.dll",
        "image .",
        "diff shop.etl shop.etl"
      })
  void linesAreBrokenAtWordsOnNarrowTerminals(String command) {
    Path samples = TestData.projectRoot().resolve("samples");
    Object[] words =
        Arrays.stream(command.split(" ", -1))
            .map(word -> word.matches("shop.*|\\.") ? samples.resolve(word) : word)
            .toArray();
    Cli.Result narrow = onTerminal(80, words);
    // A path is a word, and stays whole.
    int longest = Math.max(80, samples.toString().length() + 40);
    narrow.lines().forEach(line -> assertTrue(line.length() <= longest, line));
    Object[] wide = Arrays.copyOf(words, words.length + 1);
    wide[words.length] = "--wide";
    Cli.Result uncut = onTerminal(80, wide);
    if (uncut.exit() == 0) {
      String first = uncut.lines().getFirst();
      String begin = narrow.lines().stream().limit(9).map(String::strip).collect(joining(" "));
      assertTrue(begin.startsWith(first), begin);
    }
  }

  @Test
  void helpFitsEightyColumns() {
    for (Commands.Entry entry : Commands.listed()) {
      for (String option : List.of("-h", "--help")) {
        onTerminal(80, entry.name(), option)
            .lines()
            .forEach(line -> assertTrue(line.length() <= 80, line));
      }
    }
  }

  @Test
  void hintsOnlyForPeople() throws IOException {
    Path file = sample();
    assertEquals("", Cli.run("info", file).err());
    String hint = "hint: ntrail events " + file + " --count";
    assertTrue(onTerminal(100, "info", file).err().contains(hint));
    assertTrue(!onTerminal(100, "info", file, "-q").err().contains("hint"));
    assertEquals("", onTerminal(100, "info", file, "-q").err());
  }

  /** The contents of the sample recording, as its writer states them. */
  @Test
  void whatIsInTheSample() throws IOException {
    Path file = sample();
    String text = Cli.run("info", file).out();
    assertTrue(
        text.contains(
            "\n  machine    LAB-07, Windows 11 24H2 (10.0.26100) x64, 8 CPUs at 2.9 GHz, 16 GiB\n"),
        text);
    assertTrue(text.contains("\n  sessions   Relogger (merged from several files), "), text);
    assertTrue(text.contains("\n  sampling   every 1.000 ms; 12,000 samples, 2,"), text);
    assertTrue(text.contains(" %), 100.0 % with stacks\n"), text);
    assertTrue(
        text.contains("\n  contents   5 processes, 8 threads, 14 image files (14 with a PDB id), "),
        text);
    assertTrue(text.contains("attached to their events, not counted as events)\n"), text);
    assertTrue(text.contains("\n  symbols    not loaded; 14 of 14 image files have PDB ids"), text);
    assertTrue(text.contains("  Thread (CSwitch, ReadyThread)\n"), text);
    assertTrue(text.contains("  Shop-App (TraceLogging)\n"), text);
    assertTrue(!text.contains("no schema"), text);
    assertTrue(!text.contains("StackWalk"), text);
  }

  @Test
  void sourcesBeyondTheLimitAreSummedUp() throws IOException {
    Path file = sample();
    List<String> all = Cli.run("info", file, "-n", "0").lines();
    List<String> few = Cli.run("info", file, "-n", "3").lines();
    int head =
        all.indexOf(all.stream().filter(l -> l.endsWith("source")).findFirst().orElseThrow());
    List<String> rows = few.subList(head + 1, few.size());
    assertEquals(5, rows.size());
    assertEquals(all.subList(head + 1, head + 4), rows.subList(0, 3));
    int left = all.size() - head - 2 - 3;
    assertTrue(rows.get(3).endsWith("  " + left + " more sources (-n 0 shows all)"), rows.get(3));
    addsUp(rows);
    assertEquals(all.getLast(), rows.getLast());
  }

  @Test
  void eventsWithoutASchemaAreOneSource() throws IOException {
    EtlSettings settings = EtlSettings.windows11();
    EtlWriter writer = new EtlWriter(settings);
    for (int i = 0; i < 6; i++) {
      UUID provider = new UUID(0x4000L + i / 2, 1L << 63);
      EtlRecords event = EtlRecords.event(8, provider, i).time(settings.startTicks() + i);
      writer.log(0, event.build());
    }
    Path file = Recordings.write(folder.resolve("own.etl"), writer);
    String text = Cli.run("info", file).out();
    assertTrue(text.contains("  no schema (6 types): 00000000-0000-4000-"), text);
    assertTrue(text.contains(", 1 more\n"), text);
    // Unrecorded values are absent, and never 0.
    for (String none : List.of("sampling", "symbols", "process", "thread", "image", " 0 ")) {
      assertTrue(!text.lines().skip(1).toList().toString().contains(none), text);
    }
  }

  @Test
  void verboseReportsTheEffort() throws IOException {
    Path file = sample();
    Cli.Result result = Cli.run("info", file, "-v");
    assertEquals(Cli.run("info", file).out(), result.out());
    assertTrue(result.err().startsWith("read "), result.err());
  }

  @Test
  void whatIsKnownOfTheMachine() throws IOException {
    Path file = Recordings.write(folder.resolve("lossy.etl"), EtlShapes.secure(1, 100));
    String text = Cli.run("info", file).out();
    assertTrue(text.contains("\n  machine    Windows "), text);
    assertTrue(text.contains(" 64-bit, 4 CPUs at "), text);
    assertTrue(Pattern.compile("\n  time {7}[0-9-]{10} [0-9:.]{12} \\.\\. ").matcher(text).find());
    assertTrue(!text.contains("@tzres"), text);
  }
}
