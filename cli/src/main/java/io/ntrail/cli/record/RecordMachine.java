package io.ntrail.cli.record;

import io.ntrail.cli.common.ProgramHost;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.agent.AgentStart;
import io.ntrail.live.consumer.EventConsumer;
import io.ntrail.live.etw.KernelRecorder;
import io.ntrail.live.etw.KernelSessionKind;
import io.ntrail.live.etw.MachineRegistry;
import io.ntrail.live.etw.RegisteredProviders;
import io.ntrail.live.etw.SessionControl;
import io.ntrail.live.windows.WindowsApi;
import io.ntrail.live.windows.WindowsVersion;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The Windows whose sessions are controlled.
 *
 * @param host of the agent that makes the calls; empty if there is no Windows
 * @param library with the calls
 * @param providersLibrary library that lists providers
 * @param files returns the file of a path of that Windows, as in {@code C:\rec\shop.etl}
 * @param played version that is taken for that of the machine; empty: the machine is asked
 */
public record RecordMachine(
    Optional<AgentHost> host,
    String library,
    String providersLibrary,
    Function<String, Path> files,
    Optional<WindowsVersion> played) {
  /** Folder of the kernel in which drives have their letters. */
  private static final String KERNEL_NAMES = "\\??\\";

  private static final List<String> WINDOWS_FOLDERS = List.of("%SystemRoot%\\", "\\SystemRoot\\");

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Returns the machine that this program runs on. */
  public static RecordMachine here() {
    return new RecordMachine(
        ProgramHost.isWindows() ? Optional.of(new AgentHost.Local()) : Optional.empty(),
        SessionControl.LIBRARY,
        RegisteredProviders.LIBRARY,
        path -> Path.of(local(path, System.getenv().getOrDefault("SystemRoot", ""))),
        Optional.empty());
  }

  /**
   * Returns a path of a session as programs know it: those that Windows started itself may have
   * names of the kernel or of the registry.
   *
   * @param windows folder of Windows; empty: unknown
   */
  static String local(String path, String windows) {
    String plain = path.startsWith(KERNEL_NAMES) ? path.substring(KERNEL_NAMES.length()) : path;
    for (String folder : WINDOWS_FOLDERS) {
      boolean isBelow = plain.regionMatches(true, 0, folder, 0, folder.length());
      if (isBelow && !windows.isEmpty()) {
        return windows + plain.substring(folder.length() - 1);
      }
    }
    return plain;
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
      WindowsVersion version = played.orElseGet(() -> WindowsVersion.of(new WindowsApi(agent)));
      SessionControl control = new SessionControl(agent, library, providersLibrary);
      return question.apply(
          new Sessions(
              new KernelRecorder(control, KernelSessionKind.of(version.major(), version.minor())),
              new SessionStarter(control, registry, version),
              registry,
              name -> EventConsumer.open(agent, library, name)));
    }
  }

  /**
   * Makes sure that it can be asked.
   *
   * @throws CannotGoOn if it is no Windows
   */
  void mustBeWindows() {
    its();
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
