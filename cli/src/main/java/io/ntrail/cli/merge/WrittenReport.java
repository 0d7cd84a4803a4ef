package io.ntrail.cli.merge;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.merge.Additions;
import io.ntrail.analysis.merge.RecordingMerge.Written;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.OutputFile;
import io.ntrail.formats.etl.LogFileHeader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Report about a recording that was made of others.
 *
 * @param recording the files that it was made of
 * @param file that was written
 * @param bytes of that file
 * @param more knowledge that was added
 * @param keys adds keys to the report in JSON
 */
record WrittenReport(
    EtwRecording recording,
    OutputFile file,
    Written written,
    long bytes,
    Additions more,
    Terminal terminal,
    Consumer<Json> keys) {
  void print(Format format) {
    if (format == Format.JSON) {
      json();
    } else {
      text();
    }
    long lost =
        Math.max(recording.losses().records().orElse(0), recording.losses().buffers().orElse(0));
    if (lost > LogFileHeader.MOST_LOST) {
      terminal.out().flush();
      terminal
          .err()
          .println(
              "warning: %s: the header counts no more than %s lost events or buffers, of %s"
                  .formatted(
                      file.place(), Numbers.count(LogFileHeader.MOST_LOST), Numbers.count(lost)));
    }
  }

  /** Returns how many records were left out, by reason. */
  private Map<String, Long> reasons() {
    Map<String, Long> reasons = new LinkedHashMap<>();
    reasons.put("headersOfFurtherFiles", written.headerRecords());
    reasons.put("time", written.left().time());
    reasons.put("filter", written.left().filter());
    reasons.put("samples", written.left().samples());
    return reasons;
  }

  private void text() {
    terminal
        .out()
        .println(
            "%s: %s records of %s in %s, %s"
                .formatted(
                    file.place(),
                    Numbers.count(written.records()),
                    Numbers.counted(recording.files().size(), "file"),
                    Numbers.counted(written.buffers(), "buffer"),
                    Numbers.bytes(bytes)));
    if (written.left().all() > 0) {
      terminal.out().println("left out " + leftOut());
    }
    terminal.out().println(Losses.state(recording));
    AddedText.lines(more).forEach(terminal.out()::println);
  }

  private String leftOut() {
    List<String> parts = new ArrayList<>();
    add(parts, written.left().time(), "outside of the time range");
    add(parts, written.left().filter(), "not selected");
    add(parts, written.left().samples(), "of samples");
    return Numbers.counted(written.left().all(), "record")
        + ": "
        + String.join(", ", parts)
        + "; kept: what is needed to understand the rest";
  }

  private static void add(List<String> parts, long records, String why) {
    if (records > 0) {
      parts.add(Numbers.count(records) + " " + why);
    }
  }

  private void json() {
    try (Json json = new Json(terminal.out())) {
      json.object().text("schema", "ntrail.write/1");
      json.array("inputs");
      recording
          .files()
          .forEach(one ->
              json.object().text("path", one.name()).number("bytes", one.size()).endObject());
      json.endArray();
      json.object("output").text("path", file.place().toString());
      json.number("bytes", bytes).number("records", written.records());
      json.number("buffers", written.buffers()).endObject();
      json.object("left")
          .number("records", written.headerRecords() + written.left().all())
          .object("byReason");
      reasons()
          .forEach((reason, records) -> {
            if (records > 0) {
              json.number(reason, records);
            }
          });
      json.endObject().endObject();
      json.object("added").number("images", more.images());
      json.number("volumes", more.system().volumes());
      json.number("systemPaths", more.system().paths());
      json.number("builds", more.system().builds());
      json.number("descriptions", more.descriptions()).number("pdbs", more.pdbs());
      json.endObject();
      json.array("missing");
      for (Additions.Missing one : more.missing()) {
        json.object().text("what", one.what()).text("name", one.name());
        json.text("why", one.why()).endObject();
      }
      json.endArray();
      Losses.json(json, recording);
      keys.accept(json);
      json.gaps(written.gaps()).endObject();
    }
  }
}
