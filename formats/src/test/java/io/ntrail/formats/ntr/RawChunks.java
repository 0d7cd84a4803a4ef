package io.ntrail.formats.ntr;

import io.ntrail.testkit.LittleEndian;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;

/** Chunks made and mended by hand, with right checksums. */
final class RawChunks {
  static final long ID = 0x1234_5678L;

  private RawChunks() {}

  /** A chunk with right checksums. */
  static byte[] chunk(int kind, int flags, long number, byte[] payload) {
    LittleEndian out = new LittleEndian();
    out.u32(0x6352_544EL).u16(kind).u16(flags).u32(payload.length).u32(0).u64(number).u32(ID);
    out.u32(0).bytes(payload).align(8);
    return mended(out.toByteArray());
  }

  /** The payload of a recording chunk. */
  static byte[] recording(int major, int flags) {
    return new LittleEndian()
        .u16(major)
        .u16(7)
        .u32(flags)
        .u64(1000)
        .u64(0)
        .u64(0)
        .u16(0x14C)
        .u16(4)
        .u32(2)
        .u8(1)
        .u8('x')
        .toByteArray();
  }

  /**
   * Returns the chunk with valid checksums: that of an event head, of the payload, of the header.
   */
  static byte[] mended(byte[] chunk) {
    byte[] out = chunk.clone();
    if (LittleEndian.getU16(out, 4) == NtrLayout.EVENTS
        && out.length >= NtrLayout.CHUNK_HEADER + NtrLayout.EVENT_HEAD) {
      put(out, 32 + NtrLayout.HEAD_CHECKSUM, 32, 32 + NtrLayout.HEAD_CHECKSUM);
    }
    put(out, 12, 32, out.length);
    put(out, 28, 0, 28);
    return out;
  }

  private static void put(byte[] out, int at, int from, int to) {
    CRC32C crc = new CRC32C();
    crc.update(out, from, to - from);
    LittleEndian.putU32(out, at, crc.getValue());
  }

  /** Returns the offsets of the chunks of an intact file, and its length. */
  static List<Integer> offsets(byte[] file) {
    List<Integer> offsets = new ArrayList<>();
    int at = 0;
    while (at < file.length) {
      offsets.add(at);
      at += (int) NtrLayout.chunkSize((int) LittleEndian.getU32(file, at + 8));
    }
    offsets.add(at);
    return offsets;
  }

  /** The chunks of an intact file. */
  static List<byte[]> split(byte[] file) {
    List<Integer> offsets = offsets(file);
    List<byte[]> chunks = new ArrayList<>();
    for (int i = 0; i + 1 < offsets.size(); i++) {
      chunks.add(Arrays.copyOfRange(file, offsets.get(i), offsets.get(i + 1)));
    }
    return chunks;
  }

  /** One array of several. */
  static byte[] join(List<byte[]> parts) {
    LittleEndian out = new LittleEndian();
    parts.forEach(out::bytes);
    return out.toByteArray();
  }
}
