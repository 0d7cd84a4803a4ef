package io.ntrail.cli.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.Spawned;
import io.ntrail.testkit.Await;
import io.ntrail.testkit.ExternalTool;
import io.ntrail.testkit.Slice;
import io.ntrail.testkit.wine.Wine;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Programs of the system that are attached to while they are busy, traced for a while and released
 * while they still are: what they do is what they do untraced.
 */
class BusyProgramsTest {
  /** Virtual screen. */
  private static final ExternalTool XVFB = ExternalTool.of("xvfb", "Xvfb");

  /** Minimum of recorded calls before a program is released. */
  private static final int CALLS = 200;

  /** Bytes that a pipe holds, at most. */
  private static final int PIPE = 1 << 16;

  private static final int READ_AT_ONCE = 1 << 10;
  private static final int KEYS = 50;

  /** Something that the test does. */
  private interface Action {
    void run() throws IOException;
  }

  @TempDir private Path folder;

  @BeforeEach
  void begin() {
    assumeTrue(Wine.available(), Wine.missing());
  }

  private static List<String> wine(Wine wine, String... words) {
    List<String> command = new ArrayList<>(List.of(wine.loader().toString()));
    command.addAll(List.of(words));
    return command;
  }

  /** Attaches, traces for a while, and is asked to end, as by Ctrl+C. */
  private void traced(Wine wine, String program, String... modules) throws Exception {
    traced(wine, () -> {}, program, modules);
  }

  /**
   * Traces a program that must not end before its tracer does.
   *
   * @param meanwhile called again and again while calls are recorded
   */
  private void traced(Wine wine, Action meanwhile, String program, String... modules)
      throws Exception {
    Path file = folder.resolve(program + ".ntr");
    List<String> words = Cli.command("trace", "-p", program, "-o", file.toString());
    for (String module : modules) {
      words.addAll(List.of("-f", module + "!*"));
    }
    try (Spawned ntrail = Spawned.start(wine, folder, program + ".said", words)) {
      Await.until(
          "it traces",
          () -> ntrail.said().contains("tracing; Ctrl+C stops") || !ntrail.process().isAlive());
      assertTrue(ntrail.process().isAlive(), ntrail.said());
      Await.until(
          "calls are recorded",
          () -> {
            assertTrue(ntrail.process().isAlive(), program + " has ended: " + ntrail.said());
            meanwhile.run();
            return entries(file) >= CALLS;
          });
      ntrail.process().destroy();
      // SIGTERM.
      assertEquals(128 + 15, ntrail.end(), ntrail.said());
      assertTrue(ntrail.said().contains("restored "), ntrail.said());
    }
    Cli.Result flat = Cli.run("calls", file, "--flat", "--format", "json");
    assertEquals(0, flat.exit(), flat.err());
    assertTrue(flat.json().get("entries").number() >= CALLS, flat.out());
  }

  /** Returns the number of calls in a recording so far. */
  private static long entries(Path file) {
    Cli.Result flat = Cli.run("calls", file, "--flat", "--format", "json");
    return flat.out().isEmpty() ? 0 : flat.json().get("entries").number();
  }

  @Test
  void theCommandInterpreterCounts() throws Exception {
    Path script = folder.resolve("count.cmd");
    Files.writeString(
        script,
        "@echo off\r\nfor /L %%i in (1,1,100000000) do (\r\necho %%i\r\nif exist stop exit 7\r\n)\r\n");
    Wine wine = Wine.shared();
    try (Spawned counting =
        Spawned.start(folder, "counted", wine(wine, "cmd", "/c", "count.cmd"))) {
      counting.awaitText("100\r\n");
      traced(wine, "cmd.exe", "cmd", "kernelbase", "ntdll");
      assertTrue(counting.process().isAlive(), "it still counts");
      Files.createFile(folder.resolve("stop"));
      assertEquals(7, counting.end());
      List<String> lines = counting.said().lines().toList();
      for (int i = 0; i < lines.size(); i++) {
        assertEquals("" + (i + 1), lines.get(i));
      }
    }
  }

  @Test
  void theReportAboutAProgramThatRunsFitsItsSchema() throws Exception {
    Files.writeString(
        folder.resolve("report.cmd"),
        "@echo off\r\nfor /L %%i in (1,1,100000000) do (\r\necho %%i\r\nif exist stop exit 7\r\n)\r\n");
    Path file = folder.resolve("report.ntr");
    Path report = folder.resolve("report.json");
    List<String> words =
        Cli.command("trace", "-p", "cmd.exe", "-f", "cmd!*", "-o", file.toString());
    words.addAll(List.of("--format", "json", "--report", report.toString()));
    Wine wine = Wine.shared();
    try (Spawned counting =
        Spawned.start(folder, "counted", wine(wine, "cmd", "/c", "report.cmd"))) {
      counting.awaitText("100\r\n");
      try (Spawned ntrail = Spawned.start(wine, folder, "said", words)) {
        Await.until("calls are recorded", () -> entries(file) >= CALLS);
        ntrail.process().destroy();
        assertEquals(128 + 15, ntrail.end(), ntrail.said());
      }
      Files.createFile(folder.resolve("stop"));
      assertEquals(7, counting.end());
    }
    JsonReader json = JsonReader.parse(Files.readString(report));
    assertEquals(List.of(), JsonSchema.named("trace").strictFindings(json));
    assertTrue(json.get("entries").number() >= CALLS, json.toString());
  }

  /** A pipe holds only a part of the list: the program is busy until the test has read the rest. */
  @Test
  void theRegistryIsListed() throws Exception {
    String key = "HKEY_CURRENT_USER\\Software\\ntrail-busy";
    Wine wine = Wine.shared();
    byte[] nothing = {};
    Duration limit = Duration.ofMinutes(2);
    Files.writeString(folder.resolve("many.reg"), values(key));
    assertEquals(0, wine.run(folder, nothing, limit, "regedit", "/S", "many.reg").exitCode());
    String[] list = {"reg", "query", key, "/s"};
    String expected = wine.run(folder, nothing, limit, list).text();
    assertTrue(expected.length() > 3 * PIPE, "bytes: " + expected.length());
    ProcessBuilder builder =
        new ProcessBuilder(wine(wine, list))
            .directory(folder.toFile())
            .redirectError(folder.resolve("errors").toFile());
    builder.environment().putAll(wine.environment());
    Process listing = builder.start();
    try (InputStream out = listing.getInputStream()) {
      ByteArrayOutputStream read = new ByteArrayOutputStream();
      Action readSome = () -> read.write(out.readNBytes(Math.min(out.available(), READ_AT_ONCE)));
      Await.until(
          "it lists",
          () -> {
            assertTrue(listing.isAlive(), "it has ended");
            return out.available() >= READ_AT_ONCE;
          });
      traced(wine, readSome, "reg.exe", "reg", "advapi32", "kernelbase", "ntdll");
      assertTrue(expected.length() - read.size() > PIPE, "it had printed everything");
      // Processes of Wine's own hold the pipe, too: it has no end.
      Await.until(
          "all is listed",
          () -> {
            read.write(out.readNBytes(out.available()));
            return read.size() >= expected.length();
          });
      assertEquals(expected, read.toString(StandardCharsets.ISO_8859_1));
      assertTrue(listing.waitFor(2, TimeUnit.MINUTES));
      assertEquals(0, listing.exitValue());
      assertEquals(0, out.available());
    } finally {
      listing.destroyForcibly();
    }
    assertEquals(0, wine.run(folder, nothing, limit, "regedit", "/D", key).exitCode());
  }

  private static String values(String key) {
    StringBuilder values = new StringBuilder("REGEDIT4\r\n\r\n");
    for (int i = 0; i < KEYS; i++) {
      values.append("[%s\\key%d]\r\n".formatted(key, i));
      for (int k = 0; k < 150; k++) {
        values.append("\"value%d\"=\"text %d of %d\"\r\n".formatted(k, k, i));
      }
      values.append("\r\n");
    }
    return values.toString();
  }

  @Test
  void theEditorEndsWhenItsWindowIsClosed() throws Exception {
    assumeTrue(XVFB.available(), XVFB.missing());
    String types = Spawned.program("types.c").toString();
    Process screen =
        new ProcessBuilder(
                XVFB.path(), "-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp")
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      Wine wine = Wine.onScreen(":" + line(screen));
      try (Spawned notepad = Spawned.start(wine, folder, "edited", wine(wine, "notepad"));
          Spawned typing =
              Spawned.start(wine, folder, "typed", wine(wine, types, "Notepad", "stop"))) {
        typing.awaitText("typing");
        traced(wine, "notepad.exe", "notepad", "user32", "ntdll");
        assertTrue(notepad.process().isAlive(), "it is still there");
        Files.createFile(folder.resolve("stop"));
        assertEquals(0, typing.end(), typing.said());
        assertTrue(typing.said().contains("wrong 0"), typing.said());
        assertEquals(0, notepad.end(), notepad.said());
      }
      wine.end();
    } finally {
      screen.destroy();
      screen.waitFor();
    }
  }

  /**
   * Wine has a thread of the program create those of tracing, and allocates memory for that: in the
   * middle of an allocation that must not happen.
   */
  @Test
  void aProgramThatAllocatesAllTheTimeGoesOn() throws Exception {
    String regions = Spawned.program("regions.c", "-lgdi32").toString();
    Wine wine = Wine.shared();
    try (Spawned working = Spawned.start(folder, "worked", wine(wine, regions, "stop", "both"))) {
      working.awaitText("working");
      String name = Path.of(regions).getFileName().toString();
      for (int i = 0; i < Slice.count(3, 2); i++) {
        traced(wine, name, "gdi32");
        assertTrue(working.process().isAlive(), "it still works");
      }
      Files.createFile(folder.resolve("stop"));
      assertEquals(0, working.end(), working.said());
      assertTrue(working.said().contains("wrong 0"), working.said());
    }
  }

  private static String line(Process process) throws IOException {
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.ISO_8859_1))) {
      return "" + reader.readLine();
    }
  }
}
