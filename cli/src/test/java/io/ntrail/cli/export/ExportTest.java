package io.ntrail.cli.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.Recordings;
import io.ntrail.cli.harness.SampleTrace;
import io.ntrail.cli.harness.SampledProgram;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.SampleRecording;
import io.ntrail.testkit.profile.RecordingBuilder;
import io.ntrail.testkit.profile.WorkedExample;
import io.ntrail.testkit.profile.WorkedExamples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Profiles in the formats of other tools: what async-profiler's converter reads in them is what
 * {@code profile} says.
 */
class ExportTest {
  @TempDir private Path folder;

  private Path sample() throws IOException {
    return Recordings.write(folder.resolve("shop.etl"), SampleRecording.make());
  }

  private static Cli.Result run(String command, Path file, Object... words) {
    List<Object> all = new ArrayList<>(List.of(command, file));
    all.addAll(Arrays.asList(words));
    return Cli.run(all.toArray());
  }

  private Path export(Path file, String name, Object... words) {
    Path target = folder.resolve(name);
    List<Object> all = new ArrayList<>(Arrays.asList(words));
    all.addAll(name.endsWith(".html") ? List.of("--min", "0") : List.of());
    all.addAll(List.of("-o", target));
    Cli.Result result = run("export", file, all.toArray());
    if (!result.err().isEmpty()) {
      String profile = run("profile", file, with(words, "--format", "collapsed")).err();
      assertEquals(profile, result.err(), "the warnings of the profile");
    }
    assertEquals(0, result.exit());
    assertTrue(result.out().startsWith("wrote " + target + ", "), result.out());
    return target;
  }

  /** Functions of both exports, read by another program, against those of the profile. */
  private void agrees(Path file, Object... words) throws IOException {
    Cli.Result result = run("profile", file, with(words, "--format", "json", "-n", "0"));
    if (result.exit() != 0) {
      // What the recording does not hold cannot be exported either.
      assertEquals(result.err(), run("export", file, exported(words)).err());
      return;
    }
    JsonReader profile = result.json();
    Map<String, FoldedText.Sums> expected = FoldedText.functions(profile);
    FoldedText collapsed = JfrConverter.read(export(file, "a.collapsed.txt", words));
    FoldedText page = JfrConverter.read(export(file, "a.html", words));
    boolean withIdle = List.of(words).contains("--idle");
    long total = profile.get("total").number() + (withIdle ? profile.get("idle").number() : 0);
    assertEquals(total, collapsed.total());
    assertEquals(total, page.total());
    assertEquals(expected, ended(collapsed.plain().functions()));
    assertEquals(expected, ended(page.plain().functions()));
    assertEquals(collapsed.plain(), page.plain(), "stack by stack");
  }

  /** Leaves out calls that are open at the end: a path through one is no time of its function. */
  private static Map<String, FoldedText.Sums> ended(Map<String, FoldedText.Sums> functions) {
    Map<String, FoldedText.Sums> ended = new HashMap<>(functions);
    ended.keySet().removeIf(name -> name.endsWith(" (open)"));
    return ended;
  }

  private static Object[] exported(Object... words) {
    return with(words, "--to", "collapsed");
  }

  private static Object[] with(Object[] words, Object... more) {
    return Stream.concat(Arrays.stream(words), Arrays.stream(more)).toArray();
  }

  @Test
  void anotherProgramReadsTheSameSumsInTheSample() throws IOException {
    Path file = sample();
    agrees(file);
    agrees(file, "-p", "shopd.exe", "--user");
    agrees(file, "--wait", "--time", "0.2..0.9");
    agrees(file, "--metric", "disk", "--unit", "bytes");
    agrees(file, "-e", "FileIo/*");
    agrees(file, "--idle", "--kernel");
  }

  @TestFactory
  Stream<DynamicTest> anotherProgramReadsTheSameSumsInTablesMadeByHand() {
    return WorkedExamples.all().stream()
        .filter(table -> table.query().by().equals("function"))
        .filter(table -> table.name().contains("stack") || table.query().metric().equals("alloc"))
        .map(table -> DynamicTest.dynamicTest(table.toString(), () -> byHand(table)));
  }

  private void byHand(WorkedExample table) throws IOException {
    Path file = Recordings.write(folder.resolve("hand.etl"), table.recording());
    agrees(file, table.query().words().toArray());
  }

  @Test
  void anotherProgramReadsTheSameSumsInRealRecordings() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    agrees(TestData.file("etl/perfview-net452-x64.etl.gz"));
    agrees(TestData.file("etl/perfview-net45-x86-win7.etl.gz"), "-p", "1980");
  }

  @Test
  void recordedCallsBeginWithTheirProcess() throws IOException {
    Path file = folder.resolve("shop.ntr");
    Files.write(file, SampleTrace.make());
    agrees(file);
    Cli.Result collapsed = run("export", file, "--to", "collapsed");
    assertEquals(0, collapsed.exit());
    assertTrue(
        collapsed.lines().contains("shopd.exe (4312);kernelbase.dll!RegOpenKeyExInternalW 498000"),
        collapsed.out());
    assertEquals(collapsed.out(), run("profile", file, "--format", "collapsed").out());
  }

  @Test
  void profileWritesTheSameLines() throws IOException {
    Path file = sample();
    Cli.Result export = run("export", file, "-p", "shopd", "--to", "collapsed");
    assertEquals("", export.err());
    assertTrue(
        export
            .lines()
            .contains(
                "shopd.exe (4312);ntdll.dll+0x5aa00;kernel32.dll+0x17300;shopcore.dll+0x10100;"
                    + "shopcore.dll+0x12000;ucrtbase.dll+0x11e00 475"));
    assertEquals(export.out(), run("profile", file, "-p", "shopd", "--format", "collapsed").out());
    assertEquals(export.lines().stream().sorted().toList(), export.lines());
  }

  @Test
  void byModule() throws IOException {
    Path file = sample();
    FoldedText folded =
        FoldedText.of(run("export", file, "--by", "module", "--to", "collapsed").lines());
    JsonReader profile =
        run("profile", file, "--by", "module", "--format", "json", "-n", "0").json();
    assertEquals(FoldedText.functions(profile), folded.functions());
  }

  @Test
  void framesOfTheKernelAndOfRuntimesAreAnnotatedOnRequest() throws IOException {
    RecordingBuilder a = new RecordingBuilder().world();
    a.at(5).as(100, 101).method(0x7000_0000L, 0x100, "Shop", "Match");
    long kernel = RecordingBuilder.KERNEL + 0x100;
    a.at(10)
        .sample(kernel, 101)
        .stack(100, 101, kernel, 0x7000_0010L, RecordingBuilder.APP + 0x100);
    Path file = Recordings.write(folder.resolve("kinds.etl"), a.writer());
    assertEquals(
        List.of("app.exe (100);app.exe+0x100;(jitted)!Shop.Match_[j];ntoskrnl.exe+0x100_[k] 1"),
        run("export", file, "--to", "collapsed", "--annotate").lines());
    FoldedText page = JfrConverter.read(export(file, "kinds.html"));
    assertEquals(
        Map.of("app.exe (100);app.exe+0x100;(jitted)!Shop.Match_[j];ntoskrnl.exe+0x100_[k]", 1L),
        page.stacks());
  }

  @Test
  void inlinedFunctionsAndLinesAreFrames() throws IOException {
    Path samples = TestData.projectRoot().resolve("samples");
    long step = SampledProgram.BASE + 0x1015;
    long call = SampledProgram.BASE + 0x10C0;
    Path file = new SampledProgram().sample(step, call).sample(call).write(folder);
    agrees(file, "-y", samples);
    agrees(file, "-y", samples, "--no-inline");
    agrees(file, "-y", samples, "--fold", "shop::step");
    String stack = "shopd.exe (4312);shopd.exe!main;shopd.exe!shop::Stock::count";
    assertEquals(
        List.of("shopd.exe (4312);shopd.exe!main 1", stack + ";shopd.exe!shop::step_[i] 1"),
        run("export", file, "-y", samples, "--to", "collapsed", "--annotate").lines());
    FoldedText page = JfrConverter.read(export(file, "inlined.html", "-y", samples));
    assertEquals(1, page.stacks().get(stack + ";shopd.exe!shop::step_[i]"));
    assertTrue(
        run("export", file, "-y", samples, "--by", "line", "--to", "collapsed")
            .out()
            .contains(";shopd.exe!shop::step shopd.cpp:26 1\n"));
  }

  @Test
  void collapsedStacksOfOthersBecomeAPage() throws IOException {
    Path file = folder.resolve("x.collapsed.txt");
    Files.writeString(file, "main;f_[k] 3\nmain;g(int; char) 2\n");
    FoldedText page = JfrConverter.read(export(file, "x.html"));
    assertEquals(Map.of("main;f_[k]", 3L, "main;g(int; char)", 2L), page.stacks());
  }

  @Test
  void framesBelowTheLimitStayWithTheirCallers() throws IOException {
    Path file = sample();
    Path target = folder.resolve("big.html");
    assertEquals(0, run("export", file, "--min", "5%", "-o", target).exit());
    FoldedText page = JfrConverter.read(target);
    long others = 58 + 51;
    assertEquals(2_717 - others, page.total(), "stacks: all but those of two small processes");
    assertTrue(page.stacks().size() < 22, "22 without a limit");
    assertTrue(Files.readString(target).contains("\nn(4,2717)\n"), "what belongs to no frame");
    assertTrue(
        Files.readString(target).contains("data-percent=\"5\" data-left=\"24\""),
        "the page knows how many are left out");
  }

  @Test
  void theFormatsThatThereAre() {
    assertEquals(
        """
        format      name of file    what                               read by
        collapsed   .collapsed.txt  stacks and weights, one line each  flame graph tools
        flamegraph  .html           one page, works offline            any browser
        """,
        Cli.run("export", "--list").out());
  }

  @Test
  void everyFormatHasItsChapter() throws IOException {
    String page = Files.readString(TestData.projectRoot().resolve("docs/export.md"));
    for (ExportFormat format : ExportFormat.values()) {
      assertTrue(page.contains("\n## " + format.text() + "\n"), "docs/export.md on " + format);
    }
  }

  @Test
  void impossibleCombinationsAreRefused() throws IOException {
    Path file = sample();
    String formats = String.join(", ", ExportFormat.words(ExportFormat.all()));
    refused("export needs a format: " + formats, file);
    String either = formats.replaceFirst(", (\\w+)$", " or $1");
    refused("--to takes " + either + ", not flamegrap", file, "--to", "flamegrap");
    refused(
        "--by takes function, line or module, not cpu", file, "--to", "collapsed", "--by", "cpu");
    refused("--min applies to flame graphs", file, "--to", "collapsed", "--min", "1");
    refused("--annotate applies to collapsed stacks", file, "--to", "flamegraph", "--annotate");
    refused("-o " + file + " would overwrite an input file", file, "--to", "collapsed", "-o", file);
    assertEquals(
        "try: --to flamegraph", run("export", file, "--to", "flamegrap").messages().getLast());
    Cli.Result nowhere = run("export", file, "-o", folder.resolve("no/x.html"));
    assertEquals(1, nowhere.exit());
    assertTrue(nowhere.err().contains("no such folder"), nowhere.err());
  }

  private static void refused(String why, Path file, Object... words) {
    Cli.Result result = run("export", file, words);
    assertEquals(2, result.exit());
    assertEquals("ntrail: " + why, result.messages().getFirst());
    assertEquals("", result.out());
  }

  @Test
  void aFileIsThereOnlyWhenItIsWhole() throws IOException {
    Path file = sample();
    Path target = folder.resolve("x.html");
    Files.writeString(target, "before");
    assertEquals(1, run("export", file, "--metric", "pmc", "-o", target).exit());
    assertEquals("before", Files.readString(target));
    assertEquals(0, run("export", file, "-o", target).exit());
    assertFalse(Files.readString(target).startsWith("before"));
    try (Stream<Path> files = Files.list(folder)) {
      assertEquals(
          List.of("shop.etl", "x.html"),
          files.map(f -> f.getFileName().toString()).sorted().toList());
    }
  }

  @Test
  void damageIsReportedAndTheRestIsExported() throws IOException {
    Path file = sample();
    byte[] content = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(content, content.length / 2));
    Cli.Result result = run("export", file, "-o", folder.resolve("x.html"));
    assertEquals(3, result.exit());
    assertTrue(result.err().startsWith("warning: "), result.err());
    assertTrue(result.out().startsWith("wrote "), result.out());
    assertTrue(
        Files.readString(folder.resolve("x.html")).contains("could not be read"),
        "the page says so, too");
  }
}
