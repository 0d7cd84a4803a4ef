package io.ntrail.live.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.pe.MachineType;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentConnection;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.target.RunningProcess;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.windows.WindowsApi;
import io.ntrail.testkit.Await;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.wine.WindowsCompiler;
import io.ntrail.testkit.wine.Wine;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Running program whose threads printed their return addresses, as the system walks their stacks,
 * and stay where they are ({@code live/src/test/programs/standing.h}).
 */
public final class StandingProgram implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final AgentHost host;
  private final int machine;
  private final Path program;
  private final Process process;
  private final Path stop;
  private final Path out;
  private final int pid;
  private AgentConnection connection;
  private Agent agent;
  private WindowsApi calls;

  /**
   * Thread that stands.
   *
   * @param kind the situation that it is in
   * @param callers return addresses, innermost first; the first one is in the function that stands
   */
  public record Standing(int tid, String kind, List<Long> callers) {}

  private StandingProgram(
      AgentHost host, int machine, Path program, Process process, Path stop, Path out, int pid) {
    this.host = host;
    this.machine = machine;
    this.program = program;
    this.process = process;
    this.stop = stop;
    this.out = out;
    this.pid = pid;
    this.connection = host.start(machine);
    this.agent = Agent.on(connection, PATIENCE);
    this.calls = new WindowsApi(agent);
  }

  private static WindowsCompiler compiler(String source) {
    return source.startsWith("seh")
        ? WindowsCompiler.CLANG
        : source.endsWith(".cpp") ? WindowsCompiler.MINGW_CXX : WindowsCompiler.MINGW_C;
  }

  /** Starts the program of a source, and waits until all its threads stand. */
  public static StandingProgram start(Path folder, String source) throws Exception {
    WindowsCompiler compiler = compiler(source);
    return start(folder, source, compiler, compiler == WindowsCompiler.CLANG ? "-O1" : "-O2");
  }

  /** Starts the program of a source, built by a compiler, in the Wine that fits. */
  public static StandingProgram start(
      Path folder, String source, WindowsCompiler compiler, String... options) throws Exception {
    boolean is32Bit =
        compiler == WindowsCompiler.MINGW_C_32 || compiler == WindowsCompiler.CLANG_GNU_32;
    if (is32Bit) {
      assumeTrue(Wine.availableWow64(), Wine.missingWow64());
    } else {
      assumeTrue(Wine.available(), Wine.missing());
    }
    assumeTrue(compiler.available(), compiler.missing());
    Path program = build(source, compiler, options);
    Wine wine = is32Bit ? Wine.sharedWow64() : Wine.shared();
    return start(folder, source, program, wine, MachineType.AMD64);
  }

  /** Starts the 32-bit program of a source in a Wine that runs 32-bit programs alone. */
  public static StandingProgram startOn32Bits(
      Path folder, String source, WindowsCompiler compiler, String... options) throws Exception {
    assumeTrue(Wine.available32(), Wine.missing32());
    assumeTrue(compiler.available(), compiler.missing());
    Path program = build(source, compiler, options);
    return start(folder, source, program, Wine.shared32(), MachineType.I386);
  }

  private static Path build(String source, WindowsCompiler compiler, String... options)
      throws Exception {
    return compiler.build(
        List.of(TestData.projectRoot().resolve("live/src/test/programs").resolve(source)), options);
  }

  private static StandingProgram start(
      Path folder, String source, Path program, Wine wine, int machine) throws Exception {
    AgentHost host = new AgentHost.Wine(wine.loader(), wine.environment());
    Path out = folder.resolve(source + ".out");
    Path stop = folder.resolve(source + ".stop");
    ProcessBuilder builder =
        new ProcessBuilder(wine.loader().toString(), program.toString(), host.name(stop))
            .redirectInput(new File("/dev/null"))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .redirectOutput(out.toFile());
    builder.environment().putAll(wine.environment());
    Process process = builder.start();
    Await.until(
        "the threads of " + source + " stand",
        () -> {
          assertEquals(true, process.isAlive(), () -> text(out));
          return text(out).contains("ready");
        });
    int pid = Integer.parseInt(text(out).replaceFirst("(?s).*ready (\\d+).*", "$1"));
    return new StandingProgram(host, machine, program, process, stop, out, pid);
  }

  /** Returns the Wine that 64-bit programs run in. */
  public static AgentHost host() {
    Wine wine = Wine.shared();
    return new AgentHost.Wine(wine.loader(), wine.environment());
  }

  private static String text(Path out) {
    try {
      return Files.readString(out, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  public int pid() {
    return pid;
  }

  public WindowsApi calls() {
    return calls;
  }

  /** Returns the file of the program. */
  public Path program() {
    return program;
  }

  /** Returns the Wine that it runs in. */
  public AgentHost itsHost() {
    return host;
  }

  /** Opens it with an agent of its own. */
  public TargetProcess open() {
    RunningProcess running =
        RunningProcess.all(calls).stream()
            .filter(one -> one.pid() == pid)
            .findFirst()
            .orElseThrow();
    return TargetProcess.attachToLook(calls, running);
  }

  /** Returns what its threads printed. */
  public List<Standing> standing() {
    return standing(text(out));
  }

  /**
   * Reads what threads printed: return addresses up to one of 0, where the system went astray.
   *
   * @param text output of the program
   */
  public static List<Standing> standing(String text) {
    List<Standing> all = new ArrayList<>();
    for (String line : text.lines().takeWhile(one -> !one.startsWith("ready")).toList()) {
      String[] words = line.strip().split(" ");
      List<Long> callers =
          Stream.of(words)
              .skip(2)
              .map(word -> Long.parseUnsignedLong(word, 16))
              .takeWhile(address -> address != 0)
              .toList();
      all.add(new Standing(Integer.parseInt(words[0]), words[1], callers));
    }
    return all;
  }

  /** Kills the agent, and goes on with another one. */
  void replaceAgent() {
    connection.kill();
    agent.close();
    connection = host.start(machine);
    agent = Agent.on(connection, PATIENCE);
    calls = new WindowsApi(agent);
  }

  /** Lets all threads go on; returns the exit code and the last line of what it printed. */
  public String end() throws Exception {
    Files.createFile(stop);
    if (!process.waitFor(2, TimeUnit.MINUTES)) {
      throw new AssertionError("it does not end: " + text(out));
    }
    return process.exitValue() + " " + text(out).lines().reduce((_, last) -> last).orElse("");
  }

  @Override
  public void close() {
    process.destroyForcibly();
    agent.close();
  }
}
