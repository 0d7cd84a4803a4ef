package io.ntrail.cli.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.Cli.Result;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.wine.WindowsCompiler;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ntrail probe} and {@code dtrace} over a program that runs under Wine. */
class LiveProbeTest {
  private static final boolean LONG = Boolean.getBoolean("ntrail.long");
  private static final long SECONDS = 240;

  /** Programs of which some are run together in the ordinary run. */
  private static final List<String> PROGRAMS =
      List.of(
          "named:entry { @a[tid] = count(); }",
          "named:entry { printf(\"%d %d %d\\n\", timestamp, tid, arg1); }",
          "named:return { @b = quantize(duration); }",
          "fibonacci:return { @c[arg1] = count(); }",
          "fibonacci:entry { self->depth++; @d = max(self->depth); } fibonacci:return { self->depth--; }",
          "wide:entry { @e[(int)arg1 < 0, (short)arg2 & 3] = sum((int)arg4); }",
          "wide:return /arg1 & 1/ { @f = lquantize(arg1 & 0xFF, 0, 256, 16); }",
          "slow:entry { self->t = timestamp; } slow:return { @g[arg1] = avg(timestamp - self->t); }",
          "slow:return /duration > 4ms/ { @h = count(); printf(\"%s %d\\n\", probefunc, arg1); }",
          "pid$target::slow:entry { @i[execname, pid == $target] = count(); }",
          "pid$target:watched*::entry { @j[probemod, probefunc] = count(); }",
          "fbt:watched*:?i*:return { @k[probefunc] = min(duration); }",
          "winmm!timeGetTime:entry { @l = count(); }",
          "tick-5ms { @m = count(); }",
          "little:entry { printf(\"%d %Y\\n\", walltimestamp, walltimestamp); }",
          "syscall::NtDelayExecution:entry { @n[probefunc] = count(); }",
          "fibonacci:entry /arg0 == 0/ { n++; } END { printf(\"%d %d\\n\", n, timestamp); }",
          "named:entry { @o[arg1 % 10] = stddev(arg1); } END { trunc(@o, 3); printa(\"%d %@d\\n\", @o); }",
          "slow:entry { self->s = speculation(); speculate(self->s); printf(\"%d\\n\", arg0); }"
              + " slow:return /arg1 == 5/ { commit(self->s); } slow:return /arg1 != 5/ { discard(self->s); }",
          "named:entry { @p[copyinstr(arg0)] = count(); }",
          "named:entry /copyinstr(arg0, 2) == \"c-\"/ { @q[*(short *)copyin(arg0, 2)] = count(); }",
          "little:entry { exit(3); } END { printf(\"over %d %d\\n\", timestamp, walltimestamp); }");

  @TempDir private Path folder;
  private String program = "";

  private Map<String, String> environment = Map.of();

  @BeforeEach
  void compile() throws IOException {
    assumeTrue(Wine.available(), Wine.missing());
    environment = Wine.shared().environment();
    program = built(WindowsCompiler.MINGW_C);
  }

  private static String built(WindowsCompiler compiler) throws IOException {
    assumeTrue(compiler.available(), compiler.missing());
    Path source = TestData.projectRoot().resolve("live/src/test/programs/watched.c");
    return compiler.build(List.of(source), "-O1").toString();
  }

  /**
   * Result of a command in a process of its own.
   *
   * @param err what it printed besides its answer
   */
  private record Ran(int exit, String out, String err) {}

  private Ran ran(Object... words) throws IOException, InterruptedException {
    List<String> all = new ArrayList<>();
    for (Object word : words) {
      all.add(word.toString());
    }
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    ProcessBuilder builder =
        new ProcessBuilder(Cli.command(all.toArray(String[]::new)))
            .directory(folder.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    process.getOutputStream().close();
    if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
      throw new AssertionError(all + " did not end: " + Files.readString(err));
    }
    return new Ran(process.exitValue(), Files.readString(out), Files.readString(err));
  }

  private void replaysAlike(String text) throws IOException, InterruptedException {
    wholeReplaysAlike("#pragma D option quiet\n" + text);
  }

  private void wholeReplaysAlike(String whole) throws IOException, InterruptedException {
    Path answer = folder.resolve("live.txt");
    Path calls = folder.resolve("calls.ntr");
    Files.deleteIfExists(calls);
    Ran live = ran("probe", whole, "-o", answer, "--keep", calls, "--", program);
    assertEquals(0, live.exit, () -> whole + live.err);
    assertEquals("done 1\r\n", live.out, whole);
    Result replayed = Cli.run("probe", whole, calls);
    assertEquals(0, replayed.exit(), replayed.err());
    String printed = Files.readString(answer);
    assertEquals(replayed.out(), printed, whole);
    assertTrue(printed.strip().length() > 0, whole);
  }

  @Test
  void aProgramThatRunsAndItsRecordingGiveTheSameAnswer() throws Exception {
    if (LONG) {
      for (String one : PROGRAMS) {
        replaysAlike(one);
      }
    }
    // All but the last one together, which would end the others.
    replaysAlike(String.join("\n", PROGRAMS.subList(0, PROGRAMS.size() - 1)));
    replaysAlike(PROGRAMS.getLast());
  }

  @Test
  void numbersOfProbesAreThoseOfTheRecordingAlsoOfModulesThatAreLoadedLater() throws Exception {
    wholeReplaysAlike(
        "winmm!time*:entry, fbt:winmm::return { @[id] = count(); trace(id); }"
            + " slow:entry { trace(id); } tick-5ms { @t[id] = count(); }");
  }

  @Test
  void countsAreThoseOfTheProgramsText() throws Exception {
    Path answer = folder.resolve("live.json");
    Ran live =
        ran(
            "probe",
            "named:entry { @a = count(); } fibonacci:return { @b = count(); }"
                + " slow:entry { @c = sum(arg0); } winmm!timeGetTime:return { @d = count(); }",
            "--format",
            "json",
            "-o",
            answer,
            "--",
            program);
    assertEquals(0, live.exit, live.err);
    JsonReader json = JsonReader.parse(Files.readString(answer));
    assertEquals(List.of(), JsonSchema.named("probe").strictFindings(json));
    List<Long> values =
        json.get("aggregations").array().stream().map(one -> one.get("value").number()).toList();
    // Three threads: 2,000 calls and one, 1,973 of fibonacci(15), 0 + 1 + ... + 5; the library's
    // 20.
    assertEquals(List.of(6001L, 5919L, 45L, 20L), values);
    assertEquals(0, json.get("lost").get("events").number());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void stringsThatArgumentsPointToAreCopiedAtTheEntry(boolean is32Bit) throws Exception {
    if (is32Bit) {
      assumeTrue(Wine.available32(), Wine.missing32());
      environment = Wine.shared32().environment();
      program = built(WindowsCompiler.MINGW_C_32);
    }
    Ran live =
        ran(
            "probe",
            "named:entry { @[substr(copyinstr(arg0), 0, 2)] = count(); }"
                + " named:entry /copyinstr(arg0) == \"e-1999\"/ { n++; }"
                + " named:entry { @m = max(arg1); } named:return { @m = max(arg1); }"
                + " END { printf(\"%d\\n\", n); printa(\"%s %@d\\n\", @); printa(\"%@d\\n\", @m); }",
            "-x",
            "quiet",
            "-x",
            "aggsortkey",
            "--",
            program);
    assertEquals(0, live.exit, live.err);
    // Each of three threads has 2,000 names, whose first letters take turns.
    assertEquals(
        "done 1\r\n3\na- 1200\nb- 1200\nc- 1200\nd- 1200\ne- 1200\nx 1\n2100\n\n",
        live.out,
        live.err);
  }

  @Test
  void argumentsOf32BitFunctionsThatMayBeInRegistersAreDoubted() throws Exception {
    assumeTrue(Wine.available32(), Wine.missing32());
    environment = Wine.shared32().environment();
    program = built(WindowsCompiler.MINGW_C_32);
    // Of the runtime's own file, which alone calls it.
    Ran live = ran("probe", "_pre_c_init:entry { @ = max(arg0); }", "-x", "quiet", "--", program);
    assertEquals(0, live.exit, live.err);
    assertTrue(
        live.err.contains(
            "warning: 1 function may have other arguments, as the calling convention is assumed: "),
        live.err);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "named:return { trace(copyinstr(arg1)); }|1:22|use it at probes of entry",
        "named:entry { self->a = arg0; } named:return { trace(copyin(self->a, 4)); }|1:54|at probes",
        "named:entry { trace(copyinstr(arg0 * 2)); }|1:36|arg0 to arg9, or one of them plus",
        "named:entry { tracemem(copyin(arg0, arg1), 4); }|1:37|needs a constant number of bytes",
        "named:entry { tracemem(copyin(arg0, 4096), 4); }|1:24|896 bytes of each call are copied",
      })
  void otherMemoryIsRefusedWithItsPlace(String text, String place, String reason) throws Exception {
    Ran live = ran("probe", text, "--", program);
    assertEquals(2, live.exit, live.err);
    assertTrue(live.err.contains(reason), live.err);
    assertTrue(live.err.contains("(" + place + ")"), live.err);
    assertEquals("", live.out);
  }

  @Test
  void exitEndsWatchingAndLeavesTheProgramRunning() throws Exception {
    Ran live = ran("dtrace", "-q", "-n", "pid$target::slow:entry { exit(7); }", "-c", program);
    assertEquals(7, live.exit, live.err);
    assertTrue(live.out.contains("done 1"), live.out);
  }

  @Test
  void aFunctionThatNoModuleHasIsRefusedBeforeTheProgramRuns() throws Exception {
    Ran live = ran("probe", "nemed:entry { @ = count(); }", "--", program);
    assertEquals(2, live.exit);
    assertEquals("", live.out);
    assertTrue(
        live.err.startsWith(
            "ntrail: no function matches nemed:entry; nearest: named (1:1) [D_PDESC_ZERO]"),
        live.err);
  }

  @Test
  void whatBeginEndsNeverStartsTheProgram() throws Exception {
    Ran live = ran("dtrace", "-q", "-n", "BEGIN { exit(4); }", "-c", program);
    assertEquals(4, live.exit, live.err);
    assertEquals("\n", live.out);
  }
}
