package io.ntrail.analysis.flow;

import io.ntrail.analysis.flow.PendingPackets.Binding;
import io.ntrail.analysis.flow.PendingPackets.Waiting;
import java.util.List;

/**
 * Everything that what comes behind a packet depends on, without the numbers of blocks, which
 * differ from thread to thread: two decoders with equal snapshots go on equally. Taken outside of
 * headers.
 *
 * @param at where the flow is; {@link Place#NOWHERE} if that is not known
 * @param codeSize ordinal of the size of the code
 * @param bits results of branches that are left; the first of them is the highest
 * @param count number of them
 * @param sincePlace instructions since the last place that a trigger counts from
 * @param calls calls that compressed returns may go to, the last one at the end
 * @param oldCalls number of them, from the oldest on, that are older than a stretch not seen
 * @param pending packets that wait
 */
record FlowSnapshot(
    FlowState state,
    Place at,
    int codeSize,
    boolean isSpeculative,
    long bits,
    int count,
    int sincePlace,
    List<Place> calls,
    int oldCalls,
    Pending pending) {
  /**
   * A block, by its address.
   *
   * @param codeSize ordinal of the size of the code
   */
  record Place(long address, int codeSize) {
    static final Place NOWHERE = new Place(0, -1);
  }

  /** Packets that wait for the one that they belong to; 0 where there is none. */
  record Pending(
      boolean hasFup,
      long fup,
      boolean isFupOfMode,
      Binding binding,
      long operand,
      boolean willBeSpeculative,
      int newCodeSize,
      boolean isAborted,
      List<Waiting> held,
      List<Waiting> atTarget,
      List<Waiting> block,
      List<Waiting> queue) {}
}
