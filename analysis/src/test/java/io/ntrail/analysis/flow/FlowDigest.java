package io.ntrail.analysis.flow;

import java.util.ArrayList;
import java.util.List;

/** Everything that a flow tells, as one number and a list of what is not an instruction. */
final class FlowDigest implements FlowSink {
  private static final long PRIME = 0x9E37_79B9_7F4A_7C15L;

  private final List<String> lines = new ArrayList<>();
  private long instructions;
  private long hash;

  private void mix(long value) {
    hash = (hash ^ value) * PRIME;
    hash ^= hash >>> 29;
  }

  @Override
  public void instructions(CodeBlocks blocks, int block, int count, boolean isSpeculative) {
    instructions += count;
    long address = blocks.start(block);
    for (int i = 0; i < count; i++) {
      mix(address);
      address += blocks.length(block, i);
    }
    mix(isSpeculative ? address : ~address);
    mix(blocks.codeSize(block).ordinal());
  }

  private void line(String line) {
    mix(line.hashCode());
    lines.add(line + " after " + instructions);
  }

  @Override
  public void event(FlowEvent event, long address, long value) {
    line(event + " " + Long.toHexString(address) + " " + Long.toHexString(value));
  }

  @Override
  public void error(FlowError error, long offset, long address) {
    line(error + " at " + Long.toHexString(offset) + " " + Long.toHexString(address));
  }

  /** Returns all that was told. */
  String text() {
    return instructions + " " + Long.toHexString(hash) + "\n" + String.join("\n", lines);
  }
}
