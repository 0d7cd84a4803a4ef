package io.ntrail.formats.pdb;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.pdb.msf.MsfStream;

/**
 * A copy of {@code .xdata} or {@code .pdata} of the image, so that stacks can be unwound without it
 * (DbgRvaVaBlob of pdb.h): a header of {@code u32 version}, {@code u32 size of the header}, {@code
 * u32 size of the data}, {@code u32 RVA}, {@code u64 image base}, and the data.
 *
 * @param imageBase the address that the image prefers
 * @param rva where the data are mapped
 * @param data the bytes as the image has them
 */
public record UnwindDataCopy(long imageBase, long rva, Bytes data) {
  private static final int HEADER = 32;

  /**
   * Reads one.
   *
   * @throws DamagedInput if the data are not there
   */
  static UnwindDataCopy read(MsfStream stream) {
    Bytes header = stream.window(0, HEADER);
    long size = header.u32(8);
    if (!stream.has(header.u32(4), size) || size > Integer.MAX_VALUE) {
      throw new DamagedInput(
          stream.name(), stream.fileOffset(8), "a copy of " + size + " bytes of the image");
    }
    return new UnwindDataCopy(
        header.i64(16), header.u32(12), stream.window(header.u32(4), (int) size));
  }
}
