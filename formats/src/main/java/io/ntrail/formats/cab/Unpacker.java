package io.ntrail.formats.cab;

/**
 * Decompressor of the blocks of one folder, in turn; each block depends on the state left by the
 * previous one.
 */
sealed interface Unpacker extends AutoCloseable permits StoredBlocks, MsZip, Lzx {
  /** Largest size of a block, uncompressed. */
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

  /** Frees what the garbage collector does not. */
  @Override
  default void close() {}
}
