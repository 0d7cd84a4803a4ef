package io.ntrail.cli.trace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.Spawned;
import io.ntrail.testkit.ExternalTool;
import io.ntrail.testkit.wine.Wine;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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

  private static final int MOST_EXPORTS = 4;
  private static final int KEYS = 1000;

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
    assertTrue(isTraced(wine, program, modules), program + " has ended");
  }

  /** Traces a program that may end before that; returns whether it was traced. */
  private boolean isTraced(Wine wine, String program, String... modules) throws Exception {
    Path file = folder.resolve(program + ".ntr");
    List<String> words = Cli.command("trace", "-p", program, "-o", file.toString());
    for (String module : modules) {
      words.addAll(List.of("-f", module + "!*"));
    }
    try (Spawned ntrail = Spawned.start(wine, folder, program + ".said", words)) {
      Spawned.await(
          "it traces",
          () -> ntrail.said().contains("tracing; Ctrl+C stops") || !ntrail.process().isAlive());
      if (!ntrail.process().isAlive()) {
        String said = ntrail.said();
        assertTrue(said.contains("exited") || said.contains("no process named"), said);
        return false;
      }
      Spawned.await(
          "calls are recorded", () -> entries(file) >= CALLS || !ntrail.process().isAlive());
      ntrail.process().destroy();
      int exit = ntrail.end();
      if (exit == 0) {
        // The program has ended by itself meanwhile.
        return false;
      }
      // SIGTERM.
      assertEquals(128 + 15, exit, ntrail.said());
      assertTrue(ntrail.said().contains("restored "), ntrail.said());
    }
    Cli.Result flat = Cli.run("calls", file, "--flat", "--format", "json");
    assertEquals(0, flat.exit(), flat.err());
    assertTrue(flat.json().get("entries").number() >= CALLS, flat.out());
    return true;
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
  void theRegistryIsExported() throws Exception {
    String key = "HKEY_CURRENT_USER\\Software\\ntrail-busy";
    Wine wine = Wine.shared();
    byte[] nothing = {};
    Duration limit = Duration.ofMinutes(2);
    boolean busy = false;
    // On a fast machine a small export is over before anybody looks.
    for (int i = 0; i < MOST_EXPORTS && !busy; i++) {
      Files.writeString(
          folder.resolve("many.reg"), values(key, KEYS * ((1 << i) - 1), KEYS * ((2 << i) - 1)));
      assertEquals(0, wine.run(folder, nothing, limit, "regedit", "/S", "many.reg").exitCode());
      assertEquals(0, wine.run(folder, nothing, limit, "regedit", "/E", "one.reg", key).exitCode());
      byte[] expected = Files.readAllBytes(folder.resolve("one.reg"));
      assertTrue(expected.length > 1 << 20, "bytes: " + expected.length);
      Path file = folder.resolve("export" + i + ".reg");
      try (Spawned exporting =
          Spawned.start(
              folder, "exported", wine(wine, "regedit", "/E", file.getFileName() + "", key))) {
        Spawned.await("it exports", () -> Files.exists(file));
        boolean traced =
            isTraced(wine, "regedit.exe", "regedit", "advapi32", "kernelbase", "ntdll");
        busy = traced && exporting.process().isAlive();
        assertEquals(0, exporting.end(), exporting.said());
        assertArrayEquals(expected, Files.readAllBytes(file));
      }
    }
    assertTrue(busy, "it had exported everything before it was let go");
    assertEquals(0, wine.run(folder, nothing, limit, "regedit", "/D", key).exitCode());
  }

  private static String values(String key, int from, int to) {
    StringBuilder values = new StringBuilder("REGEDIT4\r\n\r\n");
    for (int i = from; i < to; i++) {
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

  private static String line(Process process) throws IOException {
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.ISO_8859_1))) {
      return "" + reader.readLine();
    }
  }
}
