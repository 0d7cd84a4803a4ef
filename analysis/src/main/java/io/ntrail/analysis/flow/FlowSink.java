package io.ntrail.analysis.flow;

/** Receives the flow in the order in which it happened. */
public interface FlowSink {
  /**
   * Takes instructions that were executed.
   *
   * @param blocks the code
   * @param block number of the block they begin
   * @param count instructions from the start of the block on, from 1
   * @param isSpeculative whether they ran in a transaction, which may have been aborted
   */
  void instructions(CodeBlocks blocks, int block, int count, boolean isSpeculative);

  /**
   * Takes an event.
   *
   * @param address see the event
   * @param value see the event; 0 for those that say nothing of it
   */
  void event(FlowEvent event, long address, long value);

  /**
   * Takes an error: the flow ends here, and goes on somewhere else.
   *
   * @param offset of the packet in the stream
   * @param address of the next instruction; 0 if it is not known
   */
  void error(FlowError error, long offset, long address);
}
