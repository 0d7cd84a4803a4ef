package io.ntrail.cli.merge;

import io.ntrail.analysis.calls.CallRecording;
import io.ntrail.analysis.merge.calls.CallsCut;
import io.ntrail.cli.calls.CallInfo;
import io.ntrail.cli.calls.CallsScope;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.Omissions;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.OutputFile;
import java.util.ArrayList;
import java.util.List;

/**
 * Report about a smaller recording of calls.
 *
 * @param scope of the whole one
 * @param file that was written
 */
record CallsCutReport(CallsScope scope, OutputFile file, CallsCut.Written written) {
  void print(Format format) {
    if (format == Format.JSON) {
      json();
    } else {
      text();
    }
  }

  private long left() {
    return written.outsideTime() + written.ofOtherThreads() + written.ofOtherFunctions();
  }

  private void text() {
    Terminal terminal = scope.terminal();
    terminal
        .out()
        .println(
            "%s: %s of %s records, %s"
                .formatted(
                    file.place(),
                    Numbers.count(written.records()),
                    Numbers.count(written.read()),
                    Numbers.bytes(written.bytes())));
    List<String> parts = new ArrayList<>();
    add(parts, written.outsideTime(), "outside of the time range");
    add(parts, written.ofOtherThreads(), "of other threads");
    add(parts, written.ofOtherFunctions(), "outside of calls of other functions");
    if (!parts.isEmpty()) {
      terminal
          .out()
          .println(
              "left out %s: %s; kept: the calls around the rest, and their ends"
                  .formatted(Numbers.counted(left(), "record"), String.join(", ", parts)));
    }
    if (written.wholeThreads() > 0) {
      terminal
          .out()
          .println(
              Numbers.counted(written.wholeThreads(), "thread")
                  + " with too many open calls copied whole");
    }
    terminal.out().println(Losses.state(scope.recording()));
  }

  private static void add(List<String> parts, long records, String why) {
    if (records > 0) {
      parts.add(Numbers.count(records) + " " + why);
    }
  }

  private void json() {
    CallRecording recording = scope.recording();
    try (Json json = new Json(scope.terminal().out())) {
      json.object().text("schema", "ntrail.write/1").array("inputs");
      json.object().text("path", recording.source().name()).number("bytes", recording.size());
      json.endObject().endArray();
      json.object("output").text("path", file.place().toString());
      json.number("bytes", written.bytes()).number("records", written.records());
      json.unknown("buffers").endObject();
      json.object("left").number("records", left()).object("byReason");
      number(json, "time", written.outsideTime());
      number(json, "thread", written.ofOtherThreads());
      number(json, "function", written.ofOtherFunctions());
      json.endObject().endObject();
      json.object("added").number("images", 0).number("volumes", 0);
      json.number("descriptions", 0).endObject();
      json.array("missing").endArray();
      CallInfo.lost(json, recording.source());
      Omissions.json(json, recording.omissions());
      json.gaps(written.gaps()).endObject();
    }
  }

  private static void number(Json json, String reason, long records) {
    if (records > 0) {
      json.number(reason, records);
    }
  }
}
