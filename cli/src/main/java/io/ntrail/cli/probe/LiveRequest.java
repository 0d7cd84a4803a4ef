package io.ntrail.cli.probe;

import io.ntrail.analysis.probe.engine.Rate;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.OutputOptions;
import io.ntrail.cli.common.ProgramHost;
import io.ntrail.cli.common.UsageError;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * Program that is to be watched while it runs.
 *
 * @param words the program and its arguments; none if it runs already
 * @param process its name or id; else empty
 * @param nanos how long it is watched; {@link Long#MAX_VALUE}: as long as it runs
 * @param recording keeps what was recorded; empty: nothing is kept
 * @param mayStop true if threads may be suspended while functions are patched
 */
record LiveRequest(
    List<String> words, String process, long nanos, Optional<Path> recording, boolean mayStop) {
  private static final String RECORD = "--keep";
  private static final String FOR = "--for";
  private static final String NO_STOP = "--no-stop";

  LiveRequest {
    words = List.copyOf(words);
  }

  /** Adds the options that only programs have which run. */
  static void options(CommandSpec spec) {
    spec.addOption(CommonOptions.value("TIME", "ends after this time: 10s, 500ms", FOR));
    OutputOptions.add(spec, "keeps the recorded calls of a program that runs", RECORD);
    spec.addOption(
        CommonOptions.flag("do not suspend threads: some functions are skipped", NO_STOP));
    spec.addOption(ProgramHost.option());
  }

  /**
   * Returns what is asked for; empty if no program is to be watched.
   *
   * @param words of a program that is to be started
   */
  static Optional<LiveRequest> of(List<String> words, ParseResult parsed, String example) {
    String process = CommonOptions.text(parsed, "-p", "");
    if (!words.isEmpty() && !process.isEmpty()) {
      throw new UsageError("a running program and one to be started exclude each other", example);
    }
    boolean isLive = !words.isEmpty() || !process.isEmpty();
    for (String option : List.of(FOR, RECORD, NO_STOP, "--on")) {
      if (!isLive && CommonOptions.has(parsed, option)) {
        throw new UsageError(option + " is for a program that runs", example);
      }
    }
    return isLive
        ? Optional.of(
            new LiveRequest(
                words,
                process,
                nanos(parsed),
                CommonOptions.has(parsed, RECORD)
                    ? Optional.of(CommonOptions.path(CommonOptions.text(parsed, RECORD, "")))
                    : Optional.empty(),
                !CommonOptions.has(parsed, NO_STOP)))
        : Optional.empty();
  }

  private static long nanos(ParseResult parsed) {
    if (!CommonOptions.has(parsed, FOR)) {
      return Long.MAX_VALUE;
    }
    String text = CommonOptions.text(parsed, FOR, "");
    return Rate.nanos(text).stream()
        .filter(_ -> Character.isLetter(text.charAt(text.length() - 1)))
        .findFirst()
        .orElseThrow(() -> new UsageError(FOR + " takes a time, not " + text, FOR + " 10s"));
  }

  /** Returns whether the program is started. */
  boolean isStarted() {
    return !words.isEmpty();
  }
}
