package io.ntrail.cli.shell;

import java.util.Map;
import java.util.Optional;

/**
 * Words that other tools have for what ntrail calls differently: who comes from them types these
 * first. They are proposed, not followed.
 */
final class OtherWords {
  /** Commands, and what is typed here. */
  private static final Map<String, String> COMMANDS =
      Map.ofEntries(
          Map.entry("flamegraph", "export FILE -o profile.html"),
          Map.entry("flame", "export FILE -o profile.html"),
          Map.entry("report", "profile FILE"),
          Map.entry("top", "profile FILE"),
          Map.entry("list", "info FILE --list processes"),
          Map.entry("processes", "info FILE --list processes"),
          Map.entry("ps", "info FILE --list processes"),
          Map.entry("threads", "info FILE --list threads"),
          Map.entry("modules", "info FILE --list images"),
          Map.entry("open", "info FILE"),
          Map.entry("show", "info FILE"),
          Map.entry("stat", "events FILE --count"),
          Map.entry("script", "events FILE --format jsonl"),
          Map.entry("compare", "diff BEFORE AFTER"),
          Map.entry("disasm", "image FILE --disasm all"),
          Map.entry("undecorate", "symbols --undecorate NAME"),
          Map.entry("version", "--version"),
          Map.entry("man", "completion --man DIR"));

  /** Options of any command. */
  private static final Map<String, String> OPTIONS =
      Map.ofEntries(
          Map.entry("--json", "--format json"),
          Map.entry("--jsonl", "--format jsonl"),
          Map.entry("--csv", "--format csv"),
          Map.entry("--top", "-n 20"),
          Map.entry("--head", "-n 20"),
          Map.entry("--pid", "-p PID"),
          Map.entry("--tid", "-t TID"),
          Map.entry("--no-color", "--color never"),
          Map.entry("--range", "--time FROM..TO"),
          Map.entry("--from", "--time FROM..TO"),
          Map.entry("--start", "--time FROM..TO"),
          Map.entry("--provider", "-e 'PROVIDER/*'"),
          Map.entry("--symbol-path", "-y PATH"),
          Map.entry("--symdir", "-y PATH"),
          Map.entry("--html", "ntrail export FILE -o profile.html"),
          Map.entry("--flamegraph", "ntrail export FILE -o profile.html"),
          Map.entry("--processes", "ntrail info FILE --list processes"),
          Map.entry("--threads", "ntrail info FILE --list threads"));

  /** Options of one command: {@code profile --module}. */
  private static final Map<String, String> OF_COMMAND =
      Map.ofEntries(
          Map.entry("profile --module", "--only 'MODULE!*'"),
          Map.entry("profile --function", "--callers FUNCTION"),
          Map.entry("profile --filter", "--only PATTERN"),
          Map.entry("profile --exclude", "--hide PATTERN"),
          Map.entry("events --filter", "--where CONDITION"),
          Map.entry("events --grep", "--where CONDITION"),
          Map.entry("calls --function", "--find PATTERN"),
          Map.entry("calls --filter", "--find PATTERN"),
          Map.entry("calls --grep", "--find PATTERN"),
          Map.entry("symbols --grep", "--find PATTERN"),
          Map.entry("image --disassemble", "--disasm NAME"),
          Map.entry("info --tree", "ntrail profile FILE --tree"),
          Map.entry("calls --tree", "ntrail calls FILE (it prints a tree)"));

  private OtherWords() {}

  /** Returns what is typed here for a command of other tools; FILE is the user's word. */
  static Optional<String> command(String word, String file) {
    return Optional.ofNullable(COMMANDS.get(word)).map(here -> "ntrail " + named(here, file));
  }

  /** Returns what is typed here for an option of other tools. */
  static Optional<String> option(String command, String option, String file) {
    String here = OF_COMMAND.getOrDefault(command + " " + option, OPTIONS.get(option));
    return Optional.ofNullable(here).map(text -> named(text, file));
  }

  private static String named(String text, String file) {
    return file.isEmpty() ? text : text.replace("FILE", file);
  }
}
