package io.ntrail.cli.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.text.Numbers;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.wine.WindowsCompiler;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code ntrail trace} as a process of its own, since it gives its standard streams to the program
 * that it starts.
 */
class TraceTest {
  private static final long SECONDS = 120;

  @TempDir private Path folder;

  private record Outcome(int exit, String out, String err) {}

  private Outcome ntrail(String... words) throws IOException, InterruptedException {
    assumeTrue(Wine.available(), Wine.missing());
    List<String> command = Cli.command(words);
    Path out = folder.resolve("out.txt");
    Path err = folder.resolve("err.txt");
    Path in = Files.writeString(folder.resolve("in.txt"), "a line\r\n");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectInput(in.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().putAll(Wine.shared().environment());
    Process process = builder.start();
    if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
      throw new AssertionError(command + " did not end: " + text(err));
    }
    return new Outcome(process.exitValue(), text(out), text(err));
  }

  private static String text(Path file) throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
  }

  private static long number(JsonReader json, String name) {
    return json.get(name).number();
  }

  private static void sumsAgree(JsonReader functions) {
    JsonReader classes = functions.get("byClass");
    assertEquals(
        number(functions, "patched"),
        number(classes, "x64-A")
            + number(classes, "x64-B")
            + number(classes, "x64-C")
            + number(classes, "x64-E"));
    assertEquals(number(functions, "refused"), number(classes, "x64-D"));
    assertEquals(
        number(functions, "matched"), number(functions, "patched") + number(functions, "refused"));
  }

  @Test
  void programsCallsAreRecordedAndItsStreamsAreItsOwn() throws Exception {
    Outcome traced =
        ntrail(
            "trace",
            "-f",
            "cmd!*",
            "-o",
            "cmd.ntr",
            "--args",
            "12",
            "--format",
            "json",
            "--report",
            "report.json",
            "--",
            "cmd",
            "/c",
            "more & exit 7");
    assertEquals(7, traced.exit(), traced.err());
    assertTrue(traced.out().contains("a line"), traced.out() + traced.err());
    JsonReader report = JsonReader.parse(text(folder.resolve("report.json")));
    assertEquals(List.of(), JsonSchema.named("trace").findings(report));
    assertEquals(7, number(report.get("target"), "exitCode"));
    assertEquals(7, number(report, "programExitCode"));
    assertEquals("passed", report.get("selfTest").text());
    assertEquals(0, number(report, "lost"));
    assertEquals(Files.size(folder.resolve("cmd.ntr")), number(report, "bytes"));
    long entries = number(report, "entries");
    assertTrue(entries > 10, "entries: " + entries);
    assertEquals(
        entries, number(report, "exits") + number(report, "unwinds") + number(report, "open"));
    sumsAgree(report.get("functions"));

    Cli.Result flat = Cli.run("calls", folder.resolve("cmd.ntr"), "--flat", "--format", "json");
    assertEquals(0, flat.exit(), flat.err());
    assertEquals(entries, number(flat.json(), "entries"));
    assertEquals(number(report, "open"), number(flat.json(), "open"));
    assertEquals(
        flat.out(),
        Cli.run("calls", folder.resolve("cmd.ntr"), "-t", "main", "--flat", "--format", "json")
            .out(),
        "its one thread is the main one");
    assertTrue(flat.out().contains("cmd.exe!WCMD_"), "names of the symbol table");
  }

  private static List<Long> arguments(JsonReader call) {
    return call.get("arguments").array().stream()
        .map(one -> Long.parseUnsignedLong(one.get("value").text().substring(2), 16))
        .toList();
  }

  @Test
  void recordedArgumentsAreListedWithTheirCalls() throws Exception {
    assumeTrue(WindowsCompiler.MINGW_C.available(), WindowsCompiler.MINGW_C.missing());
    Path source = TestData.projectRoot().resolve("live/src/test/programs/wide.c");
    Path program = WindowsCompiler.MINGW_C.build(List.of(source), "-O2");
    Outcome traced =
        ntrail(
            "trace",
            "-f",
            "*!wide",
            "-f",
            "*!wide_entry",
            "--args",
            "12",
            "-o",
            "wide.ntr",
            "--",
            program.toString());
    assertEquals(0, traced.exit(), traced.err());
    String size = Numbers.bytes(Files.size(folder.resolve("wide.ntr")));
    assertTrue(traced.err().contains("wrote wide.ntr, " + size + " ("), traced.err());
    Cli.Result told = Cli.run("calls", folder.resolve("wide.ntr"), "--format", "jsonl");
    assertEquals(0, told.exit(), told.err());
    JsonSchema schema = JsonSchema.named("calls").definition("call");
    List<JsonReader> calls = told.lines().stream().map(JsonReader::parse).toList();
    assertEquals(6000, calls.size(), traced.err());
    for (int i = 0; i < calls.size(); i++) {
      JsonReader call = calls.get(i);
      // The second of each two is recorded without its end.
      assertEquals(i % 2 != 0, call.has("entryOnly"));
      long n = i / 2;
      assertEquals(
          List.of(n, -n, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7, n + 8, n + 9, n + 10, ~n),
          arguments(call));
      assertEquals(List.of(), schema.findings(call));
    }
    Cli.Result tree = Cli.run("calls", folder.resolve("wide.ntr"), "--find", "wide", "-n", "3");
    assertTrue(tree.out().contains("!wide(2, fffffffffffffffe, 4, 5, ...)"), tree.out());
  }

  @Test
  void doctorReportsTheWineInUse() {
    assumeTrue(Wine.available(), Wine.missing());
    String line =
        Cli.run("doctor").lines().stream()
            .filter(one -> one.contains("tracing with Wine"))
            .findFirst()
            .orElseThrow();
    assertTrue(line.matches("  tracing with Wine +ok +wine-\\d.* in /.*"), line);
  }

  @Test
  void planTracesNothingAndReportsReasons() throws Exception {
    Outcome plan =
        ntrail("trace", "--plan", "--why", "--format", "json", "-f", "cmd!*", "--", "cmd");
    assertEquals(0, plan.exit(), plan.err());
    JsonReader json = JsonReader.parse(plan.out());
    assertEquals(List.of(), JsonSchema.named("trace").findings(json));
    assertEquals(
        number(json.get("functions"), "refused"),
        json.get("functions").get("leftAlone").array().stream()
            .filter(one -> Boolean.FALSE.equals(one.get("entries").value()))
            .count());
    sumsAgree(json.get("functions"));
    assertTrue(number(json.get("functions"), "needStop") > 0);
    assertEquals(List.of(), json.get("remarks").array(), "the system's files are what runs");
    assertFalse(Files.exists(folder.resolve("cmd.ntr")));
  }

  @Test
  void planListsTheModulesOfTheFunctions() throws Exception {
    String[] words = {"-f", "cmd!*", "-f", "ntdll!*", "-f", "kernel32!*File*", "--", "cmd"};
    Outcome plan =
        ntrail(
            Stream.concat(Stream.of("trace", "--plan", "--format", "json"), Stream.of(words))
                .toArray(String[]::new));
    JsonReader json = JsonReader.parse(plan.out());
    assertEquals(List.of(), JsonSchema.named("trace").findings(json));
    JsonReader functions = json.get("functions");
    List<JsonReader> modules = functions.get("modules").array();
    assertEquals(
        Set.of("cmd.exe", "kernel32.dll", "ntdll.dll"),
        modules.stream().map(one -> one.get("module").text()).collect(Collectors.toSet()));
    for (String count : List.of("matched", "patched")) {
      assertEquals(
          number(functions, count), modules.stream().mapToLong(one -> number(one, count)).sum());
    }
    long exits = modules.stream().mapToLong(one -> number(one, "exits")).sum();
    assertEquals(number(functions, "entriesOnly"), number(functions, "patched") - exits);
    Outcome text =
        ntrail(
            Stream.concat(Stream.of("trace", "--plan"), Stream.of(words)).toArray(String[]::new));
    assertTrue(text.out().contains("functions  traced  exits  module"), text.out());
    assertTrue(text.out().contains("functions  only entries, because"), text.out());
  }

  @Test
  void theExitCodeIsThatOfTheProgramUnlessNtrailsIsWanted() throws Exception {
    Outcome low =
        ntrail("trace", "-f", "cmd!*main*", "--format", "json", "--", "cmd", "/c", "exit 1027");
    assertEquals(3, low.exit(), low.err());
    assertEquals(1027, number(JsonReader.parse(low.err()), "programExitCode"));
    Outcome own =
        ntrail("trace", "-f", "cmd!*main*", "--exit-code", "ntrail", "--", "cmd", "/c", "exit 7");
    assertEquals(0, own.exit(), own.err());
    assertTrue(own.err().contains("the program ended with exit code 7"), own.err());
    Outcome wrong = ntrail("trace", "-f", "*!*", "--exit-code", "mine", "--", "cmd");
    assertEquals(2, wrong.exit());
    assertTrue(wrong.err().contains("--exit-code takes program or ntrail, not mine"), wrong.err());
  }

  @Test
  void aPatternForAnyModuleWaitsForLibraries() throws Exception {
    Outcome later = ntrail("trace", "-f", "*!nothing*", "--", "cmd", "/c", "echo run");
    assertEquals(1, later.exit());
    assertTrue(later.err().contains("waiting for others to be loaded: *!nothing*"), later.err());
    assertEquals("run", later.out().strip());
  }

  @Test
  void patternsThatMatchNoFunctionAreReportedBesideOthersThatDo() throws Exception {
    String[] patterns = {"-f", "cmd!*main*", "-f", "cmd!nothing", "-f", "later!*"};
    List<String> words = Stream.concat(Stream.of(patterns), Stream.of("--", "cmd")).toList();
    Outcome plan =
        ntrail(Stream.concat(Stream.of("trace", "--plan"), words.stream()).toArray(String[]::new));
    assertEquals(
        List.of(
            "ntrail: no function of the loaded modules matches cmd!nothing",
            "ntrail: no function of the loaded modules matches later!*"),
        plan.err().lines().filter(line -> line.contains("no function")).toList());
    Outcome traced =
        ntrail(
            Stream.concat(Stream.concat(Stream.of("trace"), words.stream()), Stream.of("/c", "rem"))
                .toArray(String[]::new));
    assertEquals(
        List.of(
            "ntrail: no function of the loaded modules matches cmd!nothing",
            "ntrail: no function matched cmd!nothing",
            "ntrail: no function matched later!*"),
        traced.err().lines().filter(line -> line.contains("no function")).toList());
  }

  @Test
  void untraceableFunctionsAreReported() throws Exception {
    Outcome nothing = ntrail("trace", "-f", "cmd!nothing", "--", "cmd", "/c", "echo run");
    assertEquals(1, nothing.exit());
    assertTrue(nothing.err().contains("no function of cmd.exe matches cmd!nothing"), nothing.err());
    assertEquals("", nothing.out(), "the program did not run");
    Outcome later = ntrail("trace", "-f", "nothing!*", "--", "cmd", "/c", "echo run");
    assertEquals(1, later.exit());
    assertTrue(later.err().contains("waiting for others to be loaded: nothing!*"), later.err());
    assertTrue(
        later
            .err()
            .contains("no function of cmd.exe or of the modules that it loaded matches nothing!*"),
        later.err());
    assertEquals("run", later.out().strip(), "the library could have been loaded later");
    assertFalse(later.err().contains("continues"), "it has ended: " + later.err());
    Outcome missing = ntrail("trace", "-f", "*!*", "--", "./missing.exe");
    assertEquals(1, missing.exit());
    assertTrue(missing.err().contains("no such program: ./missing.exe"), missing.err());
    assertEquals(2, ntrail("trace", "--", "cmd").exit());
    Outcome many = ntrail("trace", "--args", "13", "-f", "*!*", "--", "cmd");
    assertEquals(2, many.exit());
    assertTrue(many.err().contains("--args takes 0 to 12, not 13"), many.err());
  }

  @Test
  void functionsHaveTheNamesOfPdbs() throws Exception {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] pdb = TestData.gunzip("pdb/seh/x64/xcpt4.pdb.gz");
    Path program =
        Files.write(folder.resolve("xcpt4.exe"), TestData.gunzip("pdb/seh/x64/xcpt4.exe.gz"));
    Path beside = Files.write(folder.resolve("xcpt4.pdb"), pdb);
    Outcome traced = ntrail("trace", "-f", "xcpt4!Test*", "-f", "main", "--", program.toString());
    assertEquals(0, traced.exit(), traced.err());
    assertTrue(traced.out().contains("End of exception test"), traced.out());
    Cli.Result calls = Cli.run("calls", folder.resolve("xcpt4.ntr"), "--flat", "--format", "json");
    List<String> called =
        calls.json().get("functions").array().stream()
            .map(function -> function.get("function").text())
            .toList();
    // The source of the program defines Test79 to Test90, too, and main calls them.
    assertTrue(called.contains("xcpt4.exe!main"), called::toString);
    assertTrue(called.contains("xcpt4.exe!Test61Part2"), called::toString);
    Path other = Files.createDirectory(folder.resolve("other"));
    Files.write(other.resolve("xcpt4.pdb"), TestData.gunzip("pdb/seh/x64/xframe_eh_exe.pdb.gz"));
    Files.move(beside, folder.resolve("moved.pdb"));
    Outcome wrong =
        ntrail(
            "trace", "--plan", "-f", "xcpt4!*", "-y", other.toString(), "--", program.toString());
    assertTrue(wrong.err().contains("xcpt4.pdb is a different build"), wrong.err());
    Outcome named =
        ntrail(
            "trace",
            "--plan",
            "-f",
            "main",
            "-y",
            folder.resolve("moved.pdb").toString(),
            "--",
            program.toString());
    assertTrue(named.out().contains("1 of 1 matching function"), named.out() + named.err());
  }
}
