package io.ntrail.cli.record;

import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.merge.MergeMachine;
import io.ntrail.cli.merge.Merging;
import io.ntrail.cli.record.RecordedParts.Part;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.OutputFile;
import io.ntrail.formats.bytes.ShellWords;
import io.ntrail.live.etw.SessionState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.ParseResult;

/**
 * End of a recording: its sessions are stopped, and their files merged, with what the machine knows
 * of images and volumes.
 *
 * @param machine whose sessions they are
 * @param parsed options of the merge
 * @param format of the report
 */
record SessionEnd(RecordMachine machine, ParseResult parsed, Format format, Terminal terminal) {
  /**
   * Stops a session and those that record with it.
   *
   * @param name of the session; empty: ntrail's
   * @param output the merged recording; empty: as the session's file is named
   * @return the exit code
   */
  int stop(String name, Optional<OutputFile> output) {
    return stop(name, output, Optional.empty());
  }

  /**
   * Stops a session and those that record with it.
   *
   * @param program exit code of the program that was recorded, empty in it if that still runs;
   *     empty: there was none
   */
  int stop(String name, Optional<OutputFile> output, Optional<OptionalInt> program) {
    List<SessionState> stopped =
        machine.ask(sessions -> {
          SessionLeftovers.removed(sessions)
              .forEach(told -> terminal.err().println("note: " + told));
          Optional<SessionState> running = sessions.find(name);
          boolean isInMemory = running.map(SessionState::isInMemory).orElse(false);
          if (isInMemory && output.isPresent()) {
            write(sessions, name, output.get());
          }
          // What ended by itself, as Windows ends sessions when the disk is full, is merged still.
          boolean isLeft = output.isPresent() && !left(output.get()).isEmpty();
          return isLeft && running.isEmpty() ? List.of() : sessions.stop(name, this::missing);
        });
    SessionReport report = new SessionReport(format, terminal);
    List<Path> files =
        stopped.stream()
            .filter(state -> !state.file().isEmpty() && !state.isInMemory())
            .map(state -> machine.files().apply(state.file()))
            .toList();
    if (files.isEmpty()) {
      files = output.map(SessionEnd::left).orElse(List.of());
    }
    Optional<RecordedParts> parts =
        files.stream().flatMap(file -> RecordedParts.having(file).stream()).findFirst();
    // Parts of sessions that ended by themselves, while others of the recording ran.
    List<Path> running = files;
    List<Path> ended =
        parts.map(RecordedParts::present).orElse(List.of()).stream()
            .filter(file -> !running.contains(file))
            .toList();
    files = Stream.concat(files.stream(), ended.stream()).toList();
    if (files.isEmpty() || output.isEmpty() && parts.isEmpty()) {
      report.stopped(stopped, program);
      return ExitCode.DONE;
    }
    if (format == Format.TEXT && stopped.isEmpty()) {
      report.hadEnded(SessionEnding.of(files.getFirst()));
    } else if (format == Format.TEXT) {
      report.ended(stopped);
      ended.forEach(file -> report.hadEnded(SessionEnding.of(file)));
    }
    Consumer<Json> keys =
        json -> {
          SessionReport.sessions(json, stopped);
          SessionReport.program(json, program);
        };
    if (output.isPresent()) {
      return merge("the recording is stopped, and its files stay", files, output.get(), keys);
    }
    try (OutputFile whole = OutputFile.reserve(parts.orElseThrow().whole(), "-o")) {
      return merge("the recording is stopped, and its files stay", files, whole, keys);
    }
  }

  /**
   * Writes what a session keeps in memory; it goes on.
   *
   * @return the exit code
   */
  int snapshot(String name, OutputFile output) {
    List<SessionState> states = machine.ask(sessions -> write(sessions, name, output));
    RecordedParts parts = RecordedParts.of(output);
    return merge(
        "the recording goes on, and what was in memory is kept",
        states.stream().map(state -> file(parts, state)).toList(),
        output,
        json -> SessionReport.sessions(json, states));
  }

  /** Has sessions write what they keep in memory; leaves no part if that fails. */
  private List<SessionState> write(Sessions sessions, String name, OutputFile output) {
    RecordedParts parts = RecordedParts.of(output);
    parts.mustBeNew();
    try {
      return sessions.snapshot(name, state -> machine.name(file(parts, state)), this::missing);
    } catch (CannotGoOn e) {
      parts.present().forEach(this::delete);
      throw e;
    }
  }

  private static Path file(RecordedParts parts, SessionState state) {
    if (state.isKernel()) {
      return parts.file(Part.KERNEL);
    }
    return parts.file(state.name().equals(SessionStarter.HEAP) ? Part.HEAP : Part.USER);
  }

  private static List<Path> left(OutputFile output) {
    return RecordedParts.of(output).present();
  }

  /**
   * Merges files, and deletes those that are parts.
   *
   * @param otherwise tells what is if that fails
   * @param keys adds keys to the report in JSON
   */
  private int merge(String otherwise, List<Path> files, OutputFile output, Consumer<Json> keys) {
    int exit;
    try {
      exit =
          new Merging(new MergeMachine(machine.host(), machine.files()), parsed, terminal)
              .run(files, output, format, keys);
    } catch (CannotGoOn e) {
      String names = files.stream().map(Path::toString).collect(Collectors.joining(", "));
      throw CannotGoOn.of(
          e.reason(),
          e.file(),
          "%s; %s: %s".formatted(e.message(), otherwise, names),
          "ntrail merge %s -o OTHER.etl"
              .formatted(files.stream().map(ShellWords::file).collect(Collectors.joining(" "))));
    }
    if (exit == ExitCode.DONE) {
      files.stream().filter(file -> RecordedParts.having(file).isPresent()).forEach(this::delete);
    }
    return exit;
  }

  /** Tells what is missing in a recording. */
  void missing(String what) {
    terminal.err().println("warning: " + what);
  }

  /** Deletes a file of which all is in the merged one. */
  private void delete(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) {
      terminal.err().println("warning: %s stays: %s".formatted(file, e.getMessage()));
    }
  }
}
