package io.ntrail.cli.common;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.agent.AgentHost;
import java.util.Map;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** Choice of the system that runs programs for Windows: Windows itself, or Wine. */
public final class ProgramHost {
  private ProgramHost() {}

  /** Returns the option that chooses it. */
  public static OptionSpec option() {
    return CommonOptions.value(
        "wine|local", "where the program runs (default: wine; Windows: local)", "--on");
  }

  /** Returns the word of the option that stands for the default. */
  public static String word() {
    return isWindows() ? "local" : "wine";
  }

  /** Returns true if this machine runs Windows. */
  public static boolean isWindows() {
    return System.getProperty("os.name", "").startsWith("Windows");
  }

  /** Returns the one that was chosen. */
  public static AgentHost of(ParseResult parsed) {
    String on = CommonOptions.text(parsed, "--on", word());
    return switch (on) {
      case "wine" -> AgentHost.Wine.find(Map.of());
      case "local" -> {
        if (!isWindows()) {
          throw CannotGoOn.impossible("not a Windows machine", "--on wine");
        }
        yield new AgentHost.Local();
      }
      default -> throw new UsageError("--on takes wine or local, not " + on, "--on wine");
    };
  }
}
