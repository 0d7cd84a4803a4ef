package io.ntrail.cli.pt;

import io.ntrail.analysis.flow.FlowError;
import io.ntrail.programs.x86.FlowClass;
import org.jspecify.annotations.Nullable;

/**
 * An instruction or a block that was executed, or an error.
 *
 * @param length bytes
 * @param instructions 1, or those of a block
 * @param kind of the instruction, or of the last one of a block; null for an error
 * @param nanos when it is known to have run; -1: unknown
 * @param error null for what was executed
 * @param offset of the packet of an error
 */
record FlowRow(
    long address,
    long length,
    int instructions,
    @Nullable FlowClass kind,
    boolean isSpeculative,
    long nanos,
    @Nullable FlowError error,
    long offset) {
  /** Returns how far it can be trusted: what ran in a transaction may have been undone. */
  String trust() {
    return isSpeculative ? "speculative" : "trace";
  }
}
