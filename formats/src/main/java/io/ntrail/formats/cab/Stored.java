package io.ntrail.formats.cab;

/** Blocks that were not packed. */
final class Stored implements Unpacker {
  Stored() {}

  @Override
  public void unpack(byte[] packed, int length, byte[] out, int size) throws UnreadableBlock {
    if (length != size) {
      throw new UnreadableBlock(
          "a stored block has " + length + " bytes and says that they are " + size);
    }
    System.arraycopy(packed, 0, out, 0, size);
  }
}
