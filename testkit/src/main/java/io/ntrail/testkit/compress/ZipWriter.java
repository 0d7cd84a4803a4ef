package io.ntrail.testkit.compress;

import io.ntrail.testkit.LittleEndian;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * Writes zips byte by byte (PKWARE's APPNOTE), so that their headers can say anything: members that
 * share bytes, sizes that are not true, any count.
 */
public final class ZipWriter {
  private static final int DEFLATED = 8;
  private static final int SIZES_FOLLOW = 8;
  private static final int MIB = 1 << 20;

  private record Entry(
      String name, int flags, int method, int crc, long packed, long plain, long at) {}

  private final LittleEndian out = new LittleEndian();
  private final List<Entry> entries = new ArrayList<>();
  private long countAtEnd = -1;

  /** An empty zip. */
  public ZipWriter() {}

  /** A deflated member. */
  public ZipWriter member(String name, byte[] data) {
    return member(name, 0, DEFLATED, deflated(data), data.length, crc(data));
  }

  /** A member that is stored as it is. */
  public ZipWriter stored(String name, byte[] data) {
    return member(name, 0, 0, data, data.length, crc(data));
  }

  /** A deflated member whose sizes and checksum are behind its data. */
  public ZipWriter streamed(String name, byte[] data) {
    byte[] packed = deflated(data);
    long at = local(name, SIZES_FOLLOW, DEFLATED, 0, 0, 0);
    out.bytes(packed).u32(0x0807_4B50).u32(crc(data)).u32(packed.length).u32(data.length);
    entries.add(new Entry(name, SIZES_FOLLOW, DEFLATED, crc(data), packed.length, data.length, at));
    return this;
  }

  /** A member whose headers say anything about its data. */
  public ZipWriter member(String name, int flags, int method, byte[] packed, long plain, int crc) {
    long at = local(name, flags, method, crc, packed.length, plain);
    out.bytes(packed);
    entries.add(new Entry(name, flags, method, crc, packed.length, plain, at));
    return this;
  }

  /** A deflated member of some bytes, and zeros up to a size; it takes a thousandth of that. */
  public ZipWriter padded(String name, byte[] start, long size) {
    CRC32 crc = new CRC32();
    crc.update(start);
    byte[] zeros = new byte[MIB];
    for (long left = size - start.length; left > 0; left -= MIB) {
      crc.update(zeros, 0, (int) Math.min(MIB, left));
    }
    return member(name, 0, DEFLATED, deflated(start, size), size, (int) crc.getValue());
  }

  /** One more name for the data of the last member. */
  public ZipWriter again(String name) {
    Entry last = entries.getLast();
    entries.add(
        new Entry(name, last.flags, last.method, last.crc, last.packed, last.plain, last.at));
    return this;
  }

  /**
   * Two members of which the first one has the local header of the second as a part of its data
   * that is not compressed, and then goes on with the data of the second.
   */
  public ZipWriter quoting(String first, String second, byte[] data) {
    byte[] packed = deflated(data);
    LittleEndian header = new LittleEndian();
    localTo(header, second, 0, DEFLATED, crc(data), packed.length, data.length);
    byte[] quoted = header.toByteArray();
    byte[] plain = new byte[quoted.length + data.length];
    System.arraycopy(quoted, 0, plain, 0, quoted.length);
    System.arraycopy(data, 0, plain, quoted.length, data.length);
    int block = 5;
    long size = block + quoted.length + (long) packed.length;
    long at = local(first, 0, DEFLATED, crc(plain), size, plain.length);
    entries.add(new Entry(first, 0, DEFLATED, crc(plain), size, plain.length, at));
    // A stored block of deflate: not the last one, length, length inverted.
    out.u8(0).u16(quoted.length).u16(~quoted.length & 0xFFFF);
    long inner = out.size();
    out.bytes(quoted).bytes(packed);
    entries.add(new Entry(second, 0, DEFLATED, crc(data), packed.length, data.length, inner));
    return this;
  }

  /** The number of members that the record at the end tells, whatever it is; zip64. */
  public ZipWriter countAtEnd(long count) {
    countAtEnd = count;
    return this;
  }

  /** The members without a directory, as if the end were lost. */
  public byte[] withoutDirectory() {
    return out.toByteArray();
  }

  /** The zip. */
  public byte[] write() {
    LittleEndian zip = new LittleEndian().bytes(out.toByteArray());
    long start = zip.size();
    for (Entry entry : entries) {
      byte[] name = entry.name.getBytes(StandardCharsets.UTF_8);
      boolean large = entry.plain > 0xFFFF_FFFEL;
      zip.u32(0x0201_4B50).u16(20).u16(20).u16(entry.flags).u16(entry.method).u32(0);
      zip.u32(entry.crc).u32(entry.packed).u32(large ? -1 : entry.plain);
      zip.u16(name.length).u16(large ? 12 : 0).u16(0).u16(0).u16(0).u32(0).u32(entry.at);
      zip.bytes(name);
      if (large) {
        zip.u16(1).u16(8).u64(entry.plain);
      }
    }
    long size = zip.size() - start;
    if (countAtEnd >= 0) {
      long end64 = zip.size();
      zip.u32(0x0606_4B50).u64(44).u16(45).u16(45).u32(0).u32(0);
      zip.u64(countAtEnd).u64(countAtEnd).u64(size).u64(start);
      zip.u32(0x0706_4B50).u32(0).u64(end64).u32(1);
    }
    int count = (int) Math.min(0xFFFF, countAtEnd >= 0 ? countAtEnd : entries.size() & 0xFFFF);
    zip.u32(0x0605_4B50).u16(0).u16(0).u16(count).u16(count);
    return zip.u32(size).u32(start).u16(0).toByteArray();
  }

  private long local(String name, int flags, int method, int crc, long packed, long plain) {
    long at = out.size();
    localTo(out, name, flags, method, crc, packed, plain);
    return at;
  }

  private static void localTo(
      LittleEndian out, String name, int flags, int method, int crc, long packed, long plain) {
    byte[] text = name.getBytes(StandardCharsets.UTF_8);
    out.u32(0x0403_4B50).u16(20).u16(flags).u16(method).u32(0).u32(crc);
    out.u32(packed).u32(plain).u16(text.length).u16(0).bytes(text);
  }

  /** The checksum of some bytes. */
  public static int crc(byte[] data) {
    CRC32 crc = new CRC32();
    crc.update(data);
    return (int) crc.getValue();
  }

  /** Some bytes, deflated. */
  public static byte[] deflated(byte[] data) {
    return deflated(data, data.length);
  }

  /** Some bytes and zeros up to a size, deflated; whole MiB of zeros are packed only once. */
  public static byte[] deflated(byte[] start, long size) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    long left = size - start.length;
    deflate(start, Deflater.FULL_FLUSH, packed);
    if (left >= MIB) {
      ByteArrayOutputStream zeros = new ByteArrayOutputStream();
      deflate(new byte[MIB], Deflater.FULL_FLUSH, zeros);
      for (; left >= MIB; left -= MIB) {
        packed.writeBytes(zeros.toByteArray());
      }
    }
    Deflater last = new Deflater(9, true);
    last.setInput(new byte[(int) left]);
    last.finish();
    drain(last, Deflater.NO_FLUSH, packed);
    return packed.toByteArray();
  }

  private static void deflate(byte[] data, int flush, ByteArrayOutputStream packed) {
    Deflater deflater = new Deflater(9, true);
    deflater.setInput(data);
    drain(deflater, flush, packed);
  }

  private static void drain(Deflater deflater, int flush, ByteArrayOutputStream packed) {
    byte[] chunk = new byte[1 << 16];
    for (int n = chunk.length; n == chunk.length; ) {
      n = deflater.deflate(chunk, 0, chunk.length, flush);
      packed.write(chunk, 0, n);
    }
    deflater.end();
  }
}
