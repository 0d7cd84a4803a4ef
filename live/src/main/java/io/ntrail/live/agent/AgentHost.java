package io.ntrail.live.agent;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.UserEnvironment;
import io.ntrail.formats.pe.MachineType;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Host of agents and targets: starts agents and maps file names. */
public sealed interface AgentHost {
  /** Starts an agent of 64 bits. */
  default AgentConnection start() {
    return start(MachineType.AMD64);
  }

  /**
   * Starts an agent.
   *
   * @param machine its machine type: x64, or x86 for 32-bit programs
   */
  AgentConnection start(int machine);

  /** Starts a helper that owns the standard streams of this process, for an agent of 64 bits. */
  default StdioHelper hold() {
    return hold(MachineType.AMD64);
  }

  /**
   * Starts a helper that owns the standard streams of this process.
   *
   * @param machine machine type of the agent that it is for
   */
  StdioHelper hold(int machine);

  /** Returns whether programs of 64 bits are known not to run here. */
  default boolean runs32BitsAlone() {
    return false;
  }

  /** Returns the name of a local file for programs of this host. */
  String name(Path file);

  /**
   * Wine on this machine.
   *
   * @param loader its program
   * @param environment variables that agents (and so targets) get besides those of this process
   */
  record Wine(Path loader, Map<String, String> environment) implements AgentHost {
    private static final String LOADER = "WINELOADER";
    private static final int VERSION_SECONDS = 10;
    private static final int MAX_VERSION = 200;

    /** Lines in front of the first key of a registry's file. */
    private static final int REGISTRY_HEAD = 8;

    /** Copies the variables. */
    public Wine {
      environment = Map.copyOf(environment);
    }

    /**
     * Returns the Wine of this machine.
     *
     * @throws CannotGoOn if there is none
     */
    public static Wine find(Map<String, String> environment) {
      List<String> candidates = new ArrayList<>();
      // What Wine itself is told to start programs with.
      String told = environment.getOrDefault(LOADER, System.getenv(LOADER));
      if (told != null && !told.isEmpty()) {
        candidates.add(told);
      }
      String path = System.getenv("PATH");
      for (String folder : path == null ? new String[0] : path.split(":")) {
        candidates.add(folder + "/wine");
        candidates.add(folder + "/wine64");
      }
      // Where Debian puts it when only the 64-bit package is installed.
      candidates.add("/usr/lib/wine/wine64");
      for (String candidate : candidates) {
        Path loader = Path.of(candidate);
        if (Files.isExecutable(loader)) {
          return new Wine(loader, environment);
        }
      }
      throw CannotGoOn.impossible(
          "Wine is not installed; it is needed to run Windows programs here",
          "install it (Debian: apt install wine wine64)");
    }

    /** Returns its version; empty if it does not answer. Starts nothing for Windows. */
    public Optional<String> version() {
      try {
        ProcessBuilder asking = command().redirectErrorStream(true);
        asking.command().add("--version");
        Process process = asking.redirectInput(new File("/dev/null")).start();
        try (InputStream in = process.getInputStream()) {
          if (!process.waitFor(VERSION_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
            return Optional.empty();
          }
          String said = new String(in.readNBytes(MAX_VERSION), StandardCharsets.ISO_8859_1);
          return said.lines().findFirst().filter(line -> !line.isBlank());
        } finally {
          process.destroyForcibly();
        }
      } catch (IOException e) {
        return Optional.empty();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return Optional.empty();
      }
    }

    /** Tells it by what Wine writes into the registry of a prefix, once there is one. */
    @Override
    public boolean runs32BitsAlone() {
      Path registry = prefix().resolve("system.reg");
      try (Stream<String> lines = Files.lines(registry, StandardCharsets.ISO_8859_1)) {
        return lines.limit(REGISTRY_HEAD).anyMatch("#arch=win32"::equals);
      } catch (IOException e) {
        return variable("WINEARCH").equals("win32");
      }
    }

    /** Returns whether programs of 32 bits have libraries in the prefix, whatever it is. */
    public boolean runs32Bits() {
      return runs32BitsAlone()
          || Files.exists(prefix().resolve("drive_c/windows/syswow64/ntdll.dll"));
    }

    private Path prefix() {
      String told = variable("WINEPREFIX");
      return told.isEmpty() ? Path.of(System.getProperty("user.home"), ".wine") : Path.of(told);
    }

    private String variable(String name) {
      return environment.getOrDefault(name, System.getenv().getOrDefault(name, ""));
    }

    private ProcessBuilder command() {
      List<String> words = new ArrayList<>(AddressRandomization.off());
      words.add(loader.toString());
      ProcessBuilder builder = new ProcessBuilder(words);
      UserEnvironment.restore(builder.environment());
      builder.environment().putIfAbsent("WINEDEBUG", "-all");
      builder.environment().putAll(environment);
      return builder;
    }

    @Override
    public AgentConnection start(int machine) {
      return AgentProcess.start(command(), "Wine (" + loader + ")", AgentExecutable.agent(machine));
    }

    @Override
    public StdioHelper hold(int machine) {
      return AgentProcess.hold(
          command(), "Wine (" + loader + ")", AgentExecutable.streams(machine));
    }

    @Override
    public String name(Path file) {
      return "\\\\?\\unix" + file.toAbsolutePath().normalize().toString().replace('/', '\\');
    }
  }

  /** A machine that plays Windows in this process. */
  record Simulated(SimulatedAgent.Machine machine) implements AgentHost {
    @Override
    public AgentConnection start(int machine) {
      return new SimulatedAgent(this.machine);
    }

    @Override
    public StdioHelper hold(int machine) {
      return new StdioHelper("simulated", () -> true, () -> {});
    }

    @Override
    public String name(Path file) {
      return file.toAbsolutePath().normalize().toString();
    }
  }

  /** Windows on this machine. */
  record Local() implements AgentHost {
    @Override
    public AgentConnection start(int machine) {
      return AgentProcess.start(
          new ProcessBuilder(new ArrayList<>()), "the agent", AgentExecutable.agent(machine));
    }

    @Override
    public StdioHelper hold(int machine) {
      return AgentProcess.hold(
          new ProcessBuilder(new ArrayList<>()), "the agent", AgentExecutable.streams(machine));
    }

    @Override
    public String name(Path file) {
      return file.toAbsolutePath().normalize().toString();
    }
  }
}
