package io.ntrail.cli.shell;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Commands that people give a file most often: the start caches are trained with them. */
final class PractisedCommands {
  private PractisedCommands() {}

  /** Commands about the events of a recording. */
  static List<List<String>> surveys(String file) {
    return List.of(
        List.of("info", file),
        List.of("info", file, "--format", "json"),
        List.of("events", file, "--count"),
        List.of("events", file, "--count", "--format", "json"),
        List.of("events", file),
        List.of("events", file, "-n", "20"),
        List.of("events", file, "-p", "shopd.exe", "-n", "20"),
        List.of("events", file, "--count", "-e", "Thread/*"),
        List.of("events", file, "--format", "jsonl", "-n", "100"),
        List.of("info", file + ".none"));
  }

  /** Commands that count what a large recording has. */
  static List<List<String>> longSurveys(String file) {
    return List.of(List.of("events", file, "--count"), List.of("info", file));
  }

  /** Profiles of a large recording. */
  static List<List<String>> longProfiles(String file) {
    return List.of(List.of("profile", file));
  }

  /** Profiles of a recording. */
  static List<List<String>> profiles(String file) {
    return List.of(
        List.of("profile", file),
        List.of("profile", file, "--tree"),
        List.of("profile", file, "--format", "json"));
  }

  /** Commands about a program, its symbols, or a recording of calls, by the end of its name. */
  static List<List<String>> ofEnding(String file) {
    List<List<String>> commands = new ArrayList<>();
    switch (ending(file)) {
      case "pdb" -> {
        commands.add(List.of("symbols", file));
        commands.add(List.of("symbols", file, "--address", "0x1040"));
        commands.add(List.of("symbols", file, "--address", "0x1040", "--format", "json"));
        commands.add(List.of("symbols", file, "--list"));
        commands.add(List.of("symbols", file, "--publics"));
        commands.add(List.of("symbols", file, "--lines"));
      }
      case "ntr", "jtrc" -> {
        commands.add(List.of("calls", file));
        commands.add(List.of("calls", file, "--flat"));
        commands.add(List.of("calls", file, "--format", "json"));
      }
      default -> {
        commands.add(List.of("image", file));
        commands.add(List.of("image", file, "--format", "json"));
        commands.add(List.of("image", file, "--functions"));
        commands.add(List.of("image", file, "--disasm", "0x1000"));
        commands.add(List.of("image", file, "--disasm", "all"));
        commands.add(List.of("image", file, "--disasm", "all", "--format", "jsonl"));
      }
    }
    return commands;
  }

  /** Commands about a dump. */
  static List<List<String>> stacks(String file) {
    return List.of(
        List.of("stacks", file),
        List.of("stacks", file, "-v", "--all"),
        List.of("stacks", file, "--same"),
        List.of("stacks", file, "--format", "json"));
  }

  /** Commands about any of these, and what fewer people ask. */
  static List<List<String>> all(String file) {
    return switch (ending(file)) {
      case "etl" -> {
        List<List<String>> commands = new ArrayList<>(surveys(file));
        commands.addAll(profiles(file));
        commands.add(List.of("export", file, "--to", "flamegraph"));
        commands.add(List.of("diff", file, file));
        yield commands;
      }
      case "dmp" -> List.of(List.of("stacks", file), List.of("info", file));
      default -> {
        List<List<String>> commands = new ArrayList<>(ofEnding(file));
        commands.add(List.of("info", file));
        yield commands;
      }
    };
  }

  private static String ending(String file) {
    return file.substring(file.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
  }
}
