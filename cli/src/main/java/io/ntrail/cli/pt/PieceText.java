package io.ntrail.cli.pt;

import io.ntrail.analysis.etw.ipt.TracePieces;
import io.ntrail.analysis.etw.ipt.TracePieces.Piece;
import io.ntrail.analysis.flow.recorded.RecordedPiece;
import io.ntrail.analysis.flow.recorded.RecordedTrace;
import io.ntrail.cli.pt.RecordedFlow.Walked;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.etl.RecordCursor;
import java.util.ArrayList;
import java.util.List;

/** Pieces of a recording in words. */
final class PieceText {
  private PieceText() {}

  /** Returns how many pieces there are, and how many of them were followed. */
  static String all(TracePieces pieces, int followed, long bytes) {
    String of = pieces.count() == followed ? "" : " of " + Numbers.count(pieces.count());
    return Numbers.counted(followed, "piece") + of + " of Processor Trace, " + Numbers.bytes(bytes);
  }

  /** Returns the line above the calls of a piece. */
  static String heading(RecordedPiece of, Walked walked) {
    Piece piece = of.piece();
    List<String> parts = new ArrayList<>();
    parts.add("piece " + of.number() + " of CPU " + piece.cpu());
    parts.add(
        (of.process() == null ? "process" : of.process())
            + " ("
            + id(piece.processId())
            + "), thread "
            + id(piece.threadId()));
    parts.add(
        "before "
            + (piece.event() == null ? "an event that is not there" : piece.event())
            + " at "
            + micros(piece.eventNanos())
            + " us");
    parts.add(Numbers.bytes(piece.bytes()) + (piece.isWrapped() ? " (ring wrapped)" : ""));
    parts.add(Numbers.counted(walked.instructions(), "instruction"));
    if (!piece.isSynchronised()) {
      parts.add("no PSB: nothing can be decoded");
    } else if (walked.undecoded() > 0) {
      parts.add(Numbers.bytes(walked.undecoded()) + " before the first PSB");
    }
    if (!walked.knowsTime()) {
      parts.add("no times");
    }
    return String.join(", ", parts);
  }

  static String micros(long nanos) {
    return Numbers.count(nanos / 1000) + ".%03d".formatted(Math.abs(nanos % 1000));
  }

  static String id(int id) {
    return id == RecordCursor.NO_ID ? "unknown" : Integer.toUnsignedString(id);
  }

  /** Returns what cannot be told of pieces, and how far their times can be trusted. */
  static List<String> remarks(RecordedTrace trace, RecordedFlow flow) {
    List<String> remarks = new ArrayList<>();
    TracePieces pieces = trace.pieces();
    long unsynchronised = 0;
    long wrapped = 0;
    long untimed = 0;
    for (Walked walked : flow.walked()) {
      Piece piece = pieces.piece(walked.number());
      unsynchronised += piece.isSynchronised() ? 0 : 1;
      wrapped += piece.isWrapped() ? 1 : 0;
      untimed += piece.isSynchronised() && !walked.knowsTime() ? 1 : 0;
    }
    if (unsynchronised > 0) {
      remarks.add(
          Numbers.counted(unsynchronised, "piece") + " without PSB: nothing of them is decoded");
    }
    if (wrapped > 0) {
      remarks.add(
          Numbers.counted(wrapped, "piece")
              + " with a wrapped ring: what ran before them was overwritten");
    }
    if (untimed > 0 && flow.isTimed()) {
      remarks.add(
          Numbers.counted(untimed, "piece")
              + " without times: only that it ran before the event is known");
    }
    if (flow.isTimed()
        && !trace.isTimeStampCounter()
        && untimed + unsynchronised < flow.walked().size()) {
      remarks.add(
          "times are interpolated: the last time that a piece tells is taken for that of its event");
    }
    if (flow.lostTimes() > 0) {
      remarks.add(
          "between time stamps the time stands still: --clock does not tell how to use "
              + Numbers.counted(flow.lostTimes(), "packet")
              + " of time");
    }
    if (pieces.leftOut() > 0) {
      remarks.add(
          Numbers.counted(pieces.leftOut(), "piece") + " more than the memory limit allows");
    }
    return remarks;
  }
}
