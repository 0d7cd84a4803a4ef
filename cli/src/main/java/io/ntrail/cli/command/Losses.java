package io.ntrail.cli.command;

import io.ntrail.analysis.recording.Recording;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.LogFileHeader;
import java.util.List;
import picocli.CommandLine.ParseResult;

/** Says what could not be read and what the recorder lost, the same way in every command. */
final class Losses {
  private static final int SHOWN = 10;

  private Losses() {}

  /** Events that the recorder counted as lost, all files together. */
  static long events(Recording recording) {
    return recording.files().stream()
        .mapToLong(f -> f.header().map(LogFileHeader::eventsLost).orElse(0L))
        .sum();
  }

  /** Buffers that the recorder counted as lost, all files together. */
  static long buffers(Recording recording) {
    return recording.files().stream()
        .mapToLong(f -> f.header().map(LogFileHeader::buffersLost).orElse(0L))
        .sum();
  }

  /** {@code complete}, or what is wrong, for the first line of an answer. */
  static String state(Recording recording) {
    int gaps = recording.gaps().size();
    StringBuilder state = new StringBuilder();
    if (gaps > 0) {
      state.append(Numbers.counted(gaps, "place")).append(" could not be read");
    }
    long open = recording.files().stream().filter(Losses::neverFinalised).count();
    if (open > 0) {
      state
          .append(state.isEmpty() ? "" : ", ")
          .append(
              recording.files().size() == 1
                  ? "never finalised"
                  : Numbers.counted(open, "file") + " never finalised");
    }
    if (state.isEmpty()) {
      state.append("complete");
    }
    return state
        + ", "
        + Numbers.counted(events(recording), "event")
        + " and "
        + Numbers.counted(buffers(recording), "buffer")
        + " lost";
  }

  private static boolean neverFinalised(EtlFile file) {
    return file.header().map(h -> !h.finalised()).orElse(false);
  }

  /** Warns of every place that could not be read, the first ones in words. */
  static void warn(List<Gap> gaps, Terminal terminal) {
    for (Gap gap : gaps.subList(0, Math.min(SHOWN, gaps.size()))) {
      terminal
          .err()
          .println(
              "warning: "
                  + gap.file()
                  + ": "
                  + (gap.bytes() < 0 ? "" : Numbers.bytes(gap.bytes()) + " ")
                  + "at offset "
                  + Numbers.count(gap.offset())
                  + " could not be read ("
                  + gap.what()
                  + "): "
                  + gap.why());
    }
    if (gaps.size() > SHOWN) {
      terminal
          .err()
          .println(
              "warning: "
                  + Numbers.counted(gaps.size() - SHOWN, "more place")
                  + " could not be read (--format json lists all)");
    }
  }

  /** Closes an answer: the warnings, how it came about if asked, and the exit code. */
  static int finish(Recording recording, ParseResult parsed, Terminal terminal) {
    warn(recording.gaps(), terminal);
    if (Options.has(parsed, "-v")) {
      terminal.out().flush();
      long buffers = recording.files().stream().mapToLong(f -> f.buffers().count()).sum();
      terminal
          .err()
          .println(
              "read "
                  + Numbers.bytes(recording.bytesVisited())
                  + " (the recording has "
                  + Numbers.bytes(recording.size())
                  + " in "
                  + Numbers.counted(buffers, "buffer")
                  + ") on up to "
                  + Numbers.counted(Options.cores(parsed), "core")
                  + (recording.files().size() == 1
                      ? ""
                      : recording.oneClock()
                          ? "; the files share a clock"
                          : "; the files are put together by UTC"));
    }
    return exitCode(recording, Options.has(parsed, "--strict"));
  }

  private static int exitCode(Recording recording, boolean strict) {
    if (!recording.gaps().isEmpty()) {
      return ExitCode.INCOMPLETE;
    }
    boolean lost = events(recording) > 0 || buffers(recording) > 0;
    return strict && lost ? ExitCode.INCOMPLETE : ExitCode.DONE;
  }
}
