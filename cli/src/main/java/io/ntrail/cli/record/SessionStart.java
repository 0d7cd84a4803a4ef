package io.ntrail.cli.record;

import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.record.SessionStarter.Running;
import io.ntrail.cli.record.StartRequest.Log;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.OutputFile;
import io.ntrail.live.etw.SessionState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * Start of a recording: until it is stopped, or with {@code --while} until a program ends.
 *
 * @param machine that is recorded
 * @param format of the report
 */
record SessionStart(RecordMachine machine, ParseResult parsed, Format format, Terminal terminal) {
  static final String TAKE_OVER = "--take-over";
  static final String WHILE = "--while";
  static final String FLIGHT = "--flight-recorder";
  static final String EXAMPLE =
      "ntrail record start --kernel cpu+disk --stacks Profile -o shop.etl";

  /** Memory of a flight recorder, of which no page is ever paged out. */
  private static final int FLIGHT_MEBIBYTES = 128;

  /** Number of bits that a shell sees of an exit code. */
  private static final int SHELL_BITS = 0xFF;

  /** Adds the options that only a start has. */
  static void options(CommandSpec spec) {
    spec.addOption(CommonOptions.flag("start: a session in the way is stopped", TAKE_OVER));
    spec.addOption(
        CommonOptions.value(
            "PROGRAM", "start: stops when this program ends; its arguments behind --", WHILE));
    spec.addOption(
        CommonOptions.flag(
            "start: the last --max-size of each session in memory (default 128M), for snapshot",
            FLIGHT));
  }

  /**
   * Starts a recording.
   *
   * @param arguments of the program
   * @return the exit code
   */
  int run(List<String> arguments) {
    if (parsed.matchedOptions().isEmpty()) {
      // Who only tries it is to hear first that it is not to be had here.
      machine.mustBeWindows();
    }
    StartRequest wanted = request();
    boolean isFlight = CommonOptions.has(parsed, FLIGHT);
    Optional<OutputFile> output = terminal.outputs().of("-o");
    String etl = BootRequest.file(parsed);
    boolean hasProgram = CommonOptions.has(parsed, WHILE);
    if (!hasProgram && !arguments.isEmpty()) {
      throw new UsageError("record start takes no " + arguments.getFirst(), EXAMPLE);
    }
    // The memory of a flight recorder gets its file when it is asked for.
    boolean isNamed = output.isPresent() != !etl.isEmpty();
    boolean hasOwn = isFlight && output.isEmpty() && etl.isEmpty();
    if (isFlight ? !hasOwn && !(hasProgram && output.isPresent()) : !isNamed) {
      throw new UsageError(
          isFlight
              ? "a flight recorder has no file: record snapshot -o NAME.etl writes one"
              : "record start needs one file: -o NAME.etl, which stop completes, or --etl PATH",
          isFlight ? "ntrail record start --kernel cpu " + FLIGHT : EXAMPLE);
    }
    Optional<RecordedParts> parts = output.map(RecordedParts::of);
    Begun begun = start(wanted, isFlight ? Optional.empty() : parts, etl);
    StartRequest request = begun.request;
    List<Running> running = begun.running;
    running.stream()
        .flatMap(one -> one.missing().stream())
        .forEach(missing -> terminal.err().println("warning: " + missing));
    SessionReport report = new SessionReport(format, terminal);
    if (!hasProgram) {
      report.started(running, request, parts.map(RecordedParts::whole));
      return ExitCode.DONE;
    }
    if (format == Format.TEXT) {
      report.started(running, request, Optional.empty());
    }
    List<String> words = new ArrayList<>(List.of(CommonOptions.text(parsed, WHILE, "")));
    words.addAll(arguments);
    return during(
        running.stream().map(one -> one.started().state()).toList(),
        new RecordedProgram(words, format == Format.JSON, terminal),
        output);
  }

  /** Returns what the options ask for, in memory if that is asked for. */
  private StartRequest request() {
    StartRequest request = StartRequest.of(parsed, EXAMPLE);
    if (!CommonOptions.has(parsed, FLIGHT)) {
      return request;
    }
    boolean isSized = CommonOptions.has(parsed, BootRequest.SIZE);
    return request.with(Log.MEMORY, isSized ? request.mebibytes() : FLIGHT_MEBIBYTES);
  }

  /** Sessions that run, and what is recorded of what was asked for. */
  private record Begun(StartRequest request, List<Running> running) {}

  private Begun start(StartRequest wanted, Optional<RecordedParts> parts, String etl) {
    boolean takesOver = CommonOptions.has(parsed, TAKE_OVER);
    return machine.ask(sessions -> {
      // A session that runs is in the way by itself.
      if (takesOver || sessions.find("").isEmpty()) {
        parts.ifPresent(RecordedParts::mustBeNew);
      }
      StartRequest request = sessions.starter().present(wanted);
      return new Begun(
          request,
          sessions
              .starter()
              .start(
                  request,
                  (part, isAlone) ->
                      parts
                          .map(its -> machine.name(its.file(part)))
                          .orElse(isAlone ? etl : RecordedParts.part(etl, part)),
                  takesOver));
    });
  }

  /** Runs a program, stops the recording whatever comes of it, and returns the exit code. */
  private int during(
      List<SessionState> recording, RecordedProgram program, Optional<OutputFile> output) {
    SessionState session = recording.getFirst();
    OptionalInt ended;
    try {
      ended = watched(recording, program);
    } catch (RuntimeException e) {
      machine.ask(sessions -> sessions.stop(session.name(), _ -> {}));
      output.map(RecordedParts::of).ifPresent(SessionStart::forget);
      throw e;
    }
    if (format == Format.TEXT) {
      terminal
          .out()
          .println(
              program.words().getFirst()
                  + (ended.isPresent() ? " ended with " + ended.getAsInt() : " still runs"));
    }
    int exit =
        new SessionEnd(machine, parsed, format, terminal)
            .stop(session.name(), output, Optional.of(ended));
    return exit == ExitCode.DONE ? ended.orElse(ExitCode.DONE) & SHELL_BITS : exit;
  }

  /** Runs a program and looks for losses meanwhile. */
  private OptionalInt watched(List<SessionState> recording, RecordedProgram program) {
    List<LossWatch> losses =
        recording.stream()
            .map(state ->
                recording.size() == 1
                    ? new LossWatch(machine, terminal)
                    : LossWatch.of(state.name(), machine, terminal))
            .toList();
    boolean[] isBlind = new boolean[1];
    return machine.ask(sessions ->
        program.run(() -> {
          try {
            for (int i = 0; i < losses.size() && !isBlind[0]; i++) {
              losses.get(i).look(sessions.find(recording.get(i).name()));
            }
          } catch (CannotGoOn e) {
            // Ctrl+C may have ended the agent; the program and its recording go on.
            isBlind[0] = true;
          }
        }));
  }

  /** Deletes what was recorded while nothing ran. */
  private static void forget(RecordedParts parts) {
    try {
      for (Path file : parts.present()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      // It stays, and the next start tells of it.
    }
  }
}
