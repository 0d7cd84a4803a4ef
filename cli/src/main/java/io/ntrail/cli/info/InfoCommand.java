package io.ntrail.cli.info;

import io.ntrail.analysis.etw.events.Overview;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.EtwSummary;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.analysis.model.Ability;
import io.ntrail.cli.calls.CallInfo;
import io.ntrail.cli.common.Command;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.ReadingProgress;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.ShellWords;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code ntrail info FILE...}: what is in a recording, and what was lost. */
public final class InfoCommand implements Command {
  public InfoCommand() {}

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommonOptions.command("info", "What is in a recording, and what was lost.");
    spec.addOption(
        CommonOptions.value(
            "N",
            "at most N sources of events, or modules of a dump, on the screen; 0 for all",
            "-n",
            "--limit"));
    spec.addOption(
        CommonOptions.oneOf(
            InfoListing.WHATS.words(),
            "WHAT",
            "rows instead: processes, threads, images, methods or sessions, those with the most"
                + " CPU time first",
            "--list"));
    CommonOptions.output(spec, "text, json, jsonl or csv (the last two: one line per file)");
    CommonOptions.together(spec);
    spec.addPositional(CommonOptions.recordings());
    return spec;
  }

  @Override
  public int run(ParseResult parsed, Terminal system) {
    List<Path> paths = CommonOptions.paths(parsed, "info");
    Format format =
        CommonOptions.format(parsed, Format.TEXT, Format.JSON, Format.JSONL, Format.CSV);
    try (RecordingInput input =
        RecordingInput.of(paths, Ability.EVENTS, Ability.CALLS, Ability.MEMORY)
            .together(CommonOptions.isTogether(parsed))) {
      if (CommonOptions.has(parsed, "--list")) {
        return list(input, format, parsed, system);
      }
      if (input.has(Ability.MEMORY)) {
        long limit = CommonOptions.limit(parsed, format, system);
        return DumpInfo.print(input, format, limit, parsed, system);
      }
      return input.has(Ability.CALLS)
          ? CallInfo.print(input, format, parsed, system)
          : print(input, format, parsed, system);
    } catch (CannotGoOn e) {
      boolean isOther = e.reason() == CannotGoOn.Reason.OTHER_KIND && paths.size() == 1;
      if (!isOther || CommonOptions.has(parsed, "--list")) {
        throw e;
      }
      return ProgramInfo.print(paths.getFirst(), e, format, parsed, system);
    }
  }

  /** Only recordings of events list what there was; others have commands for it. */
  private static int list(
      RecordingInput input, Format format, ParseResult parsed, Terminal system) {
    InfoListing.WHATS.value(parsed, InfoListing.What.PROCESSES);
    if (input.has(Ability.MEMORY) || input.has(Ability.CALLS)) {
      boolean isDump = input.has(Ability.MEMORY);
      throw new UsageError(
          "--list applies to ETW recordings, not to " + (isDump ? "dumps" : "call recordings"),
          (isDump ? "ntrail info " : "ntrail calls ")
              + ShellWords.file(input.paths().getFirst())
              + (isDump ? " -n 0" : " --flat"));
    }
    return InfoListing.print(input, format, parsed, system);
  }

  private static int print(
      RecordingInput input, Format format, ParseResult parsed, Terminal system) {
    int cores = CommonOptions.cores(parsed);
    long limit = CommonOptions.limit(parsed, format, system);
    try (EtwRecording recording = input.open(EtwRecording.class);
        Terminal terminal = CommonOptions.output(parsed, system)) {
      if (format == Format.JSONL || format == Format.CSV) {
        files(recording, cores, format, parsed, terminal);
      } else {
        Overview overview;
        try (Progress _ = ReadingProgress.start(recording, parsed, terminal)) {
          overview = Overview.of(recording, cores);
        }
        recording.endReading();
        if (format == Format.JSON) {
          InfoJson.print(recording, overview, terminal);
        } else {
          int width =
              CommonOptions.has(parsed, "--wide") || !terminal.outIsTerminal()
                  ? 0
                  : terminal.width();
          new InfoScreen(recording, overview, terminal.out()).print(limit, width);
          hint(input.paths().getFirst(), overview, parsed, terminal);
        }
      }
      return Losses.finish(recording, parsed, terminal);
    }
  }

  /** Lines of files need the record headers only. */
  private static void files(
      EtwRecording recording, int cores, Format format, ParseResult parsed, Terminal terminal) {
    EtwSummary summary;
    try (Progress _ = ReadingProgress.start(recording, parsed, terminal)) {
      summary = EtwSummary.of(recording, cores);
    }
    if (format == Format.CSV) {
      InfoJson.csv(summary, terminal);
    } else {
      InfoJson.lines(summary, terminal);
    }
  }

  private static void hint(Path first, Overview overview, ParseResult parsed, Terminal terminal) {
    if (!terminal.errIsTerminal() || CommonOptions.has(parsed, "-q")) {
      return;
    }
    terminal.out().flush();
    String file = ShellWords.file(first);
    String profile =
        overview.sampling().busy() > 0 ? "hint: ntrail profile " + file + "          " : "";
    terminal.err().println(profile + "hint: ntrail events " + file + " --count");
  }
}
