package io.ntrail.cli.common;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import java.util.function.Supplier;
import picocli.CommandLine.ParseResult;

/** Shows how much of a recording was read. */
public final class ReadingProgress {
  private ReadingProgress() {}

  public static Progress start(EtwRecording recording, ParseResult parsed, Terminal terminal) {
    return Progress.start(
        terminal,
        CommonOptions.has(parsed, "-q"),
        recording.files().getFirst().name(),
        recording::bytesVisited,
        recording.size());
  }

  /** Shows how much of a recording was read, and the downloads from servers. */
  public static Progress start(
      EtwRecording recording, SymbolSearchPath places, ParseResult parsed, Terminal terminal) {
    Supplier<String> reading =
        Progress.reading(
            recording.files().getFirst().name(), recording::bytesVisited, recording.size());
    return Progress.start(
        terminal,
        CommonOptions.has(parsed, "-q"),
        () -> places.progress().line().orElseGet(reading));
  }
}
