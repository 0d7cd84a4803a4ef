package io.ntrail.analysis.flow;

import io.ntrail.programs.x86.FlowClass;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Map of the conditional branches of a flow, as fuzzers have it, and its hash: counts of pairs of
 * address and target, and MurmurHash3 of them. What is counted is told by the README of the shared
 * streams.
 */
final class BranchBitmap implements FlowSink {
  private static final int SIZE = 1 << 16;
  private static final int SEED = 0xAAAA_AAAA;

  private final byte[] map = new byte[SIZE];

  /** Address of a branch whose target comes next. */
  private long from;

  private boolean isBranch;

  private static long mixed(long value) {
    long folded = value ^ value >>> 31;
    return folded * 0x7FB5_D329_728E_A185L;
  }

  private void target(long to) {
    if (isBranch) {
      map[(int) (mixed(to) ^ mixed(from) >>> 1) & SIZE - 1]++;
      isBranch = false;
    }
  }

  @Override
  public void instructions(CodeBlocks blocks, int block, int count, boolean isSpeculative) {
    target(blocks.start(block));
    long address = blocks.start(block);
    for (int i = 0; i < count - 1; i++) {
      address += blocks.length(block, i);
    }
    from = address;
    isBranch = blocks.flowClass(block, count - 1) == FlowClass.CONDITIONAL_BRANCH;
  }

  @Override
  public void event(FlowEvent event, long address, long value) {
    if (event == FlowEvent.INTERRUPTED || event == FlowEvent.DISABLED && address != 0) {
      target(address);
    }
  }

  @Override
  public void error(FlowError error, long offset, long address) {
    isBranch = false;
  }

  /** Returns the first half of the hash. */
  long hash() {
    long c1 = 0x87C3_7B91_1142_53D5L;
    long c2 = 0x4CF5_AD43_2745_937FL;
    long h1 = SEED & 0xFFFF_FFFFL;
    long h2 = SEED & 0xFFFF_FFFFL;
    ByteBuffer words = ByteBuffer.wrap(map).order(ByteOrder.LITTLE_ENDIAN);
    while (words.hasRemaining()) {
      long k1 = Long.rotateLeft(words.getLong() * c1, 31) * c2;
      h1 = (Long.rotateLeft(h1 ^ k1, 27) + h2) * 5 + 0x52DC_E729L;
      long k2 = Long.rotateLeft(words.getLong() * c2, 33) * c1;
      h2 = (Long.rotateLeft(h2 ^ k2, 31) + h1) * 5 + 0x3849_5AB5L;
    }
    h1 ^= SIZE;
    h2 ^= SIZE;
    h1 += h2;
    h2 += h1;
    return finished(h1) + finished(h2);
  }

  private static long finished(long hash) {
    long h = (hash ^ hash >>> 33) * 0xFF51_AFD7_ED55_8CCDL;
    h = (h ^ h >>> 33) * 0xC4CE_B9FE_1A85_EC53L;
    return h ^ h >>> 33;
  }
}
