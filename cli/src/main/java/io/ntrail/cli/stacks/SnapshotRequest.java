package io.ntrail.cli.stacks;

import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.analysis.stacks.SnapshotThread;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.UsageError;
import io.ntrail.formats.bytes.ShellWords;
import java.util.List;
import picocli.CommandLine.ParseResult;

/**
 * Request for stacks of a process at one instant.
 *
 * @param parsed the words
 * @param name of the file or the program, for messages
 * @param isLive true if it is a running program
 * @param format of the answer
 * @param threads names or ids; empty for those that matter
 */
record SnapshotRequest(
    ParseResult parsed, String name, boolean isLive, Format format, List<NamePattern> threads) {
  /** Request for stacks of a dump. */
  static SnapshotRequest of(String file, ParseResult parsed) {
    return of(file, false, parsed);
  }

  /** Request for stacks of a running program. */
  static SnapshotRequest live(String process, ParseResult parsed) {
    return of(process, true, parsed);
  }

  private static SnapshotRequest of(String name, boolean isLive, ParseResult parsed) {
    for (String option : List.of("--at", "-e", "--top", "--time")) {
      if (CommonOptions.has(parsed, option)) {
        throw new UsageError(
            option
                + " does not apply to a "
                + (isLive
                    ? "running program, which is looked at now"
                    : "dump, which is of one time"),
            command(name, isLive) + " --all");
      }
    }
    return new SnapshotRequest(
        parsed,
        name,
        isLive,
        CommonOptions.format(parsed, Format.TEXT, Format.JSON, Format.JSONL, Format.CSV),
        CommonOptions.patterns(parsed, "-t", "4316"));
  }

  private static String command(String name, boolean isLive) {
    return "ntrail stacks " + (isLive ? "-p " : "") + ShellWords.file(name);
  }

  /** Returns the command that this is the request of, without its other options. */
  String command() {
    return command(name, isLive);
  }

  /** Returns whether equal stacks are shown once. */
  boolean isSame() {
    return CommonOptions.has(parsed, "--same");
  }

  /** Returns whether all threads are shown: of a running program none is more important. */
  boolean isAll() {
    return isLive || isSame() || CommonOptions.has(parsed, "--all");
  }

  boolean hasInline() {
    return !CommonOptions.has(parsed, "--no-inline");
  }

  boolean isText() {
    return format == Format.TEXT;
  }

  boolean isVerbose() {
    return CommonOptions.has(parsed, "-v");
  }

  boolean hasHandlers() {
    return CommonOptions.has(parsed, "--handlers");
  }

  /** Returns whether of a 32-bit process the stacks of the 64-bit side are shown, too. */
  boolean isNative() {
    return CommonOptions.has(parsed, "--native");
  }

  /** Returns whether a thread is meant by its name or id. */
  boolean isMeant(SnapshotThread thread) {
    String id = Long.toUnsignedString(thread.tid());
    return threads.stream()
        .anyMatch(pattern ->
            pattern.matches(id) || thread.name() != null && pattern.matches(thread.name()));
  }
}
