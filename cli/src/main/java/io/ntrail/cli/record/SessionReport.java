package io.ntrail.cli.record;

import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.record.SessionStarter.Running;
import io.ntrail.cli.record.StartRequest.Log;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.Terminal;
import io.ntrail.live.etw.EnableParameters;
import io.ntrail.live.etw.ProviderRequest;
import io.ntrail.live.etw.SessionControl.Listing;
import io.ntrail.live.etw.SessionState;
import io.ntrail.live.etw.Started;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Answers of {@code record start}, {@code status}, {@code stop} and {@code list}.
 *
 * @param format text or JSON
 * @param terminal that they are written to
 */
record SessionReport(Format format, Terminal terminal) {
  private static final int MEBIBYTE_SHIFT = 20;
  private static final String STOP = "ntrail record stop";
  private static final String NOT_ALL =
      "Windows lists only sessions that the user may ask about: administrators, all";
  private static final String NEVER_TRIED =
      "ntrail's recordings of sessions were never tried on a real Windows.";

  /**
   * Reports a start.
   *
   * @param whole recording that the files are merged into; empty: none
   */
  void started(List<Running> running, StartRequest request, Optional<Path> whole) {
    List<String> notes =
        new ArrayList<>(request.kernel().map(BootRequest::notes).orElse(List.of()));
    notes.addAll(request.notes());
    if (request.log() == Log.MEMORY) {
      notes.add("record snapshot -o NAME.etl writes what is in memory");
    }
    whole.ifPresent(path -> notes.add("record stop merges it into " + path));
    notes.add(NEVER_TRIED);
    if (format == Format.JSON) {
      running.forEach(one -> notes.addAll(one.missing()));
      json(running.stream().map(SessionReport::row).toList(), STOP, notes, Optional.empty());
      return;
    }
    for (Running one : running) {
      SessionState state = one.started().state();
      terminal
          .out()
          .println(
              "recording to %s: session %s, %s, at most %s (%s)"
                  .formatted(
                      state.isInMemory() ? "memory" : state.file(),
                      state.name(),
                      what(one, request),
                      Numbers.bytes((long) request.mebibytes() << MEBIBYTE_SHIFT),
                      request.log() == Log.SEQUENTIAL ? "ends then" : "ring"));
      String replaced = replaced(one.started());
      if (!replaced.isEmpty()) {
        terminal.out().println("stopped for it: " + replaced);
      }
    }
    terminal.out().println("stop with: " + STOP);
    notes.forEach(note -> terminal.out().println("- " + note));
  }

  /** Returns groups and providers that log into a session. */
  private static String what(Running one, StartRequest request) {
    List<String> names = new ArrayList<>();
    if (one.started().state().isKernel()) {
      request.kernel().ifPresent(boot -> names.addAll(boot.groups()));
    }
    one.providers().forEach(provider -> names.add(provider.name()));
    if (!one.what().isEmpty()) {
      names.add(one.what());
    }
    return String.join("+", names);
  }

  private static String replaced(Started started) {
    return started
        .replaced()
        .map(other -> "%s (%s)".formatted(other.name(), other.file()))
        .orElse("");
  }

  private static Row row(Running one) {
    return new Row(one.started().state(), replaced(one.started()), one.providers());
  }

  void status(List<SessionState> states) {
    if (format == Format.JSON) {
      json(states, STOP + ' ' + quoted(states.getFirst().name()), List.of());
    } else {
      table(states);
    }
  }

  /** Reports something that is not about a session that runs. */
  void told(String what) {
    if (format == Format.JSON) {
      json(List.of(), "", List.of(what));
    } else {
      terminal.out().println(what);
    }
  }

  /** Reports a mark. */
  void marked(SessionState state, String text) {
    if (format == Format.JSON) {
      json(List.of(state), "", List.of());
    } else {
      terminal.out().println("marked %s: %s".formatted(state.name(), text));
    }
  }

  /**
   * Reports sessions that were stopped, whose files stay as they are.
   *
   * @param program exit code of a program that was recorded
   */
  void stopped(List<SessionState> sessions, Optional<OptionalInt> program) {
    List<String> notes = new ArrayList<>();
    if (sessions.stream().anyMatch(state -> !state.file().isEmpty())) {
      notes.add("ntrail merge, on this machine, adds the identities of images.");
    }
    if (sessions.stream().anyMatch(SessionState::isInMemory)) {
      notes.add("what was in memory is gone: stop -o NAME.etl writes it");
    }
    if (format == Format.JSON) {
      json(rows(sessions), "", notes, program);
      return;
    }
    ended(sessions);
    notes.forEach(note -> terminal.out().println("- " + note));
  }

  /** Tells in text of a session that nobody stopped. */
  void hadEnded(String why) {
    terminal.out().println("the session had ended, and what it wrote is merged: " + why);
  }

  /** Tells in text what sessions lost. */
  void ended(List<SessionState> sessions) {
    for (SessionState state : sessions) {
      terminal
          .out()
          .println(
              "stopped %s%s: %s and %s lost"
                  .formatted(
                      state.name(),
                      state.file().isEmpty() ? "" : ", wrote " + state.file(),
                      Numbers.counted(state.lost().events(), "event"),
                      Numbers.counted(state.lost().buffers(), "buffer")));
    }
  }

  void list(Listing listing) {
    List<String> notes =
        listing.total() > listing.sessions().size()
            ? List.of(
                "%s more are not listed"
                    .formatted(Numbers.count(listing.total() - listing.sessions().size())))
            : List.of();
    if (format == Format.JSON) {
      json(listing.sessions(), "", listing.sessions().isEmpty() ? List.of(NOT_ALL) : notes);
      return;
    }
    if (listing.sessions().isEmpty()) {
      terminal.out().println("no session runs");
      terminal.err().println("note: " + NOT_ALL);
    } else {
      table(listing.sessions());
    }
    notes.forEach(note -> terminal.out().println("- " + note));
  }

  private static String quoted(String name) {
    return name.matches("[\\w.-]+") ? name : '"' + name + '"';
  }

  private static String mode(SessionState state) {
    return state.isKernel() ? "kernel" : "user";
  }

  private void table(List<SessionState> sessions) {
    Table table =
        new Table()
            .name("session")
            .name("mode")
            .number("events lost")
            .number("buffers lost")
            .name("buffers used")
            .number("written")
            .remark("file");
    for (SessionState state : sessions) {
      table.row(
          state.name(),
          mode(state),
          Numbers.count(state.lost().events()),
          Numbers.count(state.lost().buffers()),
          "%s of %s".formatted(Numbers.count(state.used()), Numbers.count(state.buffers())),
          Numbers.count(state.written()),
          state.file());
    }
    table.print(terminal.out(), 0, 0);
  }

  /**
   * Session in JSON.
   *
   * @param conflict session that was stopped for it; empty: none
   * @param providers that are known to log into it
   */
  private record Row(SessionState state, String conflict, List<ProviderRequest> providers) {}

  private static List<Row> rows(List<SessionState> states) {
    return states.stream().map(state -> new Row(state, "", List.of())).toList();
  }

  private void json(List<SessionState> sessions, String undo, List<String> notes) {
    json(rows(sessions), undo, notes, Optional.empty());
  }

  private void json(
      List<Row> rows, String undo, List<String> notes, Optional<OptionalInt> program) {
    try (Json json = new Json(terminal.out())) {
      json.object().text("schema", "ntrail.record/1");
      write(json, rows);
      program(json, program);
      json.name("undo", undo.isEmpty() ? null : undo).array("notes");
      notes.forEach(json::text);
      json.endArray().endObject();
    }
  }

  /** Adds the exit code of a program that was recorded, if there was one. */
  static void program(Json json, Optional<OptionalInt> ended) {
    if (ended.isPresent() && ended.get().isPresent()) {
      json.number("programExitCode", ended.get().getAsInt());
    } else if (ended.isPresent()) {
      json.unknown("programExitCode");
    }
  }

  /** Adds the states of sessions. */
  static void sessions(Json json, List<SessionState> sessions) {
    write(json, rows(sessions));
  }

  private static void write(Json json, List<Row> rows) {
    json.array("sessions");
    for (Row row : rows) {
      SessionState state = row.state();
      json.object().text("name", state.name()).text("mode", mode(state));
      json.name("file", state.file().isEmpty() ? null : state.file());
      json.number("buffers", state.buffers());
      json.lost(state.lost().events(), state.lost().buffers());
      json.name("conflict", row.conflict().isEmpty() ? null : row.conflict());
      json.number("buffersUsed", state.used()).number("buffersWritten", state.written());
      json.number("realTimeBuffersLost", state.lost().realTime());
      json.number("bufferBytes", (long) state.kibibytes() << 10);
      json.number("maxBytes", (long) state.mebibytes() << MEBIBYTE_SHIFT);
      providers(json, row.providers());
      json.endObject();
    }
    json.endArray();
  }

  /** Adds providers that are enabled, if there are any. */
  static void providers(Json json, List<ProviderRequest> providers) {
    if (providers.isEmpty()) {
      return;
    }
    json.array("providers");
    for (ProviderRequest one : providers) {
      json.object().text("name", one.name()).text("guid", one.guid().toString());
      json.number("level", one.level()).text("keywords", Numbers.hex(one.keywords()));
      json.bool("stacks", (one.properties() & EnableParameters.STACKS) != 0).endObject();
    }
    json.endArray();
  }
}
