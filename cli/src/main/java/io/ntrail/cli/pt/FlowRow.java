package io.ntrail.cli.pt;

import io.ntrail.analysis.flow.FlowError;
import io.ntrail.analysis.flow.FlowEvent;
import io.ntrail.analysis.flow.TimedFlow.Trust;
import io.ntrail.analysis.flow.calls.FlowFunctions;
import io.ntrail.analysis.flow.recorded.RecordedPiece;
import io.ntrail.programs.x86.FlowClass;
import org.jspecify.annotations.Nullable;

/**
 * An instruction or a block that was executed, an event between two of them, or an error.
 *
 * @param length bytes
 * @param instructions 1, or those of a block
 * @param kind of the instruction, or of the last one of a block; null for what is none
 * @param time when it ran; a block: its first instruction
 * @param error null for what is none
 * @param offset of the packet of an error
 * @param event null for what is none
 * @param value of an event, see there
 * @param source flow that it is of
 */
record FlowRow(
    long address,
    long length,
    int instructions,
    @Nullable FlowClass kind,
    boolean isSpeculative,
    Time time,
    @Nullable FlowError error,
    long offset,
    @Nullable FlowEvent event,
    long value,
    Source source) {
  /**
   * Flow that a row is of.
   *
   * @param functions of its address space
   * @param reasons tells why it is lost
   * @param piece of a recording; null for a stream
   */
  record Source(
      FlowFunctions functions, RecordedPiece.Reasons reasons, @Nullable RecordedPiece piece) {
    /** Returns that of a stream. */
    static Source ofStream(FlowFunctions functions) {
      return new Source(functions, (error, _) -> error.text(), null);
    }

    /** Returns that of a piece of a recording. */
    static Source of(RecordedPiece piece) {
      return new Source(piece.functions(), piece.reasons(), piece);
    }
  }

  /**
   * A time.
   *
   * @param nanos since the first time stamp
   * @param trust how it is known; null: it is not
   */
  record Time(long nanos, @Nullable Trust trust) {
    static final Time UNKNOWN = new Time(0, null);

    /** Returns how it is known, as JSON has it; null: it is not. */
    @Nullable String trustWord() {
      return trust == null ? null : FlowRows.word(trust);
    }
  }

  static FlowRow error(FlowError error, long offset, long address, Time time, Source source) {
    return new FlowRow(address, 0, 0, null, false, time, error, offset, null, 0, source);
  }

  static FlowRow event(FlowEvent event, long address, long value, Time time, Source source) {
    return new FlowRow(address, 0, 0, null, false, time, null, 0, event, value, source);
  }

  static FlowRow executed(
      long address,
      long length,
      int instructions,
      FlowClass kind,
      boolean isSpeculative,
      Time time,
      Source source) {
    return new FlowRow(
        address, length, instructions, kind, isSpeculative, time, null, 0, null, 0, source);
  }

  /** Returns why the flow is lost; empty for what is no error. */
  String why() {
    return error == null ? "" : source.reasons.text(error, address);
  }

  /** Returns how far it can be trusted: what ran in a transaction may have been undone. */
  String trust() {
    return isSpeculative ? "speculative" : "trace";
  }
}
