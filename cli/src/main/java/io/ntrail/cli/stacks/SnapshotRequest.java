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
 * @param name of the file, for proposals
 * @param format of the answer
 * @param threads names or ids; empty for those that matter
 */
record SnapshotRequest(ParseResult parsed, String name, Format format, List<NamePattern> threads) {
  static SnapshotRequest of(String name, ParseResult parsed) {
    for (String option : List.of("--at", "-e", "--top", "--time")) {
      if (CommonOptions.has(parsed, option)) {
        throw new UsageError(
            option + " does not apply to a dump, which is of one time",
            "ntrail stacks " + ShellWords.file(name) + " --all");
      }
    }
    return new SnapshotRequest(
        parsed,
        name,
        CommonOptions.format(parsed, Format.TEXT, Format.JSON, Format.JSONL, Format.CSV),
        CommonOptions.patterns(parsed, "-t", "4316"));
  }

  /** Returns whether equal stacks are shown once. */
  boolean isSame() {
    return CommonOptions.has(parsed, "--same");
  }

  /** Returns whether all threads are shown. */
  boolean isAll() {
    return isSame() || CommonOptions.has(parsed, "--all");
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
