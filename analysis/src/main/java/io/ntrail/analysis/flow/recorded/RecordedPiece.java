package io.ntrail.analysis.flow.recorded;

import io.ntrail.analysis.etw.ipt.TracePieces.Piece;
import io.ntrail.analysis.flow.FlowError;
import io.ntrail.analysis.flow.FlowTimes;
import io.ntrail.analysis.flow.calls.FlowFunctions;
import org.jspecify.annotations.Nullable;

/**
 * A piece whose flow is handed on.
 *
 * @param number of it in the recording, by time, from 0
 * @param piece facts about it
 * @param process name of its process; null if not recorded
 * @param functions those of its address space
 * @param times of what is handed on, on the clock of the recording
 * @param reasons tells why the flow is lost
 */
public record RecordedPiece(
    int number,
    Piece piece,
    @Nullable String process,
    FlowFunctions functions,
    FlowTimes times,
    Reasons reasons) {
  /** Tells why a flow is lost. */
  public interface Reasons {
    /**
     * Returns the reason in words: for missing code with the image or method that it is of.
     *
     * @param address of the next instruction; 0 if it is not known
     */
    String text(FlowError error, long address);
  }
}
