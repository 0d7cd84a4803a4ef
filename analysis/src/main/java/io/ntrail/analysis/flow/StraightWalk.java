package io.ntrail.analysis.flow;

/** A look at the code behind a place, without a traced branch and without executing anything. */
final class StraightWalk {
  /** Instructions between the target of a branch and the abort of a transaction. */
  private static final int NEAR = 256;

  private StraightWalk() {}

  /** Returns true if an address is reached soon from the start of a block. */
  static boolean reaches(CodeBlocks blocks, int from, long address) {
    int block = from;
    int left = NEAR;
    while (left > 0) {
      int before = blocks.before(block, address);
      if (before == 0 || before > 0 && before < blocks.count(block)) {
        return true;
      }
      switch (blocks.kind(block)) {
        case BlockKind.NEXT, BlockKind.MOV_CR3, BlockKind.PTWRITE, BlockKind.VMPTRLD -> {
          left -= blocks.count(block);
          block = blocks.next(block);
        }
        case BlockKind.JUMP, BlockKind.CALL -> {
          left -= blocks.count(block);
          block = blocks.taken(block);
        }
        default -> {
          return false;
        }
      }
    }
    return false;
  }
}
