package io.ntrail.formats.cab;

/** Unpacks the blocks of one folder in turn; what a block leaves behind is used by the next. */
sealed interface Unpacker extends AutoCloseable permits StoredBlocks, MsZip, Lzx {
  /** What a block holds at most when it is unpacked. */
  int BLOCK = 32_768;

  /**
   * Unpacks the next block.
   *
   * @param packed the packed bytes, from index 0 on
   * @param length how many they are
   * @param out receives the block from index 0 on
   * @param size how many bytes the block must give, at most {@link #BLOCK}
   */
  void unpack(byte[] packed, int length, byte[] out, int size) throws DamagedBlock;

  /** Gives back what is no garbage of Java's. */
  @Override
  default void close() {}
}
