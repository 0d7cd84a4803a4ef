package io.ntrail.cli.pt;

import io.ntrail.analysis.flow.FlowError;
import io.ntrail.analysis.flow.FlowEvent;
import io.ntrail.programs.x86.FlowClass;
import org.jspecify.annotations.Nullable;

/**
 * An instruction or a block that was executed, an event between two of them, or an error.
 *
 * @param length bytes
 * @param instructions 1, or those of a block
 * @param kind of the instruction, or of the last one of a block; null for what is none
 * @param nanos when it is known to have run; -1: unknown
 * @param error null for what is none
 * @param offset of the packet of an error
 * @param event null for what is none
 * @param value of an event, see there
 */
record FlowRow(
    long address,
    long length,
    int instructions,
    @Nullable FlowClass kind,
    boolean isSpeculative,
    long nanos,
    @Nullable FlowError error,
    long offset,
    @Nullable FlowEvent event,
    long value) {
  static FlowRow error(FlowError error, long offset, long address, long nanos) {
    return new FlowRow(address, 0, 0, null, false, nanos, error, offset, null, 0);
  }

  static FlowRow event(FlowEvent event, long address, long value, long nanos) {
    return new FlowRow(address, 0, 0, null, false, nanos, null, 0, event, value);
  }

  static FlowRow executed(
      long address,
      long length,
      int instructions,
      FlowClass kind,
      boolean isSpeculative,
      long nanos) {
    return new FlowRow(address, length, instructions, kind, isSpeculative, nanos, null, 0, null, 0);
  }

  /** Returns how far it can be trusted: what ran in a transaction may have been undone. */
  String trust() {
    return isSpeculative ? "speculative" : "trace";
  }
}
