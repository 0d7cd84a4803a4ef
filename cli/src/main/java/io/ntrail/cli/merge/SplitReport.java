package io.ntrail.cli.merge;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.merge.RecordingMerge.Written;
import io.ntrail.analysis.merge.RecordingSplit.Part;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import java.nio.file.Path;
import java.util.List;

/**
 * Report about a recording that was split into several.
 *
 * @param recording the whole
 * @param place that was asked for
 * @param files in time order
 */
record SplitReport(EtwRecording recording, Path place, List<Piece> files, Terminal terminal) {
  /** One of the files. */
  record Piece(Path place, Part part, Written written) {}

  SplitReport {
    files = List.copyOf(files);
  }

  void print(Format format) {
    if (format == Format.JSON) {
      json();
    } else {
      text();
    }
  }

  private void text() {
    for (Piece piece : files) {
      terminal
          .out()
          .println(
              "%s: %s, %s records in %s, %s"
                  .formatted(
                      piece.place,
                      time(piece.part),
                      Numbers.count(piece.written.records()),
                      Numbers.counted(piece.written.buffers(), "buffer"),
                      Numbers.bytes(piece.written.bytes())));
    }
    terminal.out().println(Losses.state(recording));
  }

  private static String time(Part part) {
    String from = part.fromNanos() == Long.MIN_VALUE ? "" : Numbers.seconds(part.fromNanos()) + " ";
    String to = part.toNanos() == Long.MAX_VALUE ? "" : " " + Numbers.seconds(part.toNanos());
    return from + ".." + to + " s";
  }

  private void json() {
    try (Json json = new Json(terminal.out())) {
      json.object().text("schema", "ntrail.write/1").array("inputs");
      recording
          .files()
          .forEach(one ->
              json.object().text("path", one.name()).number("bytes", one.size()).endObject());
      json.endArray();
      json.object("output").text("path", place.toString());
      json.number("bytes", files.stream().mapToLong(one -> one.written.bytes()).sum());
      json.number("records", files.stream().mapToLong(one -> one.written.records()).sum());
      json.number("buffers", files.stream().mapToLong(one -> one.written.buffers()).sum());
      json.endObject().array("parts");
      for (Piece piece : files) {
        json.object().text("path", piece.place.toString());
        json.number("bytes", piece.written.bytes()).number("records", piece.written.records());
        json.number("buffers", piece.written.buffers());
        time(json, "fromNanos", piece.part.fromNanos(), Long.MIN_VALUE);
        time(json, "toNanos", piece.part.toNanos(), Long.MAX_VALUE);
        json.endObject();
      }
      // Each record that was selected is in one of them.
      long filter = files.stream().mapToLong(one -> one.written.left().filter()).sum();
      long samples = files.stream().mapToLong(one -> one.written.left().samples()).sum();
      json.endArray().object("left").number("records", filter + samples).object("byReason");
      if (filter > 0) {
        json.number("filter", filter);
      }
      if (samples > 0) {
        json.number("samples", samples);
      }
      json.endObject().endObject().object("added").number("images", 0).number("volumes", 0);
      json.number("descriptions", 0).endObject().array("missing").endArray();
      Losses.json(json, recording).gaps(recording.gaps()).endObject();
    }
  }

  private static void time(Json json, String name, long nanos, long unknown) {
    if (nanos == unknown) {
      json.unknown(name);
    } else {
      json.number(name, nanos);
    }
  }
}
