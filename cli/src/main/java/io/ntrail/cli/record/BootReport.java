package io.ntrail.cli.record;

import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.etl.groups.StackEvents.StackEvent;
import io.ntrail.live.etw.BootProviders;
import io.ntrail.live.etw.BootSession;
import io.ntrail.live.etw.BootSession.Kind;
import io.ntrail.live.etw.ProviderRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Report of a recording of starts that was set up, or of files for the registry that do so.
 *
 * @param plan what is asked for
 * @param written the file that sets it up and the one that removes it; none: this machine is set up
 * @param undo command that removes it
 */
record BootReport(BootPlan plan, List<Written> written, String undo, Terminal terminal) {
  /** File that was written. */
  record Written(Path path, int bytes) {
    /** Returns the command that has it done. */
    String command() {
      String name = String.valueOf(path.getFileName());
      return "reg import " + (name.matches("[\\w.-]+") ? name : '"' + name + '"');
    }
  }

  /** Keeps the list from changes. */
  BootReport {
    written = List.copyOf(written);
  }

  private static final int MEBIBYTE_SHIFT = 20;

  void print(Format format) {
    if (format == Format.JSON) {
      json();
    } else {
      text();
    }
  }

  private List<String> notes() {
    List<String> notes = new ArrayList<>(plan.notes());
    notes.add("Every start of the machine is recorded, over the old file, until the undo.");
    if (plan.kind().equals(Optional.of(Kind.GLOBAL))) {
      notes.add(
          "Values that GlobalLogger has already are replaced, and the undo deletes them: keep them"
              + " with reg export first if there are any.");
    } else if (plan.kind().isPresent()) {
      notes.add("Windows 8 or later.");
    }
    notes.add("ntrail's boot recordings were never tried on a real Windows.");
    return notes;
  }

  private void text() {
    List<String> lines = new ArrayList<>();
    if (written.isEmpty()) {
      lines.add("the next start of this machine will be recorded");
    } else {
      lines.add(
          "wrote %s and %s: nothing of this machine was changed"
              .formatted(written.getFirst().path(), written.getLast().path()));
    }
    lines.add("");
    plan.kernel().ifPresent(its -> kernel(lines, its));
    plan.providers().ifPresent(its -> providers(lines, its));
    lines.add("");
    if (written.isEmpty()) {
      lines.add("undo: " + undo);
      lines.add("after the restart: ntrail record boot --stop -o boot.etl");
    } else {
      lines.add("On the Windows that is to be recorded, as administrator:");
      lines.add("");
      lines.add("  " + written.getFirst().command() + "    then restart it");
      for (String name : plan.sessions()) {
        lines.add("  logman stop \"" + name + "\" -ets    ends the recording");
      }
      lines.add("  " + undo + "    the next start is not recorded");
    }
    lines.add("");
    notes().forEach(note -> lines.add("- " + note));
    lines.forEach(terminal.out()::println);
  }

  private static void kernel(List<String> lines, BootRequest its) {
    BootSession session = its.session();
    lines.add("key        " + session.kind().key());
    lines.add("recording  " + limited(session.recording(), session.mebibytes()));
    lines.add("kernel     " + String.join("+", its.groups()));
    lines.add(
        "stacks     "
            + (session.stacks().isEmpty()
                ? "none"
                : session.stacks().stream()
                    .map(StackEvent::name)
                    .collect(Collectors.joining("+"))));
  }

  private void providers(List<String> lines, BootProviders its) {
    String names =
        its.providers().stream().map(ProviderRequest::name).collect(Collectors.joining("+"));
    if (plan.kernel().isPresent()) {
      lines.add("providers  %s, to %s".formatted(names, its.recording()));
      return;
    }
    lines.add("key        " + BootProviders.KEY);
    lines.add("recording  " + limited(its.recording(), its.mebibytes()));
    lines.add("providers  " + names);
  }

  private static String limited(String file, int mebibytes) {
    return "%s, at most %s".formatted(file, Numbers.bytes((long) mebibytes << MEBIBYTE_SHIFT));
  }

  private void json() {
    try (Json json = new Json(terminal.out())) {
      json.object().text("schema", "ntrail.record/1").array("sessions");
      plan.kernel().ifPresent(its -> kernel(json, its));
      plan.providers().ifPresent(its -> providers(json, its));
      json.endArray().text("undo", undo).array("written");
      written.forEach(one ->
          json.object()
              .text("path", one.path().toString())
              .number("bytes", one.bytes())
              .endObject());
      json.endArray().array("notes");
      notes().forEach(json::text);
      json.endArray().endObject();
    }
  }

  private static void kernel(Json json, BootRequest its) {
    BootSession session = its.session();
    json.object().text("name", session.kind().session()).text("mode", "boot");
    json.text("file", session.recording()).unknown("buffers").unknown("lost");
    json.unknown("conflict").text("key", session.kind().key());
    json.number("maxBytes", (long) session.mebibytes() << MEBIBYTE_SHIFT);
    json.text("groupMask", HexFormat.of().formatHex(session.groups().toBytes()));
    json.array("groups");
    its.groups().forEach(json::text);
    json.endArray().array("stacks");
    for (StackEvent event : session.stacks()) {
      json.object().text("event", event.name()).text("hookId", Numbers.hex(event.hookId()));
      json.endObject();
    }
    json.endArray().endObject();
  }

  private static void providers(Json json, BootProviders its) {
    json.object().text("name", BootProviders.SESSION).text("mode", "boot");
    json.text("file", its.recording()).unknown("buffers").unknown("lost").unknown("conflict");
    json.text("key", BootProviders.KEY);
    json.number("maxBytes", (long) its.mebibytes() << MEBIBYTE_SHIFT);
    SessionReport.providers(json, its.providers());
    json.endObject();
  }
}
