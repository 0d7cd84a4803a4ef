package io.ntrail.cli.pt;

import io.ntrail.analysis.flow.CodeBlocks;
import io.ntrail.analysis.flow.FlowError;
import io.ntrail.analysis.flow.FlowEvent;
import io.ntrail.analysis.flow.FlowSink;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** {@code pt flow --addresses}: 16 digits a line, and nothing else. */
final class AddressList implements FlowSink {
  private static final int DIGITS = 16;
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  private final PrintStream out;
  private byte[] lines = new byte[0];
  private long left;

  /**
   * @param limit addresses at most; 0: all
   */
  AddressList(PrintStream out, long limit) {
    this.out = out;
    this.left = limit == 0 ? Long.MAX_VALUE : limit;
  }

  @Override
  public void instructions(CodeBlocks blocks, int block, int count, boolean isSpeculative) {
    int shown = (int) Math.min(left, count);
    left -= shown;
    int length = shown * (DIGITS + 1);
    if (lines.length < length) {
      lines = new byte[length];
    }
    long address = blocks.start(block);
    int at = 0;
    for (int i = 0; i < shown; i++) {
      for (int shift = Long.SIZE - 4; shift >= 0; shift -= 4) {
        lines[at++] = HEX[(int) (address >>> shift) & 15];
      }
      lines[at++] = '\n';
      address += blocks.length(block, i);
    }
    out.write(lines, 0, length);
  }

  @Override
  public void event(FlowEvent event, long address, long value) {
    // Not an address that was executed.
  }

  @Override
  public void error(FlowError error, long offset, long address) {
    // Told at the end, on the other stream.
  }
}
