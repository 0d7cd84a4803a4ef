package io.ntrail.formats.cab;

import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * MSZIP: each block is {@code CK} and a deflate stream of its own, whose matches reach back into
 * the 32,768 bytes before the block.
 */
final class MsZip implements Unpacker {
  private final Inflater inflater = new Inflater(true);

  /** The last bytes of what was unpacked, up to the end of the array. */
  private final byte[] history = new byte[BLOCK];

  private int known;

  MsZip() {}

  @Override
  public void unpack(byte[] packed, int length, byte[] out, int size) throws DamagedBlock {
    if (length < 2 || packed[0] != 'C' || packed[1] != 'K') {
      throw new DamagedBlock("an MSZIP block does not start with CK");
    }
    inflater.reset();
    if (known > 0) {
      inflater.setDictionary(history, BLOCK - known, known);
    }
    inflater.setInput(packed, 2, length - 2);
    int done = 0;
    try {
      while (done < size) {
        int n = inflater.inflate(out, done, size - done);
        if (n == 0) {
          throw new DamagedBlock(
              "an MSZIP block inflates to " + done + " bytes but claims " + size);
        }
        done += n;
      }
      if (!inflater.finished() && inflater.inflate(new byte[1]) > 0) {
        throw new DamagedBlock(
            "an MSZIP block inflates to more than the " + size + " bytes it claims");
      }
    } catch (DataFormatException e) {
      throw new DamagedBlock("MSZIP: " + e.getMessage());
    }
    keep(out, size);
  }

  private void keep(byte[] out, int size) {
    System.arraycopy(history, size, history, 0, BLOCK - size);
    System.arraycopy(out, 0, history, BLOCK - size, size);
    known = Math.min(BLOCK, known + size);
  }

  @Override
  public void close() {
    inflater.end();
  }
}
