package io.ntrail.cli.record;

import io.ntrail.cli.common.ProgramHost;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.agent.AgentStart;
import io.ntrail.live.etw.KernelRecorder;
import io.ntrail.live.etw.KernelSessionKind;
import io.ntrail.live.etw.MachineRegistry;
import io.ntrail.live.etw.SessionControl;
import io.ntrail.live.windows.WindowsApi;
import io.ntrail.live.windows.WindowsVersion;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/**
 * The Windows whose sessions are controlled.
 *
 * @param host of the agent that makes the calls; empty if there is no Windows
 * @param library with the calls
 * @param files returns the file of a path of that Windows, as in {@code C:\rec\shop.etl}
 */
public record RecordMachine(
    Optional<AgentHost> host, String library, Function<String, Path> files) {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Returns the machine that this program runs on. */
  static RecordMachine here() {
    return new RecordMachine(
        ProgramHost.isWindows() ? Optional.of(new AgentHost.Local()) : Optional.empty(),
        SessionControl.LIBRARY,
        Path::of);
  }

  /** Returns the name that it has for a file of this machine. */
  String name(Path file) {
    return its().name(file);
  }

  /**
   * Asks it, with an agent that ends afterwards; sessions go on.
   *
   * @throws CannotGoOn if it is no Windows, or refuses
   */
  <T> T ask(Function<Sessions, T> question) {
    try (Agent agent = AgentStart.fitting(its(), PATIENCE);
        MachineRegistry registry = new MachineRegistry(agent)) {
      WindowsVersion version = WindowsVersion.of(new WindowsApi(agent));
      return question.apply(
          new Sessions(
              new KernelRecorder(
                  new SessionControl(agent, library),
                  KernelSessionKind.of(version.major(), version.minor())),
              registry));
    }
  }

  private AgentHost its() {
    return host.orElseThrow(() ->
        CannotGoOn.impossible(
            "recording ETW sessions needs Windows; this is %s %s"
                .formatted(
                    System.getProperty("os.name", "another system"),
                    System.getProperty("os.version", "")),
            "ntrail trace PROGRAM (under Wine), or ntrail record boot --reg FILE"));
  }
}
