package io.ntrail.cli.stacks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.Spawned;
import io.ntrail.cli.harness.StandingThreads;
import io.ntrail.testkit.wine.Wine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stacks of a running program, which goes on as if nothing had been. */
class LiveStacksTest {
  @TempDir private Path folder;

  private String stacks(String... options) throws Exception {
    List<String> command = Cli.command("stacks", "-p", "standing");
    command.addAll(List.of(options));
    try (Spawned ntrail = Spawned.start(folder, "said", command)) {
      assertEquals(0, ntrail.end(), ntrail.said());
      return ntrail.said();
    }
  }

  /** Returns the callers that each thread printed, the innermost first, by its id. */
  private static Map<Long, List<Long>> printed(String said) {
    Map<Long, List<Long>> callers = new HashMap<>();
    for (String line : said.lines().toList()) {
      String[] words = line.strip().split(" ");
      if (words.length > 3 && words[0].matches("[0-9]+")) {
        // The first one is in the function that stands, which has gone on since.
        callers.put(
            Long.parseLong(words[0]),
            Stream.of(words)
                .skip(3)
                .map(word -> Long.parseUnsignedLong(word, 16))
                .takeWhile(address -> address != 0)
                .toList());
      }
    }
    return callers;
  }

  @Test
  void framesAreThoseThatThreadsPrintedThemselves() throws Exception {
    try (Spawned standing = StandingThreads.start(folder)) {
      JsonReader json = JsonReader.parse(stacks("--format", "json"));
      assertEquals(List.of(), JsonSchema.named("stacks").strictFindings(json));
      assertEquals("live", json.get("kind").text());
      Map<Long, List<Long>> printed = printed(standing.said());
      assertEquals(49, printed.size());
      int compared = 0;
      for (JsonReader thread : json.get("threads").array()) {
        List<Long> callers = printed.get(thread.get("tid").number());
        if (callers == null) {
          continue;
        }
        List<Long> frames = new ArrayList<>();
        for (JsonReader frame : thread.get("frames").array()) {
          frames.add(Long.parseUnsignedLong(frame.get("ip").text().substring(2), 16));
        }
        int first = frames.indexOf(callers.getFirst());
        assertTrue(first > 0, thread.toString());
        assertEquals(callers, frames.subList(first, frames.size()), thread.toString());
        compared++;
      }
      assertEquals(49, compared);
      StandingThreads.mustEndUndisturbed(standing, folder);
    }
  }

  @Test
  void namesComeFromTheSymbolTablesOfFiles() throws Exception {
    try (Spawned standing = StandingThreads.start(folder)) {
      String said = stacks("--same");
      String first = said.lines().findFirst().orElse("");
      String suspended =
          ", 50 threads, each suspended for at most \\d+\\.\\d+ ms"
              + " \\(median \\d+\\.\\d+, least \\d+\\.\\d+\\), once it stood for at most \\d+\\.\\d+ ms";
      assertTrue(first.matches("standing.exe \\(\\d+\\) on Windows .*" + suspended), first);
      assertTrue(said.contains("standing.exe!stand + 0x"), said);
      assertTrue(said.contains("threads with this stack: "), said);
      StandingThreads.mustEndUndisturbed(standing, folder);
    }
  }

  @Test
  void programsOf32BitsAreSeenAs64BitWindowsRunsThem() throws Exception {
    assumeTrue(Wine.availableWow64(), Wine.missingWow64());
    Wine wine = Wine.sharedWow64();
    Path dump = folder.resolve("it.dmp");
    try (Spawned standing = StandingThreads.start32(wine, folder)) {
      String said = said(wine, "said", "stacks", "-p", "standing32");
      String first = said.lines().findFirst().orElse("");
      assertTrue(first.contains(" x64, 32-bit process, 50 threads, each "), first);
      assertTrue(said.contains("standing32.exe!_stand + 0x"), said);
      assertTrue(said.contains("kernel32.dll!BaseThreadInitThunk + 0x"), said);
      JsonReader json =
          JsonReader.parse(said(wine, "json", "stacks", "-p", "standing32", "--format", "json"));
      assertEquals(List.of(), JsonSchema.named("stacks").findings(json));
      assertEquals("x86", json.get("os").get("machine").text());
      String written = said(wine, "written", "dump", "-p", "standing32", "-o", dump.toString());
      assertTrue(written.contains(": 50 threads, 5 modules, "), written);
      Cli.Result read = Cli.run("stacks", dump.toString(), "--all");
      assertEquals(0, read.exit(), read.err());
      assertTrue(read.out().contains(" x86, "), read.out());
      StandingThreads.mustEndUndisturbed(standing, folder);
    }
  }

  @Test
  void programsAreSeenWhereTheSystemRunsNothingButThoseOf32Bits() throws Exception {
    assumeTrue(Wine.available32(), Wine.missing32());
    Wine wine = Wine.shared32();
    Path dump = folder.resolve("it.dmp");
    try (Spawned standing = StandingThreads.start32(wine, folder)) {
      String said = said(wine, "said", "stacks", "-p", "standing32");
      String first = said.lines().findFirst().orElse("");
      assertTrue(first.contains(" x86, 50 threads, each "), first);
      assertTrue(said.contains("standing32.exe!_stand + 0x"), said);
      assertTrue(said.contains("kernel32.dll!BaseThreadInitThunk + 0x"), said);
      JsonReader json =
          JsonReader.parse(said(wine, "json", "stacks", "-p", "standing32", "--format", "json"));
      assertEquals(List.of(), JsonSchema.named("stacks").findings(json));
      assertEquals("x86", json.get("os").get("machine").text());
      String written = said(wine, "written", "dump", "-p", "standing32", "-o", dump.toString());
      assertTrue(written.contains(": 50 threads, "), written);
      Cli.Result read = Cli.run("stacks", dump.toString(), "--all");
      assertEquals(0, read.exit(), read.err());
      assertTrue(read.out().contains(" x86, "), read.out());
      StandingThreads.mustEndUndisturbed(standing, folder);
    }
  }

  private String said(Wine wine, String output, String... words) throws Exception {
    try (Spawned ntrail = Spawned.start(wine, folder, output, Cli.command(words))) {
      assertEquals(0, ntrail.end(), ntrail.said());
      return ntrail.said();
    }
  }

  @Test
  void suspensionsAreToldInTheMiddleAndAtBothEnds() {
    assertEquals("0.71 ms", LiveStacks.suspensions(List.of(705_000L)));
    assertEquals(
        "24.00 ms (median 0.36, least 0.10)",
        LiveStacks.suspensions(List.of(100_000L, 355_001L, 24_000_000L)));
  }

  @Test
  void wrongWordsAreRefused() {
    Cli.Result time = Cli.run("stacks", "-p", "x", "--at", "1");
    assertEquals(2, time.exit());
    assertTrue(time.err().contains("try: ntrail stacks -p x --all"), time.err());
    assertEquals(2, Cli.run("stacks", "-p", "x", "-p", "y").exit());
    assertEquals(2, Cli.run("stacks").exit());
  }
}
