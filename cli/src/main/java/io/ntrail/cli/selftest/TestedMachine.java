package io.ntrail.cli.selftest;

import io.ntrail.cli.text.Version;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.selftest.SelfTestProgram.Mode;
import io.ntrail.live.selftest.SelfTestProgram.Policy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * TestedMachine that a self-test ran on.
 *
 * @param ntrail version
 * @param system operating system with its version
 * @param host what runs programs for Windows
 * @param processor its name
 * @param java version and vendor
 * @param policies flags of mitigation policies of an ordinary program, in hexadecimal; unknown if
 *     the system does not tell
 */
record TestedMachine(
    String ntrail,
    String system,
    String host,
    String processor,
    String java,
    Map<Policy, String> policies) {
  static final String UNKNOWN = "unknown";

  private static final long SECONDS = 10;

  /** Looks around; what cannot be found out is unknown. */
  static TestedMachine of(Bench bench, AgentHost host) {
    return new TestedMachine(
        Version.NUMBER,
        system(bench),
        host instanceof AgentHost.Wine wine
            ? "%s (%s)".formatted(wine.version().orElse("Wine, version unknown"), wine.loader())
            : "Windows itself",
        processorName(),
        System.getProperty("java.runtime.version", UNKNOWN)
            + ", "
            + System.getProperty("java.vendor", UNKNOWN),
        policies(bench));
  }

  private static String system(Bench bench) {
    String system =
        System.getProperty("os.name", UNKNOWN)
            + " "
            + System.getProperty("os.version", "")
            + " "
            + System.getProperty("os.arch", "");
    return bench.isWindows() ? system + ", " + ver(bench) : system;
  }

  /** Returns what the system says of its version, with the build. */
  private static String ver(Bench bench) {
    Path out = bench.folder().resolve("ver.txt");
    try {
      Process process =
          new ProcessBuilder("cmd.exe", "/c", "ver").redirectOutput(out.toFile()).start();
      boolean ended = process.waitFor(SECONDS, TimeUnit.SECONDS);
      process.destroyForcibly();
      return ended ? Files.readString(out, StandardCharsets.ISO_8859_1).strip() : UNKNOWN;
    } catch (IOException e) {
      return UNKNOWN;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return UNKNOWN;
    }
  }

  private static String processorName() {
    String windows = System.getenv("PROCESSOR_IDENTIFIER");
    if (windows != null) {
      return windows;
    }
    try {
      return Files.readAllLines(Path.of("/proc/cpuinfo"), StandardCharsets.ISO_8859_1).stream()
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(UNKNOWN);
    } catch (IOException e) {
      return UNKNOWN;
    }
  }

  private static Map<Policy, String> policies(Bench bench) {
    String said = "";
    try {
      said = bench.program(Mode.POLICIES).end().out();
    } catch (IOException | StepFailed e) {
      // The first step tells why the program does not run.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Map<Policy, String> policies = new EnumMap<>(Policy.class);
    for (Policy policy : Policy.values()) {
      policies.put(policy, policy(said, policy));
    }
    return policies;
  }

  /** Returns the flags of a policy out of what the program wrote. */
  static String policy(String said, Policy policy) {
    String key = policy.number() + "=";
    return said.lines()
        .filter(line -> line.startsWith(key))
        .map(line -> line.substring(key.length()).strip())
        .filter(flags -> flags.matches("[0-9a-f]{8}"))
        .findFirst()
        .orElse(UNKNOWN);
  }

  /** Returns the name of a policy in a text. */
  static String title(Policy policy) {
    return policy.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
