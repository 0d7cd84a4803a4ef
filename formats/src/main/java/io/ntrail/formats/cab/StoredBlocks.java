package io.ntrail.formats.cab;

/** Blocks that were not packed. */
final class StoredBlocks implements Unpacker {
  StoredBlocks() {}

  @Override
  public void unpack(byte[] packed, int length, byte[] out, int size) throws DamagedBlock {
    if (length != size) {
      throw new DamagedBlock("a stored block has " + length + " bytes but claims " + size);
    }
    System.arraycopy(packed, 0, out, 0, size);
  }
}
