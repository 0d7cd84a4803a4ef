package io.ntrail.cli.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.Recordings;
import io.ntrail.cli.harness.SampleTrace;
import io.ntrail.cli.harness.SampledProgram;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.SampleRecording;
import io.ntrail.testkit.profile.RecordingBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Comparisons of two profiles. */
class DiffTest {
  private static final long MAIN = RecordingBuilder.APP + 0x100;
  private static final long MATCH = RecordingBuilder.APP + 0x200;
  private static final long PARSE = RecordingBuilder.APP + 0x300;
  private static final long COPY = RecordingBuilder.NTDLL + 0x100;

  @TempDir private Path folder;

  private static Cli.Result diff(Path before, Path after, Object... words) {
    List<Object> all = new ArrayList<>(List.of("diff", before, after));
    all.addAll(Arrays.asList(words));
    return Cli.run(all.toArray());
  }

  private static Cli.Result done(Path before, Path after, Object... words) {
    Cli.Result result = diff(before, after, words);
    assertEquals("", result.err());
    assertEquals(0, result.exit());
    return result;
  }

  private String screen(Path before, Path after, Object... words) {
    return done(before, after, words).out().replace(folder + "/", "");
  }

  private Path sample() throws IOException {
    return Recordings.write(folder.resolve("shop.etl"), SampleRecording.make());
  }

  /** Samples of process 100, one a microsecond, each with its stack, innermost first. */
  private Path recording(String name, long[]... stacks) throws IOException {
    RecordingBuilder a = new RecordingBuilder().world();
    int at = 10;
    for (long[] stack : stacks) {
      a.at(at++).sample(stack[0], 101).stack(100, 101, stack);
    }
    return Recordings.write(folder.resolve(name), a.writer());
  }

  private static long[] stack(long... frames) {
    return frames;
  }

  private Path before() throws IOException {
    return recording(
        "before.etl",
        stack(MATCH, MAIN),
        stack(MATCH, MAIN),
        stack(COPY, MATCH, MAIN),
        stack(MAIN));
  }

  private Path after() throws IOException {
    return recording("after.etl", stack(PARSE, MAIN), stack(COPY, PARSE, MAIN));
  }

  private Path text(String name, String content) throws IOException {
    return Files.writeString(folder.resolve(name), content);
  }

  @Test
  void sharesOfAllBeforeAndAfter() throws IOException {
    String state = "complete, 0 events and 0 buffers lost\n";
    String stacks =
        "        100.0 % with stacks; no symbols: addresses grouped into 256-byte ranges\n";
    List<String> lines = screen(before(), after()).lines().toList();
    assertTrue(lines.get(0).startsWith("before: before.etl: all processes, 0 .. "), lines.get(0));
    assertTrue(lines.get(0).contains(": 4 samples, complete"), lines.get(0));
    assertTrue((lines.get(0) + "\n").endsWith(state), lines.get(0));
    assertEquals(stacks.stripTrailing(), lines.get(1));
    assertTrue(lines.get(2).startsWith("after:  after.etl: all processes, 0 .. "), lines.get(2));
    assertEquals(
        """
        change in share of total, self samples
        before      %  after      %  change  function
             2   50.0      0    0.0   -50.0  app.exe+0x200   gone
             0    0.0      1   50.0   +50.0  app.exe+0x300   new
             1   25.0      0    0.0   -25.0  app.exe+0x100
             1   25.0      1   50.0   +25.0  ntdll.dll+0x100
             4  100.0      2  100.0          total
        """,
        String.join("\n", lines.subList(4, lines.size())) + "\n");
  }

  @Test
  void omittedRowsAreSummed() throws IOException {
    assertTrue(
        screen(before(), after(), "-n", "1")
            .endsWith(
                """
                     2   50.0      0    0.0   -50.0  app.exe+0x200   gone
                     2   50.0      2  100.0   +50.0  3 more (-n 0 shows all)
                     4  100.0      2  100.0          total
                """));
  }

  @Test
  void changesOfWhatIncludesCallees() throws IOException {
    assertTrue(
        screen(before(), after(), "-s", "incl", "--by", "module")
            .endsWith(
                """
                change in share of total, inclusive samples
                before      %  after      %  change  module
                     1   25.0      1   50.0   +25.0  ntdll.dll
                     4  100.0      2  100.0     0.0  app.exe
                     4  100.0      2  100.0          total
                """));
  }

  @Test
  void forPrograms() throws IOException {
    JsonReader json = done(before(), after(), "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("diff").findings(json));
    assertEquals("ntrail.diff/1", json.get("schema").text());
    assertEquals(4, json.get("before").get("total").number());
    assertEquals(2, json.get("after").get("total").number());
    assertEquals("samples", json.get("after").get("unit").text());
    JsonReader first = json.get("rows").array().getFirst();
    assertEquals("app.exe", first.get("module").text());
    assertEquals("0x200", first.get("rva").text());
    assertEquals(2, first.get("beforeSelf").number());
    assertEquals(3, first.get("beforeInclusive").number());
    assertEquals(0, first.get("afterInclusive").number());
    assertEquals("gone", first.get("state").text());
    assertEquals(0, json.get("rowsLeftOut").number());
    List<String> lines = done(before(), after(), "--format", "jsonl").lines();
    assertEquals(4, lines.size());
    assertEquals(first, JsonReader.parse(lines.getFirst()));
    assertEquals(
        List.of(
            "module,function,file,line,rva,beforeSelf,beforeInclusive,afterSelf,afterInclusive,change,state",
            "app.exe,,,,0x200,2,3,0,0,-50.0,gone"),
        done(before(), after(), "--format", "csv").lines().subList(0, 2));
  }

  /** A file beside itself: every row is one of the profile, and none has changed. */
  private static void unchanged(Path file, Object... words) throws IOException {
    JsonReader json = done(file, file, with(words, "--format", "json")).json();
    assertEquals(List.of(), JsonSchema.named("diff").findings(json));
    Map<String, FoldedText.Sums> rows = new HashMap<>();
    for (JsonReader row : json.get("rows").array()) {
      assertEquals(0, row.get("change").number(), row.toString());
      assertTrue(row.get("state").isNull(), row.toString());
      assertEquals(row.get("beforeSelf"), row.get("afterSelf"));
      assertEquals(row.get("beforeInclusive"), row.get("afterInclusive"));
      long self = row.get("beforeSelf").number();
      rows.put(
          FoldedText.name(row), new FoldedText.Sums(self, row.get("beforeInclusive").number()));
    }
    List<Object> profile = new ArrayList<>(List.of("profile", file));
    profile.addAll(Arrays.asList(with(words, "--format", "json", "-n", "0")));
    assertEquals(FoldedText.functions(Cli.run(profile.toArray()).json()), rows);
    Cli.Result stacks = diff(file, file, with(words, "--to", "collapsed"));
    assertEquals(0, stacks.exit(), stacks.err());
    for (String line : stacks.lines()) {
      String[] parts = line.split(" ", -1);
      assertEquals(parts[parts.length - 2], parts[parts.length - 1], line);
    }
  }

  private static Object[] with(Object[] words, Object... more) {
    List<Object> all = new ArrayList<>(Arrays.asList(words));
    all.addAll(Arrays.asList(more));
    return all.toArray();
  }

  @Test
  void aFileBesideItselfHasNotChanged() throws IOException {
    unchanged(sample());
    unchanged(sample(), "--wait", "-p", "shopd");
    Path calls = folder.resolve("shop.ntr");
    Files.write(calls, SampleTrace.make());
    unchanged(calls);
    assertTrue(screen(calls, calls, "-n", "1").contains("change in share of total, self us\n"));
  }

  @Test
  void aRoutineOfWhichOnlyAnOpenCallIsLeftIsNotGone() throws IOException {
    Path whole = folder.resolve("whole.ntr");
    Path part = folder.resolve("part.ntr");
    Files.write(whole, SampleTrace.make());
    assertEquals(0, Cli.run("cut", whole, "-t", "5020", "-o", part).exit());
    Map<String, String> states = new TreeMap<>();
    for (JsonReader row :
        Cli.run("diff", whole, part, "--format", "json").json().get("rows").array()) {
      if (!row.get("state").isNull()) {
        states.put(row.get("function").text(), row.get("state").text());
      }
    }
    assertEquals(
        Map.of("Key::Parse", "open", "RegOpenKeyExInternalW", "gone", "Tx::Current", "gone"),
        states);
    String screen = Cli.run("diff", part, whole).out();
    assertTrue(screen.contains("shopcore.dll!Key::Parse   open\n"), screen);
  }

  @Test
  void realRecordingsBesideThemselvesHaveNotChanged() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    unchanged(TestData.file("etl/perfview-net452-x64.etl.gz"));
  }

  @Test
  void everyFunctionOfBothProfilesIsThereOnce() {
    assumeTrue(TestData.available(), TestData.MISSING);
    Path before = TestData.file("etl/perfview-net45-x86-win7.etl.gz");
    Path after = TestData.file("etl/perfview-net452-x64.etl.gz");
    JsonReader json = done(before, after, "--by", "module", "--format", "json").json();
    Set<String> names = new HashSet<>();
    long sumBefore = 0;
    long sumAfter = 0;
    for (JsonReader row : json.get("rows").array()) {
      assertTrue(names.add(row.get("module").text().toLowerCase(java.util.Locale.ROOT)));
      sumBefore += row.get("beforeSelf").number();
      sumAfter += row.get("afterSelf").number();
    }
    assertEquals(4_854, sumBefore);
    assertEquals(6_320, sumAfter);
  }

  @Test
  void linesAreComparedByFileAndNumber() throws IOException {
    Path samples = TestData.projectRoot().resolve("samples");
    long step = SampledProgram.BASE + 0x1015;
    long main = SampledProgram.BASE + 0x10C0;
    Path before = new SampledProgram().sample(step).sample(main).write(folder);
    Path first = Files.move(before, folder.resolve("first.etl"));
    Path after = new SampledProgram().sample(step).write(folder);
    JsonReader json = done(first, after, "-y", samples, "--by", "line", "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("diff").findings(json));
    assertEquals("line", json.get("by").text());
    JsonReader row =
        json.get("rows").array().stream()
            .filter(each -> each.get("function").text().equals("shop::step"))
            .findFirst()
            .orElseThrow();
    assertEquals("/shop/shopd.cpp", row.get("file").text());
    assertEquals(26, row.get("line").number());
    assertEquals(50, row.get("change").number());
    assertTrue(
        done(first, after, "-y", samples, "--by", "line")
            .out()
            .contains(" +50.0  shopd.exe!shop::step shopd.cpp:26\n"));
  }

  @Test
  void processesAreTheSameWhateverTheirId() throws IOException {
    RecordingBuilder a = new RecordingBuilder().world().process(300, "app.exe");
    a.image(300, RecordingBuilder.APP, RecordingBuilder.SIZE, "app.exe").thread(300, 301);
    a.at(10).as(300, 301).sample(MAIN, 301).stack(300, 301, MAIN);
    Path after = Recordings.write(folder.resolve("other.etl"), a.writer());
    Path before = recording("before.etl", stack(MAIN));
    assertEquals(
        List.of("app.exe;app.exe+0x100 1 1"), done(before, after, "--to", "collapsed").lines());
  }

  @Test
  void processesOfCollapsedStacksKeepTheirIdsUnlessAsked() throws IOException {
    Path before = text("a.collapsed.txt", "app.exe (100);f 3\n");
    Path after = text("b.collapsed.txt", "app.exe (300);f 4\n");
    assertEquals(
        List.of("app.exe (100);f 3 0", "app.exe (300);f 0 4"),
        done(before, after, "--to", "collapsed").lines());
    assertEquals(
        List.of("app.exe;f 3 4"), done(before, after, "--to", "collapsed", "--strip-pid").lines());
  }

  @Test
  void aRecordingBesideStacksThatWereExported() throws IOException {
    Path file = sample();
    Path stacks = folder.resolve("shop.collapsed.txt");
    assertEquals(0, Cli.run("export", file, "-o", stacks).exit());
    for (JsonReader row : done(stacks, file, "--format", "json").json().get("rows").array()) {
      assertEquals(0, row.get("change").number(), row.toString());
    }
  }

  @Test
  void modulesThatAreSpelledDifferentlyAreTheSameUnlessThereAreBoth() throws IOException {
    Path before = text("a.txt", "NTDLL.dll!f 3\nntdll.dll!g 1\nNtdll.dll!g 1\n");
    Path after = text("b.txt", "ntdll.dll!f 3\nntdll.dll!g 1\nNtdll.dll!g 1\n");
    JsonReader json = done(before, after, "--format", "json").json();
    assertEquals(3, json.get("rows").array().size());
    for (JsonReader row : json.get("rows").array()) {
      assertEquals(0, row.get("change").number(), row.toString());
      assertEquals(row.get("beforeSelf"), row.get("afterSelf"));
    }
  }

  @Test
  void hexadecimalNumbersCountAsTheSameIfAsked() throws IOException {
    Path before = text("a.txt", "main;[0x1f] 3\nmain;[0x2C] 1\n");
    Path after = text("b.txt", "main;[0x77] 4\n");
    assertEquals(
        List.of("main;[0x...] 4 4"),
        done(before, after, "--to", "collapsed", "--strip-hex").lines());
    assertEquals(
        List.of(",[0x...],,,,4,4,4,4,0.0,", ",main,,,,0,4,0,4,0.0,"),
        done(before, after, "--strip-hex", "--format", "csv").lines().subList(1, 3));
  }

  @Test
  void theFirstProfileIsScaledToTheSecondIfAsked() throws IOException {
    Path before = text("a.txt", "a 2\nb 1\n");
    Path after = text("b.txt", "a 4\n");
    assertEquals(
        List.of("a 2 4", "b 1 0"), done(before, after, "--to", "collapsed", "--normalize").lines());
  }

  @Test
  void theNameOfTheFileSelectsTheFormat() throws IOException {
    Path target = folder.resolve("diff.collapsed.txt");
    Cli.Result result = done(before(), after(), "-o", target);
    assertEquals(
        "wrote " + target + ", " + Files.size(target) + " bytes: 4 and 2 samples in 5 stacks\n",
        result.out());
    assertEquals(5, Files.readAllLines(target).size());
    assertTrue(Files.readString(target).contains("app.exe;app.exe+0x100;app.exe+0x300 0 1\n"));
  }

  @Test
  void incomparableProfilesAreRefused() throws IOException {
    Path file = sample();
    Path calls = folder.resolve("shop.ntr");
    Files.write(calls, SampleTrace.make());
    refused(1, "profiles have different units (ns and samples): not comparable", calls, file);
    refused(2, "--normalize needs --to", file, file, "--normalize");
    refused(2, "-n and --to exclude each other", file, file, "--to", "collapsed", "-n", "3");
    refused(
        2,
        "--format (tables) and --to (stacks) exclude each other",
        file,
        file,
        "--to",
        "collapsed",
        "--format",
        "json");
    refused(2, "--by takes function, line or module, not process", file, file, "--by", "process");
    Path stacks = text("a.collapsed.txt", "a 1\n");
    refused(2, "-p does not apply to collapsed stacks: " + stacks, stacks, stacks, "-p", "shopd");
    Cli.Result one = Cli.run("diff", file);
    assertEquals(2, one.exit());
    assertEquals("ntrail: diff takes two files, not 1", one.messages().getFirst());
  }

  private static void refused(int exit, String why, Path before, Path after, Object... words) {
    Cli.Result result = diff(before, after, words);
    assertEquals("ntrail: " + why, result.messages().getFirst());
    assertEquals(exit, result.exit());
    assertEquals("", result.out());
  }

  @Test
  void invalidLinesAreReported() throws IOException {
    Path before = text("a.collapsed.txt", "a 1\nnothing\n");
    Path after = text("b.collapsed.txt", "a 1\n");
    Cli.Result result = diff(before, after);
    assertEquals(3, result.exit());
    assertTrue(result.lines().getFirst().endsWith("1 in 1 line, 1 place could not be read"));
    assertTrue(result.err().contains("it does not end with a weight"), result.err());
    JsonReader json = diff(before, after, "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("diff").findings(json));
    assertEquals(1, json.get("before").get("gaps").array().size());
  }

  @Test
  void nothingBesideNothing() throws IOException {
    Path empty = text("a.collapsed.txt", "");
    JsonReader json = done(empty, empty, "--format", "json").json();
    assertEquals(List.of(), json.get("rows").array());
    assertEquals(List.of(), done(empty, empty, "--to", "collapsed").lines());
    assertFalse(done(empty, empty).out().contains("NaN"));
  }
}
