package io.ntrail.cli.profile;

import static io.ntrail.cli.harness.SampledProgram.BASE;
import static io.ntrail.cli.harness.SampledProgram.DRIVER;
import static io.ntrail.cli.harness.SampledProgram.LIBRARY;
import static io.ntrail.cli.harness.SampledProgram.SYSTEM;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.SampledProgram;
import io.ntrail.testkit.ExternalTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Frames of {@code ntrail profile}: inlined functions, lines, return addresses, groups, folds. */
class ProfileFramesTest {
  private static final ExternalTool SYMBOLIZER =
      ExternalTool.of("llvm", "llvm-symbolizer-14", "llvm-symbolizer");
  private static final Path SAMPLES = Path.of("..", "samples").toAbsolutePath().normalize();

  // What lies in shopd.exe: see samples/shopd.cpp.
  private static final long COUNT = BASE + 0x1000;
  private static final long WORTH = BASE + 0x1040;
  private static final long WORTH_END = BASE + 0x109E;
  private static final long DELETE = BASE + 0x10A0;
  private static final long MAIN = BASE + 0x10B0;
  private static final long CALL_IN_MAIN = BASE + 0x10C0;

  /** A step of the hash, which is inlined. */
  private static final long STEP = BASE + 0x1015;

  @TempDir private Path folder;

  private static Cli.Result profile(Path recording, String... words) {
    List<Object> all = new ArrayList<>(List.of("profile", recording, "-y", SAMPLES, "-n", "0"));
    all.addAll(Arrays.asList(words));
    Cli.Result result = Cli.run(all.toArray());
    assertEquals(0, result.exit(), result.err());
    return result;
  }

  /** Stacks without the process, outermost first. */
  private static Map<String, Long> stacks(Path recording, String... words) {
    List<String> all = new ArrayList<>(List.of("--format", "collapsed"));
    all.addAll(Arrays.asList(words));
    Map<String, Long> stacks = new TreeMap<>();
    for (String line : profile(recording, all.toArray(String[]::new)).lines()) {
      int space = line.lastIndexOf(' ');
      int process = line.indexOf(';');
      stacks.merge(
          process < 0 ? "" : line.substring(process + 1, space),
          Long.parseLong(line.substring(space + 1)),
          Long::sum);
    }
    return stacks;
  }

  @Test
  void everyByteOfCodeHasTheFramesOfAnotherReader() throws Exception {
    assumeTrue(SYMBOLIZER.available(), SYMBOLIZER.missing());
    SampledProgram program = new SampledProgram();
    List<String> words =
        new ArrayList<>(List.of("--relative-address", "--obj=" + SAMPLES.resolve("shopd.exe")));
    for (long rva = 0x1000; rva < 0x10F7; rva++) {
      boolean isPadding =
          rva >= 0x1039 && rva < 0x1040 || rva > 0x109D && rva < 0x10B0 && rva != 0x10A0;
      if (!isPadding) {
        program.sample(BASE + rva);
        words.add("0x" + Long.toHexString(rva));
      }
    }
    Path recording = program.write(folder);
    String answers = SYMBOLIZER.run(folder, Map.of(), words.toArray(String[]::new)).output();
    Map<String, Long> expected = new TreeMap<>();
    for (String answer : answers.strip().split("\n\n", -1)) {
      List<String> frames = new ArrayList<>();
      List<String> lines = answer.lines().toList();
      for (int i = 0; i < lines.size(); i += 2) {
        String function = lines.get(i).replaceFirst("\\(.*", "");
        frames.addFirst("shopd.exe!" + function);
      }
      expected.merge(String.join(";", frames), 1L, Long::sum);
    }
    assertTrue(
        expected.keySet().stream().anyMatch(stack -> stack.contains(";shopd.exe!shop::step")),
        expected::toString);
    assertEquals(expected, stacks(recording));
  }

  @Test
  void rowsByLineTellFileAndLine() throws IOException {
    Path recording = new SampledProgram().sample(STEP).sample(STEP).write(folder);
    JsonReader json = profile(recording, "--by", "line", "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("profile").findings(json));
    JsonReader row = json.get("rows").array().getFirst();
    assertEquals("shop::step", row.get("function").text());
    assertEquals("/shop/shopd.cpp", row.get("file").text());
    assertEquals(26, row.get("line").number());
    assertEquals(2, row.get("self").number());
    assertTrue(row.get("rva").isNull(), "what is inlined has no place of its own");
    assertEquals(
        "file,line",
        profile(recording, "--by", "line", "--format", "csv")
            .lines()
            .getFirst()
            .replaceFirst(".*inclusive,", ""));
  }

  @Test
  void patternsMeanFunctionsAlsoByLine() throws IOException {
    Path recording = new SampledProgram().sample(STEP, CALL_IN_MAIN).write(folder);
    for (String pattern : List.of("shopd!shop::step", "shopd.exe!shop::step", "shop::step")) {
      JsonReader rows =
          profile(recording, "--by", "line", "--fold", pattern, "--format", "json")
              .json()
              .get("rows");
      assertEquals(
          Set.of("main", "shop::Stock::count"),
          rows.array().stream().map(row -> row.get("function").text()).collect(Collectors.toSet()),
          pattern);
      JsonReader callers =
          profile(recording, "--by", "line", "--callers", pattern, "--format", "json").json();
      assertEquals(1, callers.get("inclusive").number(), pattern);
    }
  }

  @Test
  void inlinedFunctionsCanBeOmitted() throws IOException {
    Path recording = new SampledProgram().sample(STEP, CALL_IN_MAIN).write(folder);
    assertEquals(
        Map.of("shopd.exe!main;shopd.exe!shop::Stock::count;shopd.exe!shop::step", 1L),
        stacks(recording));
    assertEquals(
        Map.of("shopd.exe!main;shopd.exe!shop::Stock::count", 1L),
        stacks(recording, "--no-inline"));
  }

  @Test
  void aReturnAddressAfterTheLastByteOfAFunctionIsThatFunctions() throws IOException {
    Path recording =
        new SampledProgram()
            .sample(DELETE, WORTH_END)
            // The byte before main belongs to no function, that before the other address to delete.
            .sample(COUNT, DELETE + 1)
            .write(folder);
    assertEquals(
        Map.of(
            "shopd.exe!shop::Stock::worth;shopd.exe!operator delete", 1L,
            "shopd.exe!operator delete;shopd.exe!shop::Stock::count", 1L),
        stacks(recording));
  }

  @Test
  void theAddressThatEnteredTheKernelIsNotAReturnAddress() throws IOException {
    Path recording = new SampledProgram().sample(DRIVER + 0x2345, WORTH).write(folder);
    assertEquals(Map.of("shopd.exe!shop::Stock::worth;ntoskrnl.exe+0x2300", 1L), stacks(recording));
  }

  @Test
  void eventsNameReturnAddressesTheSameWay() throws IOException {
    Path recording = new SampledProgram().sample(DELETE, WORTH_END).write(folder);
    Cli.Result events =
        Cli.run(
            "events",
            recording,
            "--stacks",
            "-y",
            SAMPLES,
            "-e",
            "PerfInfo/SampleProf",
            "--format",
            "jsonl");
    List<JsonReader> stack = JsonReader.parse(events.lines().getFirst()).get("stack").array();
    assertEquals("operator delete", stack.get(0).get("function").text());
    assertEquals("shop::Stock::worth", stack.get(1).get("function").text());
    assertEquals("0x109e", stack.get(1).get("rva").text());
  }

  @Test
  void anImageWithoutAPdbHasTheNamesThatItExports() throws IOException {
    Path recording =
        new SampledProgram().sample(LIBRARY + 0x1075, CALL_IN_MAIN).sample(LIBRARY).write(folder);
    assertEquals(
        Map.of("shopd.exe!main;shopcore.dll!StockMatch", 1L, "shopcore.dll+0x0", 1L),
        stacks(recording));
    assertTrue(
        profile(recording).out().contains("symbols: 1 of 2 hot images, nearest export names for 1"),
        profile(recording).out());
    JsonReader symbols = profile(recording, "--format", "json").json().get("symbols");
    assertEquals(1, symbols.get("exporting").number());
    Path empty = Files.createDirectory(folder.resolve("empty"));
    Files.copy(SAMPLES.resolve("shopd.exe"), empty.resolve("shopcore.dll"));
    Cli.Result other = Cli.run("profile", recording, "-y", empty, "--format", "collapsed");
    assertTrue(other.out().contains("shopcore.dll+0x1000"), other.out());
  }

  private Path mixed() throws IOException {
    return new SampledProgram()
        .sample(SYSTEM + 0x1010, SYSTEM + 0x2020, WORTH + 9, CALL_IN_MAIN, SYSTEM + 0x3030)
        .sample(DRIVER + 0x40, SYSTEM + 0x1010, COUNT + 9, CALL_IN_MAIN, SYSTEM + 0x3030)
        .sample(MAIN, SYSTEM + 0x3030)
        .sample(SYSTEM + 0x3030)
        .write(folder);
  }

  @Test
  void foldedFramesCountForTheirCaller() throws IOException {
    assertEquals(
        Map.of(
            "shopd.exe!main;shopd.exe!shop::Stock::worth", 1L,
            "shopd.exe!main;shopd.exe!shop::Stock::count;ntoskrnl.exe+0x0", 1L,
            "shopd.exe!main", 1L,
            "(folded)", 1L),
        stacks(mixed(), "--fold", "ntdll"));
    assertEquals(
        Map.of(
            "ntdll.dll+0x3000", 2L,
            "ntdll.dll+0x3000;ntdll.dll+0x2000;ntdll.dll+0x1000", 1L,
            "ntdll.dll+0x3000;ntdll.dll+0x1000;ntoskrnl.exe+0x0", 1L),
        stacks(mixed(), "--fold", "main", "--fold", "shopd!shop::*"));
  }

  @Test
  void justMyCodeFoldsWhatLiesUnderWindows() throws IOException {
    Path recording = mixed();
    assertEquals(
        Map.of(
            "shopd.exe!main;shopd.exe!shop::Stock::worth", 1L,
            "shopd.exe!main;shopd.exe!shop::Stock::count", 1L,
            "shopd.exe!main", 1L,
            "(folded)", 1L),
        stacks(recording, "--just-my-code"));
    JsonReader json = profile(recording, "--just-my-code", "--format", "json").json();
    assertEquals(4, json.get("total").number());
    assertEquals(
        4, json.get("rows").array().stream().mapToLong(row -> row.get("self").number()).sum());
  }

  @Test
  void aMethodCountsForTheModuleThatItWasCompiledOf() throws IOException {
    long heap = 0x1_5000_0000L;
    Path recording =
        new SampledProgram()
            .method(heap, 0x100, 7, "Shop.Stock", "Find")
            .method(heap + 0x200, 0x100, 8, "System.String", "Concat")
            .method(heap + 0x400, 0x100, 9, "Who", "Knows")
            .module(7, "C:\\shop\\Shop.Core.dll")
            .module(8, "C:\\Windows\\Microsoft.NET\\Framework64\\v4.0.30319\\mscorlib.dll")
            .sample(heap + 0x210, heap + 0x30, MAIN + 0x10)
            .sample(heap + 0x410, heap + 0x40, MAIN + 0x10)
            .write(folder);
    assertEquals(
        Map.of(
            "shopd.exe!main;(jitted)!Shop.Stock.Find", 1L,
            "shopd.exe!main;(jitted)!Shop.Stock.Find;(jitted)!Who.Knows", 1L),
        stacks(recording, "--just-my-code"));
  }

  @Test
  void codeHasTheNameOfTheMethodThatLayThereAtTheTime() throws IOException {
    long heap = 0x1_5000_0000L;
    Path recording =
        new SampledProgram()
            .method(heap, 0x100, 7, "Shop.Stock", "Find")
            .sample(heap + 0x10)
            // Compiled anew, by another tier: a second body of the same method.
            .recompiled(heap + 0x1000, 0x80, 1, "Shop.Stock", "Find")
            .sample(heap + 0x1010)
            .sample(heap + 0x10)
            .unloaded(heap, 0x100, "Shop.Stock", "Find")
            .sample(heap + 0x10)
            .method(heap, 0x40, 7, "Shop.Cart", "Add")
            .sample(heap + 0x10)
            .sample(heap + 0x50)
            .write(folder);
    assertEquals(
        Map.of("(jitted)!Shop.Stock.Find", 3L, "(unknown)", 2L, "(jitted)!Shop.Cart.Add", 1L),
        stacks(recording));
  }

  @Test
  void aGroupIsOneFunctionThatCallsItself() throws IOException {
    assertEquals(
        Map.of(
            "system;main program;system", 1L,
            "system;main program;system;ntoskrnl.exe+0x0", 1L,
            "system;main program", 1L,
            "system", 1L),
        stacks(mixed(), "--group", "ntdll=system", "--group", "/shopd.exe!.*/=main program"));
    JsonReader json =
        profile(mixed(), "--group", "ntdll=system", "--by", "module", "--format", "json").json();
    JsonReader system =
        json.get("rows").array().stream()
            .filter(row -> row.get("module").text().equals("system"))
            .findFirst()
            .orElseThrow();
    assertEquals(4, system.get("inclusive").number());
    assertEquals(2, system.get("self").number());
  }

  @Test
  void aPatternWithoutAMatchIsReported() throws IOException {
    Cli.Result result =
        Cli.run("profile", mixed(), "-y", SAMPLES, "--fold", "shopd!wort", "--group", "x=y");
    assertTrue(
        result.err().contains("no function in the profile matches shopd!wort"), result.err());
    assertTrue(result.err().contains("no function in the profile matches x"), result.err());
    for (String group : List.of("ntdll", "ntdll=", "ntdll= ", "=system")) {
      Cli.Result wrong = Cli.run("profile", mixed(), "--group", group);
      assertEquals(2, wrong.exit(), group);
      assertTrue(wrong.err().contains("--group takes a pattern and a name"), wrong.err());
    }
  }

  @Test
  void hitsAreCountedByModuleThenByFunction() throws IOException {
    Path recording = mixed();
    JsonReader json =
        profile(recording, "-z", "shopd", "-z", "ntdll.dll", "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("profile").definition("zoom").findings(json));
    Map<String, Long> modules = new TreeMap<>();
    json.get("modules")
        .array()
        .forEach(row -> modules.put(row.get("name").text(), row.get("hits").number()));
    assertEquals(Map.of("ntdll.dll", 2L, "ntoskrnl.exe", 1L, "shopd.exe", 1L), modules);
    List<JsonReader> zooms = json.get("zooms").array();
    assertEquals("ntdll.dll", zooms.get(0).get("module").text());
    List<String> buckets =
        zooms.get(0).get("rows").array().stream().map(row -> row.get("name").text()).toList();
    assertEquals(List.of("0x1010", "0x3030"), buckets);
    JsonReader main = zooms.get(1).get("rows").array().getFirst();
    assertEquals("main", main.get("function").text());
    assertEquals(1, main.get("hits").number());
  }

  @Test
  void aBucketBelongsToTheFunctionOfItsFirstByte() throws IOException {
    Path recording =
        new SampledProgram().sample(DELETE).sample(MAIN).sample(MAIN + 0x10).write(folder);
    assertEquals(Map.of("main", 2L, "operator delete", 1L), zoomed(recording, "16"));
    assertEquals(Map.of("main", 1L, "operator delete", 2L), zoomed(recording, "32"));
    assertTrue(
        profile(recording, "-z", "shopd", "--buckets", "32")
            .out()
            .contains("1 hit lies after the start of another function in its bucket"));
  }

  private static Map<String, Long> zoomed(Path recording, String bucket) {
    Map<String, Long> rows = new TreeMap<>();
    profile(recording, "-z", "shopd", "--buckets", bucket, "--format", "jsonl")
        .lines()
        .forEach(line -> {
          JsonReader row = JsonReader.parse(line);
          if (!row.get("zoom").isNull()) {
            rows.put(row.get("name").text(), row.get("hits").number());
          }
        });
    return rows;
  }

  @Test
  void hitsAreTurnedIntoEventsByTheIntervalOfSampling() throws IOException {
    List<String> lines = profile(mixed(), "-z", "shopd").lines();
    assertTrue(lines.contains("10,000 events per hit"), lines::toString);
    assertTrue(
        lines.contains("zoom shopd.exe (1 hit; bucket 16 bytes, rounding down; % of this module)"),
        lines::toString);
    Cli.Result wrong = Cli.run("profile", mixed(), "-z", "shopd", "--fold", "x");
    assertEquals(2, wrong.exit());
    Cli.Result missing = Cli.run("profile", mixed(), "-z", "shopt");
    assertTrue(
        missing.err().contains("none of the CPU samples are in a module shopt"), missing.err());
  }
}
