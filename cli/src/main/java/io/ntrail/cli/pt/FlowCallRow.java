package io.ntrail.cli.pt;

import io.ntrail.analysis.flow.FlowError;
import io.ntrail.analysis.flow.calls.FlowCallSink.Entry;
import io.ntrail.analysis.flow.recorded.RecordedPiece;
import org.jspecify.annotations.Nullable;

/**
 * A call of a flow, or a place where something of the flow is missing.
 *
 * @param depth calls around it
 * @param function its name; empty for what is no call
 * @param entry null for what is no call
 * @param into bytes from the start of the function to where it was found running; 0: at its start
 * @param time when it began
 * @param instructions its own, without those of calls inside
 * @param end how it ended
 * @param error why the flow is lost; null for calls and for overflows
 * @param why the same in words, with what code is missing; empty for calls and for overflows
 * @param piece of a recording that it is in; null for a stream
 */
record FlowCallRow(
    int depth,
    String function,
    @Nullable Entry entry,
    long into,
    FlowRow.Time time,
    long instructions,
    End end,
    @Nullable FlowError error,
    long offset,
    String why,
    @Nullable RecordedPiece piece) {
  /** Ways in which calls end. */
  enum End {
    RETURN,
    /** It must have ended. */
    INFERRED,
    /** It was running when the flow ended. */
    OPEN
  }

  /** Returns what happened, as JSON has it. */
  String kind() {
    return entry != null ? FlowRows.word(entry) : error != null ? "lost" : "overflow";
  }

  /** Returns the row in words. */
  String text() {
    if (error != null) {
      return "LOST at offset 0x%x: %s".formatted(offset, why);
    }
    if (entry == null) {
      return "OVERFLOW";
    }
    String where = into == 0 ? function : function + " + 0x" + Long.toHexString(into);
    return switch (entry) {
      case CALL -> where;
      case TAIL -> where + " (by a jump)";
      case INTERRUPT -> where + " (interrupt)";
      case FOUND -> depth == 0 ? where : "(resynchronised) " + where;
    };
  }
}
