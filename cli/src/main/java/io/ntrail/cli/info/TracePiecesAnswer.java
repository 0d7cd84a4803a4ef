package io.ntrail.cli.info;

import io.ntrail.analysis.etw.ipt.TracePieces;
import io.ntrail.analysis.etw.ipt.TracePieces.Piece;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.etl.RecordCursor;
import java.util.ArrayList;
import java.util.List;

/** Pieces of Processor Trace in the answer of {@code ntrail info} about a recording with some. */
final class TracePiecesAnswer {
  private TracePiecesAnswer() {}

  /** Returns how many there are, and what is missing in how many. */
  static String text(TracePieces pieces) {
    List<String> parts = new ArrayList<>();
    parts.add(
        Numbers.counted(pieces.count(), "piece")
            + " of Processor Trace, "
            + Numbers.bytes(pieces.bytes()));
    add(parts, pieces.wrapped(), "wrapped");
    add(parts, pieces.unsynchronised(), "not synchronised (without PSB)");
    add(parts, pieces.untimed(), "without timing");
    add(parts, pieces.unpaired(), "without the event before it");
    add(parts, pieces.odd(), "with options that are not known");
    if (pieces.leftOut() > 0) {
      parts.add(
          Numbers.count(pieces.leftOut())
              + " more than the memory limit allows, of which no event was looked for");
    }
    return String.join(", ", parts);
  }

  private static void add(List<String> parts, long count, String what) {
    if (count > 0) {
      parts.add(Numbers.count(count) + " " + what);
    }
  }

  static void json(Json json, TracePieces pieces) {
    json.array("pieces");
    pieces.forEach(piece -> piece(json, piece));
    json.endArray().number("piecesLeftOut", pieces.leftOut());
  }

  private static void piece(Json json, Piece piece) {
    json.object().number("timeNanos", piece.timeNanos()).number("cpu", piece.cpu());
    id(json, "pid", piece.processId());
    id(json, "tid", piece.threadId());
    json.number("bytes", piece.bytes())
        .bool("wrapped", piece.isWrapped())
        .bool("synchronised", piece.isSynchronised())
        .text("timing", piece.timing().word())
        .number("eventNanos", piece.eventNanos())
        .text("event", piece.event())
        .text("options", Numbers.hex(piece.options().word()))
        .text("optionsText", piece.options().text())
        .endObject();
  }

  private static void id(Json json, String key, int id) {
    if (id == RecordCursor.NO_ID) {
      json.unknown(key);
    } else {
      json.number(key, Integer.toUnsignedLong(id));
    }
  }
}
