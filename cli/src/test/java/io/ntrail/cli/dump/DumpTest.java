package io.ntrail.cli.dump;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.Spawned;
import io.ntrail.cli.harness.StandingThreads;
import io.ntrail.testkit.Await;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Dumps of a running program, which goes on as if nothing had been. */
class DumpTest {
  /** Number of times that ntrail is killed. */
  private static final int KILLS = Boolean.getBoolean("ntrail.long") ? 60 : 3;

  @TempDir private Path folder;

  private Spawned dump(String... options) throws IOException {
    List<String> command = Cli.command("dump", "-p", "standing");
    // Files that cannot be deleted any more stay in the folder of the test.
    command.add(1, "-Djava.io.tmpdir=" + folder);
    command.addAll(List.of(options));
    return Spawned.start(folder, "said", command);
  }

  @ParameterizedTest
  @ValueSource(strings = {"--quiet", "--full"})
  void theReportIsAsItsSchemaSays(String option) throws Exception {
    try (Spawned standing = StandingThreads.start(folder);
        Spawned ntrail = dump("-o", "it.dmp", "--format", "json", option)) {
      assertEquals(0, ntrail.end(), ntrail.said());
      JsonReader json = JsonReader.parse(ntrail.said());
      assertEquals(List.of(), JsonSchema.named("write").strictFindings(json));
      JsonReader dump = json.get("dump");
      assertEquals(50, dump.get("threads").number());
      assertEquals(Files.size(folder.resolve("it.dmp")), json.get("output").get("bytes").number());
      StandingThreads.mustEndUndisturbed(standing, folder);
    }
  }

  @Test
  void theProgramGoesOnWheneverNtrailIsKilled() throws Exception {
    long seed = Long.getLong("ntrail.seed", 33);
    Random random = new Random(seed);
    try (Spawned standing = StandingThreads.start(folder)) {
      for (int i = 0; i < KILLS; i++) {
        String name = "it" + i + ".dmp";
        try (Spawned ntrail = dump("-o", name, "--full")) {
          // From here on the program is suspended.
          Await.until("it writes " + name, () -> !ntrail.process().isAlive() || isWritten(name));
          LockSupport.parkNanos(random.nextInt(60_000_000));
          List<ProcessHandle> helpers = new ArrayList<>(ntrail.process().descendants().toList());
          ntrail.process().destroyForcibly();
          ntrail.end();
          // Agents end by themselves: only then is the program as it was.
          for (ProcessHandle helper : helpers) {
            Await.until("agents end", () -> !helper.isAlive());
          }
        }
      }
      StandingThreads.mustEndUndisturbed(standing, folder);
    } catch (AssertionError e) {
      throw new AssertionError("-Dntrail.seed=" + seed + ": " + e.getMessage(), e);
    }
  }

  private boolean isWritten(String name) throws IOException {
    try (DirectoryStream<Path> parts = Files.newDirectoryStream(folder, "." + name + "*.part")) {
      for (Path part : parts) {
        if (Files.size(part) > 0) {
          return true;
        }
      }
    }
    return Files.exists(folder.resolve(name));
  }

  @Test
  void saysWhatIsMissingOnTheCommandLine() {
    Cli.Result process = Cli.run("dump", "-o", "x.dmp");
    assertEquals(2, process.exit());
    assertTrue(process.err().contains("-p NAME|PID"), process.err());
    Cli.Result file = Cli.run("dump", "-p", "x");
    assertEquals(2, file.exit());
    assertTrue(file.err().contains("-o FILE.dmp"), file.err());
  }
}
