package io.ntrail.cli.common;

import io.ntrail.analysis.calls.CallSource;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.LogFileHeader;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import picocli.CommandLine.ParseResult;

/** Says what could not be read and what the recorder lost, the same way in every command. */
public final class Losses {
  private static final int SHOWN = 10;

  private Losses() {}

  /** Events that the recorder counted as lost, all files together. */
  public static long events(EtwRecording recording) {
    return recording.files().stream()
        .mapToLong(f -> f.header().map(LogFileHeader::eventsLost).orElse(0L))
        .sum();
  }

  /** Buffers that the recorder counted as lost, all files together. */
  public static long buffers(EtwRecording recording) {
    return recording.files().stream()
        .mapToLong(f -> f.header().map(LogFileHeader::buffersLost).orElse(0L))
        .sum();
  }

  /** {@code complete}, or what is wrong, for the first line of an answer. */
  public static String state(EtwRecording recording) {
    long open = recording.files().stream().filter(Losses::neverFinalised).count();
    return wholeness(recording.gaps(), open, recording.files().size())
        + ", "
        + Numbers.counted(events(recording), "event")
        + " and "
        + Numbers.counted(buffers(recording), "buffer")
        + " lost";
  }

  /** Returns the state of a call recording; losses only if the recorder counted them. */
  public static String state(CallSource source) {
    OptionalLong lost = source.lost();
    return wholeness(source.gaps(), source.neverFinalised() ? 1 : 0, 1)
        + (lost.isPresent() ? ", " + Numbers.counted(lost.getAsLong(), "record") + " lost" : "");
  }

  private static String wholeness(List<Gap> gaps, long neverFinalised, int files) {
    List<String> state = new ArrayList<>();
    if (!gaps.isEmpty()) {
      state.add(Numbers.counted(gaps.size(), "place") + " could not be read");
    }
    if (neverFinalised > 0) {
      state.add(
          files == 1
              ? "never finalised"
              : Numbers.counted(neverFinalised, "file") + " never finalised");
    }
    return state.isEmpty() ? "complete" : String.join(", ", state);
  }

  private static boolean neverFinalised(EtlFile file) {
    return file.header().map(h -> !h.finalised()).orElse(false);
  }

  /** Warns of every place that could not be read, the first ones in words. */
  public static void warn(List<Gap> gaps, Terminal terminal) {
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
                  + " unreadable (--format json lists all)");
    }
  }

  /** Closes an answer: the warnings, how it came about if asked, and the exit code. */
  public static int finish(EtwRecording recording, ParseResult parsed, Terminal terminal) {
    return finish(recording, Symbols.NONE, parsed, terminal);
  }

  /**
   * Symbols that are missing or damaged.
   *
   * @param gaps what of them could not be read
   * @param areMissing whether some that were asked for are not there
   */
  public record Symbols(List<Gap> gaps, boolean areMissing) {
    public static final Symbols NONE = new Symbols(List.of(), false);

    public Symbols {
      gaps = List.copyOf(gaps);
    }
  }

  /** Warns of losses and of symbols that could not be read, and returns the exit code. */
  public static int finish(
      EtwRecording recording, Symbols symbols, ParseResult parsed, Terminal terminal) {
    warn(recording.gaps(), terminal);
    warn(symbols.gaps, terminal);
    if (CommonOptions.has(parsed, "-v")) {
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
                  + Numbers.counted(CommonOptions.cores(parsed), "core")
                  + (recording.files().size() == 1
                      ? ""
                      : recording.oneClock()
                          ? "; the files share a clock"
                          : "; files aligned by UTC"));
    }
    boolean strict = CommonOptions.has(parsed, "--strict");
    return symbols.gaps.isEmpty() && !(strict && symbols.areMissing)
        ? exitCode(recording, strict)
        : ExitCode.INCOMPLETE;
  }

  /** Closes an answer about what a recording of calls is. */
  public static int finish(CallSource source, ParseResult parsed, Terminal terminal) {
    warn(source.gaps(), terminal);
    boolean lost = CommonOptions.has(parsed, "--strict") && source.lost().orElse(0) > 0;
    return !source.gaps().isEmpty() || lost ? ExitCode.INCOMPLETE : ExitCode.DONE;
  }

  private static int exitCode(EtwRecording recording, boolean strict) {
    if (!recording.gaps().isEmpty()) {
      return ExitCode.INCOMPLETE;
    }
    boolean lost = events(recording) > 0 || buffers(recording) > 0;
    return strict && lost ? ExitCode.INCOMPLETE : ExitCode.DONE;
  }
}
