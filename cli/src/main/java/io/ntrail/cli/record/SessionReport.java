package io.ntrail.cli.record;

import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.Terminal;
import io.ntrail.live.etw.KernelRecorder.Started;
import io.ntrail.live.etw.SessionControl.Listing;
import io.ntrail.live.etw.SessionState;
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
  private static final String NEVER_TRIED =
      "ntrail's recordings of sessions were never tried on a real Windows.";

  /**
   * Reports a start.
   *
   * @param mebibytes of file or memory, beyond which the oldest events are written over
   * @param whole recording that the file is merged into; empty: none
   */
  void started(Started started, BootRequest request, int mebibytes, Optional<Path> whole) {
    SessionState state = started.state();
    String replaced =
        started.replaced().map(other -> "%s (%s)".formatted(other.name(), other.file())).orElse("");
    List<String> notes = new ArrayList<>(request.notes());
    if (state.isInMemory()) {
      notes.add("record snapshot -o NAME.etl writes what is in memory");
    }
    whole.ifPresent(path -> notes.add("record stop merges it into " + path));
    notes.add(NEVER_TRIED);
    if (format == Format.JSON) {
      json(List.of(state), replaced, STOP, notes);
      return;
    }
    terminal
        .out()
        .println(
            "recording to %s: session %s, %s, at most %s (ring)"
                .formatted(
                    state.isInMemory() ? "memory" : state.file(),
                    state.name(),
                    String.join("+", request.groups()),
                    Numbers.bytes((long) mebibytes << MEBIBYTE_SHIFT)));
    if (!replaced.isEmpty()) {
      terminal.out().println("stopped for it: " + replaced);
    }
    terminal.out().println("stop with: " + STOP);
    notes.forEach(note -> terminal.out().println("- " + note));
  }

  void status(SessionState state) {
    if (format == Format.JSON) {
      json(List.of(state), "", STOP + ' ' + quoted(state.name()), List.of());
    } else {
      table(List.of(state));
    }
  }

  /** Reports something that is not about a session that runs. */
  void told(String what) {
    if (format == Format.JSON) {
      json(List.of(), "", "", List.of(what));
    } else {
      terminal.out().println(what);
    }
  }

  /** Reports a mark. */
  void marked(SessionState state, String text) {
    if (format == Format.JSON) {
      json(List.of(state), "", "", List.of());
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
      json(sessions, "", "", notes, program);
      return;
    }
    ended(sessions);
    notes.forEach(note -> terminal.out().println("- " + note));
  }

  /** Tells in text what sessions lost. */
  void ended(List<SessionState> sessions) {
    if (sessions.isEmpty()) {
      terminal.out().println("the session had ended by itself; what it wrote is merged");
    }
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
      json(listing.sessions(), "", "", notes);
      return;
    }
    if (listing.sessions().isEmpty()) {
      terminal.out().println("no session runs");
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

  private void json(List<SessionState> sessions, String conflict, String undo, List<String> notes) {
    json(sessions, conflict, undo, notes, Optional.empty());
  }

  private void json(
      List<SessionState> sessions,
      String conflict,
      String undo,
      List<String> notes,
      Optional<OptionalInt> program) {
    try (Json json = new Json(terminal.out())) {
      json.object().text("schema", "ntrail.record/1");
      sessions(json, sessions, conflict);
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

  /**
   * Adds the states of sessions.
   *
   * @param conflict session that was stopped for them; empty: none
   */
  static void sessions(Json json, List<SessionState> sessions, String conflict) {
    json.array("sessions");
    for (SessionState state : sessions) {
      json.object().text("name", state.name()).text("mode", mode(state));
      json.name("file", state.file().isEmpty() ? null : state.file());
      json.number("buffers", state.buffers());
      json.lost(state.lost().events(), state.lost().buffers());
      json.name("conflict", conflict.isEmpty() ? null : conflict);
      json.number("buffersUsed", state.used()).number("buffersWritten", state.written());
      json.number("realTimeBuffersLost", state.lost().realTime());
      json.number("bufferBytes", (long) state.kibibytes() << 10);
      json.number("maxBytes", (long) state.mebibytes() << MEBIBYTE_SHIFT);
      json.endObject();
    }
    json.endArray();
  }
}
