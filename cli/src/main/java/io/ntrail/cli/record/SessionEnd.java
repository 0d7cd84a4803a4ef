package io.ntrail.cli.record;

import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.merge.MergeMachine;
import io.ntrail.cli.merge.Merging;
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
import java.util.stream.Collectors;
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
    List<SessionState> stopped =
        machine.ask(sessions -> {
          // What ended by itself, as Windows ends sessions when the disk is full, is merged still.
          boolean isLeft = output.isPresent() && !left(output.get()).isEmpty();
          return isLeft && sessions.find(name).isEmpty() ? List.of() : sessions.stop(name);
        });
    return finish(stopped, output);
  }

  /** Reports sessions that were stopped, and merges their files if one is to come of them. */
  int finish(List<SessionState> stopped, Optional<OutputFile> output) {
    List<Path> files =
        stopped.isEmpty()
            ? output.map(SessionEnd::left).orElse(List.of())
            : stopped.stream()
                .filter(state -> !state.file().isEmpty())
                .map(state -> machine.files().apply(state.file()))
                .toList();
    Optional<RecordedParts> parts =
        files.stream().flatMap(file -> RecordedParts.having(file).stream()).findFirst();
    SessionReport report = new SessionReport(format, terminal);
    if (files.isEmpty() || output.isEmpty() && parts.isEmpty()) {
      report.stopped(stopped);
      return ExitCode.DONE;
    }
    if (format == Format.TEXT) {
      report.ended(stopped);
    }
    if (output.isPresent()) {
      return merge(files, output.get(), stopped);
    }
    try (OutputFile whole = OutputFile.reserve(parts.orElseThrow().whole(), "-o")) {
      return merge(files, whole, stopped);
    }
  }

  private static List<Path> left(OutputFile output) {
    return RecordedParts.of(output.place().toAbsolutePath().normalize()).present();
  }

  private int merge(List<Path> files, OutputFile output, List<SessionState> stopped) {
    int exit;
    try {
      exit =
          new Merging(new MergeMachine(machine.host(), machine.files()), parsed, terminal)
              .run(files, output, format, json -> SessionReport.sessions(json, stopped, ""));
    } catch (CannotGoOn e) {
      String names = files.stream().map(Path::toString).collect(Collectors.joining(", "));
      throw CannotGoOn.of(
          e.reason(),
          e.file(),
          "%s; the recording is stopped, and its files stay: %s".formatted(e.message(), names),
          "ntrail merge %s -o OTHER.etl"
              .formatted(files.stream().map(ShellWords::file).collect(Collectors.joining(" "))));
    }
    if (exit == ExitCode.DONE) {
      files.stream().filter(file -> RecordedParts.having(file).isPresent()).forEach(this::delete);
    }
    return exit;
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
