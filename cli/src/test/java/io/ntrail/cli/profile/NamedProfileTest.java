package io.ntrail.cli.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.testkit.ExternalTool;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ntrail profile -y}: functions by the names of PDBs. */
class NamedProfileTest {
  private static final String RECORDING = "etl/perfview-net45-x86-win7.etl.gz";
  private static final ExternalTool PDBUTIL =
      ExternalTool.of("llvm", "llvm-pdbutil-14", "llvm-pdbutil");
  private static final List<String> IMAGES = List.of("mscorlib", "System", "System.Xml");
  private static final Pattern SECTION = Pattern.compile("size = (\\d+)\\s+flags = .*selector");
  private static final Pattern PUBLIC =
      Pattern.compile("S_PUB32 \\[size = \\d+] `(.*)`\\s+flags = .*, addr = (\\d+):(\\d+)");

  @TempDir private Path folder;

  @BeforeEach
  void data() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    for (String image : IMAGES) {
      Files.write(
          folder.resolve(image + ".ni.pdb"),
          TestData.gunzip("etl/perfview-net45-x86-win7." + image + ".ni.pdb.gz"));
    }
  }

  /** Names by where they begin, as llvm-pdbutil prints them. */
  private NavigableMap<Long, Set<String>> names(String image) throws Exception {
    String text =
        PDBUTIL
            .run(
                folder,
                Map.of(),
                "dump",
                "--publics",
                "--section-map",
                folder.resolve(image + ".ni.pdb").toString())
            .output();
    List<Long> sections = new ArrayList<>();
    long next = 0x1000;
    for (MatchResult size : SECTION.matcher(text).results().toList()) {
      sections.add(next);
      next += Long.parseLong(size.group(1)) + 0xFFF & ~0xFFF;
    }
    NavigableMap<Long, Set<String>> names = new TreeMap<>();
    for (MatchResult symbol : PUBLIC.matcher(text).results().toList()) {
      long base = sections.get(Integer.parseInt(symbol.group(2)) - 1);
      names
          .computeIfAbsent(base + Long.parseLong(symbol.group(3)), _ -> new HashSet<>())
          .add(symbol.group(1));
    }
    return names;
  }

  @Test
  void everySampledAddressHasTheNameThatAnotherReaderOfThePdbGivesIt() throws Exception {
    assumeTrue(PDBUTIL.available(), PDBUTIL.missing());
    Map<String, NavigableMap<Long, Set<String>>> names = new HashMap<>();
    for (String image : IMAGES) {
      names.put(image + ".ni.dll", names(image));
    }
    Cli.Result profile =
        Cli.run("profile", TestData.file(RECORDING), "-y", folder, "-n", "0", "--format", "json");
    assertEquals(0, profile.exit(), profile.err());
    assertEquals(List.of(), JsonSchema.named("profile").findings(profile.json()));
    assertEquals(3, profile.json().get("symbols").get("found").number());
    List<JsonReader> rows =
        profile.json().get("rows").array().stream()
            .filter(row -> names.containsKey(row.get("module").text()))
            .toList();
    Set<String> second = new HashSet<>();
    for (JsonReader row : rows) {
      NavigableMap<Long, Set<String>> known =
          Objects.requireNonNull(names.get(row.get("module").text()));
      long rva = Long.decode(row.get("rva").text());
      if (!known.containsKey(rva)) {
        // llvm-pdbutil lists what is in the table by name, which has each name once.
        String name = row.get("function").text();
        assertTrue(known.values().stream().anyMatch(all -> all.contains(name)), name);
        known.put(rva, Set.of(name));
        second.add(name);
      }
    }
    assertTrue(second.stream().allMatch(NamedProfileTest::isStub), second::toString);
    Map<String, Long> told = new HashMap<>();
    for (JsonReader row : rows) {
      String module = row.get("module").text();
      NavigableMap<Long, Set<String>> known = Objects.requireNonNull(names.get(module));
      Set<String> all = known.getOrDefault(Long.decode(row.get("rva").text()), Set.of());
      assertTrue(all.contains(row.get("function").text()), row::toString);
      told.put(module + "!" + all, row.get("inclusive").number());
    }
    assertTrue(told.size() > 100, () -> "only " + told.size() + " functions were sampled");
    Map<String, Long> expected = stacks(names);
    // Of names that llvm-pdbutil has once, any other place has the name before it.
    assertEquals(sumOfStubs(expected), sumOfStubs(told));
    expected.keySet().removeIf(NamedProfileTest::isStub);
    told.keySet().removeIf(NamedProfileTest::isStub);
    assertEquals(expected, told);
  }

  private static boolean isStub(String function) {
    return function.contains(".IL_STUB_");
  }

  private static long sumOfStubs(Map<String, Long> stacks) {
    return stacks.entrySet().stream()
        .filter(entry -> isStub(entry.getKey()))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  /**
   * Returns the number of stacks that functions are in, by the nearest name before each address.
   */
  private static Map<String, Long> stacks(Map<String, NavigableMap<Long, Set<String>>> names) {
    Map<String, Long> stacks = new HashMap<>();
    Cli.Result events =
        Cli.run(
            "events",
            TestData.file(RECORDING),
            "-e",
            "PerfInfo/SampleProf",
            "--stacks",
            "--format",
            "jsonl");
    for (String line : events.out().lines().filter(l -> l.contains("\"stack\":")).toList()) {
      Set<String> functions = new HashSet<>();
      for (JsonReader frame : JsonReader.parse(line).get("stack").array()) {
        Object module = frame.get("module").value();
        if (module != null && names.containsKey(module.toString())) {
          long rva = Long.decode(frame.get("rva").text());
          functions.add(module + "!" + names.get(module.toString()).floorEntry(rva).getValue());
        }
      }
      functions.forEach(function -> stacks.merge(function, 1L, Long::sum));
    }
    return stacks;
  }

  @Test
  void theSourceOfNamesIsReported() {
    Cli.Result named = Cli.run("profile", TestData.file(RECORDING), "-y", folder);
    assertEquals(0, named.exit(), named.err());
    assertTrue(named.out().matches("(?s).*symbols: 3 of \\d+ hot images.*"), named.out());
    Cli.Result without = Cli.run("profile", TestData.file(RECORDING));
    assertTrue(without.out().contains("no symbols"), without.out());
    Cli.Result callers =
        Cli.run(
            "profile",
            TestData.file(RECORDING),
            "-y",
            folder,
            "--callers",
            "mscorlib.ni.dll!System.String.wstrcpy*");
    assertTrue(callers.out().contains("wstrcpy(Char*, Char*, Int32)"), callers.out());
  }

  @Test
  void unreadablePartsOfPdbsAreReported() throws IOException {
    Path pdb = folder.resolve("mscorlib.ni.pdb");
    byte[] bytes = Files.readAllBytes(pdb);
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    int name = text.indexOf("System.String.wstrcpy(Char*, Char*, Int32)");
    // The kind of the record that the name is in.
    bytes[name - 12] ^= 0x55;
    Files.write(pdb, bytes);
    for (String format : List.of("text", "json")) {
      Cli.Result profile =
          Cli.run("profile", TestData.file(RECORDING), "-y", folder, "--format", format);
      assertEquals(3, profile.exit(), profile.err());
      assertTrue(profile.err().contains("mscorlib.ni.pdb"), profile.err());
      assertTrue(!profile.out().contains("wstrcpy"), profile.out());
    }
    Cli.Result events =
        Cli.run(
            "events",
            TestData.file(RECORDING),
            "-e",
            "PerfInfo/*",
            "--stacks",
            "-y",
            folder,
            "--format",
            "jsonl",
            "-o",
            folder.resolve("events.jsonl"));
    assertEquals(3, events.exit(), events.err());
  }

  @Test
  void everySampleInCompiledCodeHasTheNameOfItsMethod() {
    Cli.Result result =
        Cli.run(
            "profile",
            TestData.file("etl/perfview-net452-x64.etl.gz"),
            "-p",
            "Test.x64.exe",
            "-n",
            "0",
            "--format",
            "json");
    assertEquals(0, result.exit(), result.err());
    Map<String, Long> methods = new HashMap<>();
    for (JsonReader row : result.json().get("rows").array()) {
      if (row.get("module").text().equals("(jitted)") && row.get("self").number() > 0) {
        methods.merge(row.get("function").text(), row.get("self").number(), Long::sum);
      }
    }
    assertEquals(4456, methods.values().stream().mapToLong(Long::longValue).sum());
    // The README beside the recording has these, of another reader.
    assertEquals(1856, methods.get("System.DateTime.GetDatePart"));
    assertEquals(566, methods.get("System.TimeZoneInfo.TransitionTimeToDateTime"));
    assertEquals(470, methods.get("System.DateTime.get_DayOfWeek"));
  }

  @Test
  void strictMakesMissingSymbolsAnExitCode() {
    Path file = TestData.file(RECORDING);
    assertEquals(3, Cli.run("profile", file, "-y", folder, "--strict").exit());
    assertEquals(0, Cli.run("profile", file, "-y", folder).exit());
    // No symbol path was given: no symbols are missed.
    assertEquals(0, Cli.run("profile", file, "--strict").exit());
  }

  @Test
  void imagesOfOneNameHaveTheirOwnSamples() {
    Cli.Result result =
        Cli.run("symbols", TestData.file(RECORDING), "--hot", "0", "--format", "json");
    Map<String, Long> samples = new HashMap<>();
    for (JsonReader module : result.json().get("modules").array()) {
      if (module.get("module").text().equals("ntdll.dll")) {
        samples.put(module.get("pdb").get("name").text(), module.get("samples").number());
      }
    }
    // That of 32-bit programs, and that of 64-bit ones.
    assertEquals(Set.of("wntdll.pdb", "ntdll.pdb"), samples.keySet());
    Cli.Result profile =
        Cli.run(
            "profile", TestData.file(RECORDING), "--by", "module", "-n", "0", "--format", "json");
    long together =
        profile.json().get("rows").array().stream()
            .filter(row -> row.get("module").text().equals("ntdll.dll"))
            .mapToLong(row -> row.get("self").number())
            .sum();
    assertEquals(together, samples.values().stream().mapToLong(Long::longValue).sum());
    assertTrue(samples.values().stream().allMatch(count -> count > 100), samples::toString);
  }

  @Test
  void theImagesOfARecordingAreListedWithWhereTheirNamesComeFrom() throws IOException {
    // Of another build, in a place of its own.
    Path wrong = Files.createDirectory(folder.resolve("wrong"));
    Files.copy(folder.resolve("System.ni.pdb"), wrong.resolve("clr.pdb"));
    Cli.Result result =
        Cli.run("symbols", TestData.file(RECORDING), "-y", folder, "-y", wrong, "--format", "json");
    assertEquals(0, result.exit(), result.err());
    assertEquals(List.of(), JsonSchema.named("symbols").findings(result.json()));
    Map<String, String> states = new HashMap<>();
    Map<String, String> guids = new HashMap<>();
    for (JsonReader module : result.json().get("modules").array()) {
      states.put(module.get("module").text(), module.get("state").text());
      if (module.get("pdb").value() != null) {
        guids.put(module.get("module").text(), module.get("pdb").get("guid").text());
      }
    }
    for (String image : IMAGES) {
      assertEquals("found", states.get(image + ".ni.dll"));
    }
    // The table beside the recording has them.
    assertEquals("51e29341-44ba-1562-8ba5-a31be2dae7dc", guids.get("mscorlib.ni.dll"));
    assertEquals("e40da7a4-9f8c-3f01-08e7-c835b342f382", guids.get("System.ni.dll"));
    assertEquals("wrong", states.get("clr.dll"));
    assertEquals("missing", states.get("ntoskrnl.exe"));
    JsonReader first = result.json().get("modules").array().getFirst();
    assertEquals("clr.dll", first.get("module").text());
    assertEquals(1571, first.get("samples").number());
    Cli.Result text = Cli.run("symbols", TestData.file(RECORDING), "-y", folder, "-n", "5");
    assertTrue(text.out().contains("images: 3 found, 0 wrong"), text.out());
  }

  @Test
  void stacksOfEventsHaveTheSameNames() {
    Cli.Result events =
        Cli.run(
            "events",
            TestData.file(RECORDING),
            "-e",
            "PerfInfo/SampleProf",
            "--stacks",
            "-y",
            folder,
            "--format",
            "jsonl");
    assertEquals(0, events.exit(), events.err());
    long named = 0;
    for (String line : events.out().lines().filter(l -> l.contains(".ni.dll")).toList()) {
      for (JsonReader frame : JsonReader.parse(line).get("stack").array()) {
        Object module = frame.get("module").value();
        if (module != null && IMAGES.contains(module.toString().replace(".ni.dll", ""))) {
          assertTrue(frame.get("function").value() != null, line);
          named++;
        }
      }
    }
    assertTrue(named > 300, "only " + named + " frames");
  }

  @Test
  void aPdbOfAnotherBuildIsNotUsedAndNamed() throws IOException {
    Path other = Files.createDirectory(folder.resolve("other"));
    Files.copy(folder.resolve("System.ni.pdb"), other.resolve("mscorlib.ni.pdb"));
    Cli.Result profile = Cli.run("profile", TestData.file(RECORDING), "-y", other);
    assertEquals(0, profile.exit(), profile.err());
    assertTrue(profile.err().contains("mscorlib.ni.pdb is a different build"), profile.err());
    assertTrue(profile.out().contains("no symbols"), profile.out());
  }

  /** Runs ntrail as a process of its own whose environment has a symbol path. */
  private String withSymbolPath(String path, String... words) throws Exception {
    Path out = folder.resolve("out.txt");
    ProcessBuilder builder =
        new ProcessBuilder(Cli.command(words))
            .redirectErrorStream(true)
            .redirectOutput(out.toFile());
    builder.environment().put("_NT_SYMBOL_PATH", path);
    assertEquals(0, builder.start().waitFor(), () -> String.join(" ", words));
    return Files.readString(out);
  }

  @Test
  void theSymbolPathOfTheEnvironmentAndOfTheOptionAreSearched() throws Exception {
    Path store = folder.resolve("store");
    Path key = store.resolve("mscorlib.ni.pdb/51E2934144BA15628BA5A31BE2DAE7DC1");
    Files.createDirectories(key);
    Files.move(folder.resolve("mscorlib.ni.pdb"), key.resolve("mscorlib.ni.pdb"));
    String file = TestData.file(RECORDING).toString();
    Path cache = folder.resolve("cache");
    String found =
        withSymbolPath(
            "srv*" + cache + "*" + store + ";srv*" + folder.resolve("none") + "*http://127.0.0.1:1",
            "profile",
            file);
    assertTrue(found.contains("symbols: 1 of "), found);
    assertTrue(
        Files.exists(cache.resolve(store.relativize(key)).resolve("mscorlib.ni.pdb")),
        "the first store keeps it");
    Cli.Result option = Cli.run("profile", file, "-y", "srv*" + store, "-y", folder);
    assertTrue(option.out().contains("symbols: 3 of "), option.out());
    Cli.Result listed =
        Cli.run("symbols", file, "-y", "srv*http://127.0.0.1:1", "-n", "1", "--format", "json");
    assertTrue(listed.out().contains("downloads are not enabled"), "nothing leaves");
  }
}
