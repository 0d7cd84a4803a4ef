package io.ntrail.cli.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.Spawned;
import io.ntrail.testkit.wine.Wine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Ends of watching a program that runs already: it goes on as it was. */
class LiveProbeEndsTest {
  private static final int CODE = 42;
  private static final Pattern COUNTED = Pattern.compile("calls (\\d+) of (\\d+)");

  /** Counts calls, and tells of each tenth of a second, so that a test sees that it watches. */
  private static final String PROGRAM =
      "waiting:entry { @a = count(); names[copyinstr(arg0)]++; }"
          + " tick-100ms { printf(\"tick\\n\"); }"
          + " END { printa(\"calls %@d\", @a); printf(\" of %d\\n\", names[\"goes-on\"]); }";

  @TempDir private Path folder;

  /** Starts a program that runs until a file is there. */
  private Spawned running(String name) throws Exception {
    Path program = Files.copy(Spawned.program("waits.c"), folder.resolve(name));
    String loader = Wine.shared().loader().toString();
    List<String> watch = List.of(loader, Spawned.program("watch.c").toString(), name);
    Spawned running =
        Spawned.start(folder, "output", List.of(loader, program.toString(), "goes-on"));
    try (Spawned watcher = Spawned.start(folder, "watched", watch)) {
      watcher.awaitText("watching");
    }
    return running;
  }

  /** Watches it; returns what was printed. */
  private String watched(String name, String signal, int exit, String... more) throws Exception {
    List<String> words = Cli.command("probe", PROGRAM, "-x", "quiet", "-p", name);
    words.addAll(List.of(more));
    try (Spawned program = running(name)) {
      try (Spawned probe = Spawned.start(folder, "printed", words)) {
        if (!signal.isEmpty()) {
          probe.awaitText("tick\ntick\ntick\n");
          String id = Long.toString(probe.process().pid());
          assertEquals(0, new ProcessBuilder("kill", "-" + signal, id).start().waitFor());
        }
        assertEquals(exit, probe.end(), probe.said());
        mustBeCounted(probe.said());
        Files.createFile(folder.resolve("goes-on"));
        assertEquals(CODE, program.end(), program.said());
        assertTrue(program.said().contains("waited"), program.said());
        return probe.said();
      }
    }
  }

  private static void mustBeCounted(String said) {
    Matcher counted = COUNTED.matcher(said);
    assertTrue(counted.find(), said);
    assertTrue(Integer.parseInt(counted.group(1)) > 0, said);
    assertEquals(counted.group(1), counted.group(2), "each call has its name");
  }

  @Test
  void itEndsAfterTheTimeThatIsGiven() throws Exception {
    String said = watched("probed-time.exe", "", 0, "--for", "700ms");
    long ticks = said.lines().filter(line -> line.equals("tick")).count();
    assertTrue(ticks >= 5 && ticks <= 60, said);
  }

  @Test
  void ctrlCEndsItAndWhatWasCountedIsPrinted() throws Exception {
    watched("probed-int.exe", "INT", 130);
  }

  @Test
  void theEndOfTheProgramEndsIt() throws Exception {
    List<String> words =
        new ArrayList<>(Cli.command("dtrace", "-q", "-n", PROGRAM, "-p", "probed-end.exe"));
    try (Spawned program = running("probed-end.exe");
        Spawned probe = Spawned.start(folder, "printed", words)) {
      probe.awaitText("tick\ntick\n");
      Files.createFile(folder.resolve("goes-on"));
      assertEquals(CODE, program.end(), program.said());
      assertEquals(0, probe.end(), probe.said());
      mustBeCounted(probe.said());
    }
  }
}
