package io.ntrail.cli.shell;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.Main;
import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.SampleDump;
import io.ntrail.cli.harness.SampleImage;
import io.ntrail.cli.harness.SamplePt;
import io.ntrail.cli.text.Interruption;
import io.ntrail.cli.text.Terminal;
import io.ntrail.testkit.Await;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.calls.BigJtrc;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ctrl+C: what is ready is printed, with how far it came, and the exit code is 130. */
class InterruptionTest {
  private static final Path SAMPLE = TestData.projectRoot().resolve("samples/shop.etl");
  private static final Pattern SAID =
      Pattern.compile(
          "ntrail: stopped at (\\d+) % \\(\\S+ \\S+ of \\S+ \\S+, \\S+ \\S+ of \\S+ \\S+ read\\);"
              + " the answer covers that part only");

  @TempDir private Path folder;

  /** Runs a command that Ctrl+C interrupts when the first part of its answer is written. */
  private static Cli.Result interrupted(Object... words) {
    String[] args = List.of(words).stream().map(String::valueOf).toArray(String[]::new);
    Terminal[] terminal = new Terminal[1];
    ByteArrayOutputStream out =
        new ByteArrayOutputStream() {
          @Override
          public synchronized void write(byte[] bytes, int from, int length) {
            if (size() == 0) {
              assertTrue(terminal[0].interruption().interrupt(), "nothing can be stopped");
            }
            super.write(bytes, from, length);
          }
        };
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    terminal[0] = Terminal.of(out, err);
    int exit = Main.run(args, terminal[0]);
    return new Cli.Result(
        exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  @Test
  void aListThatIsStoppedIsTheBeginningOfTheWholeList() {
    List<String> whole = Cli.run("events", SAMPLE, "--format", "jsonl").lines();
    Cli.Result stopped = interrupted("events", SAMPLE, "--format", "jsonl");
    assertEquals(whole.subList(0, stopped.lines().size()), stopped.lines());
    assertTrue(stopped.lines().size() < whole.size());
    Matcher said = SAID.matcher(stopped.err().strip());
    assertTrue(said.matches(), stopped.err());
    int percent = Integer.parseInt(said.group(1));
    assertEquals(100.0 * stopped.lines().size() / whole.size(), percent, 10);
  }

  @Test
  void theJsonOfAStoppedListIsWholeAndTellsWhatIsMissing() {
    Cli.Result stopped = interrupted("events", SAMPLE, "--format", "json");
    JsonReader gap = stopped.json().get("gaps").array().getFirst();
    assertEquals("reading was stopped", gap.get("why").text());
    assertTrue(gap.get("bytes").number() > 0);
  }

  @Test
  void whatIsNotUnderWayCannotBeStopped() {
    Terminal terminal = Terminal.of(new ByteArrayOutputStream(), new ByteArrayOutputStream());
    Interruption interruption = terminal.interruption();
    int[] asked = {0};
    assertTrue(!interruption.interrupt());
    interruption.begin(() -> asked[0]++);
    assertTrue(interruption.interrupt());
    interruption.end();
    assertTrue(!interruption.interrupt());
    assertEquals(1, asked[0]);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aSignalEndsTheProcessAfterItsAnswer() throws Exception {
    signalled(SAID, 22_503, "events", SAMPLE.toString(), "--format", "jsonl");
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aSignalEndsAListOfCallsAfterItsAnswer() throws Exception {
    signalled(said("calls"), CALLS, "calls", calls().toString(), "--format", "jsonl");
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aSignalEndsAListOfPacketsAfterItsAnswer() throws Exception {
    signalled(PT_SAID, PACKETS, "pt", "packets", stream().toString(), "--format", "jsonl");
  }

  /** Sends a signal to a process that waits in the middle of a list. */
  private void signalled(Pattern said, int rows, String... words) throws Exception {
    List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT"));
    command.addAll(Cli.command(words));
    Path err = folder.resolve("err");
    Process process = new ProcessBuilder(command).redirectError(err.toFile()).start();
    // A pipe holds 64 KiB: until more of the answer is taken out, the process waits in its middle.
    try (BufferedReader answer = process.inputReader()) {
      List<String> lines = new ArrayList<>(List.of(answer.readLine()));
      assertEquals(
          0, new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor());
      Await.until("it has heard of the signal", () -> hasThread(process, "interruption"));
      answer.lines().forEach(lines::add);
      assertTrue(process.waitFor(60, TimeUnit.SECONDS));
      assertEquals(130, process.exitValue(), Files.readString(err));
      assertTrue(said.matcher(Files.readString(err).strip()).matches(), Files.readString(err));
      assertTrue(lines.size() < rows && lines.getLast().endsWith("}"), lines.getLast());
    } finally {
      process.destroyForcibly();
    }
  }

  private static Pattern said(String unit) {
    return Pattern.compile(
        "ntrail: stopped at (\\d+) % \\([\\d,]+ of [\\d,]+ "
            + unit
            + " read\\); the answer covers that part only");
  }

  private static final Pattern PT_SAID =
      Pattern.compile(
          "ntrail: stopped at (\\d+) % \\(\\S+ \\S+ of \\S+ \\S+ read\\);"
              + " the answer covers that part only");

  private static final long TREES = 1_000;
  private static final int CALLS = (int) (2 * (1 + TREES * BigJtrc.TREE));

  private Path calls() throws IOException {
    Path file = folder.resolve("many.jtrc");
    BigJtrc.write(file, 2, TREES);
    return file;
  }

  private static final int TIMES = 4_000;
  private static final int PACKETS = 7 * TIMES;

  private Path stream() throws IOException {
    byte[] one = SamplePt.loop();
    byte[] many = new byte[TIMES * one.length];
    for (int i = 0; i < TIMES; i++) {
      System.arraycopy(one, 0, many, i * one.length, one.length);
    }
    return Files.write(folder.resolve("many.pt"), many);
  }

  /** Runs a command that Ctrl+C interrupts when the work of a number begins, from 1. */
  private static Cli.Result interruptedAt(int number, Object... words) {
    String[] args = List.of(words).stream().map(String::valueOf).toArray(String[]::new);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Terminal terminal = Terminal.of(out, err);
    terminal.interruption().interruptAt(number);
    int exit = Main.run(args, terminal);
    return new Cli.Result(
        exit, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  /** Checks that a list begins like the whole one, and that it is told how much of it there is. */
  private static void isBeginning(Cli.Result stopped, List<String> whole, Pattern said) {
    assertEquals(whole.subList(0, stopped.lines().size()), stopped.lines());
    assertTrue(stopped.lines().size() > 1 && stopped.lines().size() < whole.size());
    Matcher words = said.matcher(stopped.messages().getFirst());
    assertTrue(words.matches(), stopped.err());
    assertEquals(
        100.0 * stopped.lines().size() / whole.size(), Integer.parseInt(words.group(1)), 10);
  }

  /** Checks that an answer is whole, and tells that it is about a part only. */
  private static void isPart(Cli.Result stopped, Pattern said) {
    assertEquals(3, stopped.exit(), stopped.err());
    assertTrue(said.matcher(stopped.messages().getFirst()).matches(), stopped.err());
    List<JsonReader> gaps = stopped.json().get("gaps").array();
    assertEquals("reading was stopped", gaps.getLast().get("why").text());
  }

  @Test
  void aListOfCallsThatIsStoppedIsTheBeginningOfTheWholeList() throws IOException {
    Path file = calls();
    isBeginning(
        interrupted("calls", file, "--format", "jsonl"),
        Cli.run("calls", file, "--format", "jsonl").lines(),
        said("calls"));
  }

  private Object[] ofCalls(String command) throws IOException {
    List<Object> words = new ArrayList<>(List.of(command.split(" ")));
    words.add(1, calls());
    words.addAll(List.of("--format", "json"));
    return words.toArray();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"calls --flat", "calls --slowest 3", "calls", "profile", "profile --tree"})
  void answersAboutCallsTellThatReadingWasStopped(String command) throws IOException {
    isPart(interruptedAt(1, ofCalls(command)), said("records"));
  }

  /** All but sums by routine, which are there when all records have been read once. */
  @ParameterizedTest
  @ValueSource(strings = {"calls --slowest 3", "calls", "profile", "profile --tree"})
  void answersThatReadTwiceTellThatTheyWereStopped(String command) throws IOException {
    isPart(interruptedAt(2, ofCalls(command)), said("calls"));
  }

  @Test
  void theFirstLineOfStoppedCallsTellsIt() throws IOException {
    Cli.Result stopped = interruptedAt(1, "calls", calls(), "--flat");
    assertTrue(stopped.lines().getFirst().contains("stopped at 0 %"), stopped.out());
  }

  @Test
  void diffAndExportOfCallsTellThatTheyWereStopped() throws IOException {
    Path file = calls();
    Cli.Result diff = interruptedAt(1, "diff", file, file, "--format", "json");
    assertTrue(said("records").matcher(diff.messages().getFirst()).matches(), diff.err());
    Path stacks = folder.resolve("stacks.txt");
    Cli.Result export = interruptedAt(2, "export", file, "--to", "collapsed", "-o", stacks);
    assertTrue(said("calls").matcher(export.messages().getFirst()).matches(), export.err());
    assertEquals(3, export.exit());
    assertTrue(Files.exists(stacks));
  }

  @Test
  void aListOfPacketsThatIsStoppedIsTheBeginningOfTheWholeList() throws IOException {
    Path file = stream();
    isBeginning(
        interrupted("pt", "packets", file, "--format", "jsonl"),
        Cli.run("pt", "packets", file, "--format", "jsonl").lines(),
        PT_SAID);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "pt packets --count",
        "pt packets",
        "pt flow",
        "pt flow --calls",
        "pt flow --profile",
        "pt flow --blocks"
      })
  void answersAboutStreamsAreOfTheBytesBeforeTheStop(String command) throws IOException {
    Path code = Files.write(folder.resolve("loop.bin"), SamplePt.code());
    List<Object> words = new ArrayList<>(List.of(command.split(" ")));
    Path file = stream();
    words.add(2, file);
    if (words.contains("flow")) {
      words.addAll(List.of("--code", code + "@0x401000"));
    }
    words.addAll(List.of("--format", "json"));
    Cli.Result stopped = interruptedAt(1, words.toArray());
    isPart(stopped, PT_SAID);
    JsonReader gap = stopped.json().get("gaps").array().getLast();
    long read = gap.get("offset").number();
    assertTrue(read >= 4096 && read < Files.size(file), "read: " + read);
    assertEquals(Files.size(file), read + gap.get("bytes").number());
  }

  @Test
  void aStoppedFlowCountsTheInstructionsSoFar() throws IOException {
    Path code = Files.write(folder.resolve("loop.bin"), SamplePt.code());
    Cli.Result stopped =
        interruptedAt(1, "pt", "flow", stream(), "--code", code + "@0x401000", "--format", "json");
    long read = stopped.json().get("gaps").array().getFirst().get("offset").number();
    // A JMP and a NOP each time.
    double expected = 2.0 * read / SamplePt.loop().length;
    assertEquals(expected, (double) stopped.json().get("instructions").number(), 4);
  }

  @Test
  void imagesOfAFolderThatIsStoppedAreTheFirstOnes() throws IOException {
    Path images = Files.createDirectories(folder.resolve("images"));
    for (int i = 0; i < 400; i++) {
      Files.write(images.resolve("image%03d.dll".formatted(i)), SampleImage.make());
    }
    isBeginning(
        interrupted("image", images, "--format", "jsonl"),
        Cli.run("image", images, "--format", "jsonl").lines(),
        said("files"));
    Cli.Result none = interruptedAt(1, "image", images, "--format", "json");
    isPart(none, said("files"));
    assertEquals("400 files", none.json().get("gaps").array().getLast().get("what").text());
    Cli.Result text = interruptedAt(1, "image", images);
    assertTrue(text.out().contains("0 images, stopped at 0 %"), text.out());
  }

  @Test
  void ofAStoppedDumpTheFirstThreadIsShownAndTheOthersAreCounted() throws IOException {
    Path dump = Files.write(folder.resolve("shop.dmp"), SampleDump.make());
    int threads =
        Cli.run("stacks", dump, "--all", "--format", "json").json().get("threads").array().size();
    Cli.Result stopped = interruptedAt(1, "stacks", dump, "--all", "--format", "json");
    isPart(stopped, said("threads"));
    assertEquals(1, stopped.json().get("threads").array().size());
    assertEquals(threads - 1, stopped.json().get("threadsLeftOut").number());
  }

  @Test
  void ofAStoppedFolderOfDumpsTheGroupsSoFarAreShown() throws IOException {
    Path dumps = Files.createDirectories(folder.resolve("dumps"));
    Files.write(dumps.resolve("a.dmp"), SampleDump.make());
    Files.write(dumps.resolve("b.dmp"), SampleDump.make());
    Cli.Result stopped = interruptedAt(1, "stacks", dumps, "--format", "json");
    isPart(stopped, said("files"));
    assertEquals("2 files", stopped.json().get("gaps").array().getLast().get("what").text());
    String first = interruptedAt(1, "stacks", dumps).lines().getFirst();
    assertTrue(first.endsWith("0 dumps in 0 groups, stopped at 0 %"), first);
  }

  @Test
  void aListOfSymbolsThatIsStoppedHasThoseSoFar() throws IOException {
    Path pdb = TestData.projectRoot().resolve("samples/shopd.pdb");
    for (String list : List.of("--list", "--lines")) {
      Cli.Result stopped = interruptedAt(1, "symbols", pdb, list, "--format", "json");
      isPart(stopped, said("modules?"));
    }
    isPart(interruptedAt(1, "symbols", pdb, "--publics", "--format", "json"), said("symbols?"));
  }

  @Test
  void whereSymbolsAreIsToldOfTheFilesSoFar() throws IOException {
    Path list = folder.resolve("list.txt");
    Cli.run("symbols", SAMPLE, "--manifest", list);
    Cli.Result stopped = interruptedAt(1, "symbols", list, "--format", "json");
    isPart(stopped, said("files?"));
    assertEquals(0, stopped.json().get("files").array().size());
    // The first two works read the recording.
    Cli.Result images = interruptedAt(2, "symbols", SAMPLE, "--format", "json");
    isPart(images, said("PDBs?"));
  }

  private static boolean hasThread(Process process, String name) throws IOException {
    try (var tasks = Files.newDirectoryStream(Path.of("/proc/" + process.pid() + "/task"))) {
      for (Path task : tasks) {
        if (Files.readString(task.resolve("comm")).strip().startsWith(name)) {
          return true;
        }
      }
      return false;
    }
  }
}
