package io.ntrail.cli.common;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.ReadingState;
import io.ntrail.analysis.etw.recording.StoppedReading;
import io.ntrail.analysis.model.StoppableWork;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import java.util.function.Supplier;
import picocli.CommandLine.ParseResult;

/** Shows how much of a recording was read, and lets Ctrl+C stop reading. */
public final class ReadingProgress {
  private ReadingProgress() {}

  public static Progress start(EtwRecording recording, ParseResult parsed, Terminal terminal) {
    return start(recording, line(recording), recording.reading()::stop, isQuiet(parsed), terminal);
  }

  /** Shows how much was read, and downloads from servers; Ctrl+C stops these, too. */
  public static Progress start(
      EtwRecording recording, SymbolSearchPath places, ParseResult parsed, Terminal terminal) {
    Supplier<String> reading = line(recording);
    return start(
        recording,
        () -> places.progress().line().orElseGet(reading),
        () -> {
          recording.reading().stop();
          places.stop();
        },
        isQuiet(parsed),
        terminal);
  }

  private static boolean isQuiet(ParseResult parsed) {
    return CommonOptions.has(parsed, "-q");
  }

  private static Progress start(
      EtwRecording recording,
      Supplier<String> line,
      Runnable stop,
      boolean quiet,
      Terminal terminal) {
    return Progress.start(terminal, quiet, line, stop).then(() -> sayStopped(recording, terminal));
  }

  /** Shows how much was listed, unless the list itself is on the terminal. */
  public static Progress listing(EtwRecording recording, ParseResult parsed, Terminal terminal) {
    boolean quiet = isQuiet(parsed) || terminal.outIsTerminal();
    return start(recording, line(recording), recording.reading()::stop, quiet, terminal);
  }

  /** Tells once how far reading came before it was stopped, if it was. */
  static void sayStopped(EtwRecording recording, Terminal terminal) {
    recording
        .stopped()
        .ifPresent(stopped -> {
          if (terminal.interruption().isFirst()) {
            terminal.out().flush();
            terminal.err().println("ntrail: " + text(stopped));
          }
        });
  }

  static String text(StoppedReading stopped) {
    return "stopped at %d %% (%s of %s, %s of %s read); the answer covers that part only"
        .formatted(
            stopped.percent(),
            Numbers.duration(stopped.readNanos()),
            Numbers.duration(stopped.wholeNanos()),
            Numbers.bytes(stopped.readBytes()),
            Numbers.bytes(stopped.wholeBytes()));
  }

  private static Supplier<String> line(EtwRecording recording) {
    String name = recording.files().getFirst().name();
    long start = System.nanoTime();
    return () -> line(name, recording.reading().position(), (System.nanoTime() - start) / 1e9);
  }

  /** Returns a line that names the pass; it never says 100 %, as something is left then. */
  static String line(
      String name, StoppableWork.Position<ReadingState.Pass> position, double seconds) {
    if (position.isOver()) {
      return name + " is read: making the answer";
    }
    int percent = position.percent();
    return switch (position.phase()) {
      case SURVEY ->
          "looking through %s  %d %%   %s of %s   %s/s"
              .formatted(
                  name,
                  percent,
                  Numbers.bytes(position.done()),
                  Numbers.bytes(position.total()),
                  Numbers.bytes((long) (position.done() / Math.max(0.001, seconds))));
      case STACKS -> "finding the stacks of %s  %d %%".formatted(name, percent);
      case IN_ORDER -> "reading %s in order of time  %d %%".formatted(name, percent);
    };
  }
}
