package io.ntrail.testkit.calls;

import io.ntrail.testkit.LittleEndian;
import java.nio.charset.StandardCharsets;
import java.util.UUID;

/** Writes call recordings of NTrace, chunk after chunk, as its driver did. */
public final class JtrcWriter {
  private static final int BORDER = 0x40000;

  private final LittleEndian out = new LittleEndian(1 << 16);

  /** A file with time stamps of the processor and records of 32-bit code. */
  public JtrcWriter() {
    this(5);
  }

  /** A file with these characteristics. */
  public JtrcWriter(int characteristics) {
    out.u32(0x4352544A).u16(0x1000).u16(characteristics).u64(0);
  }

  /** An image in the form of before May 2008: no debug data, a directory of one entry. */
  public JtrcWriter oldImage(long base, long size, String path) {
    byte[] name = path.getBytes(StandardCharsets.ISO_8859_1);
    int directory = 26 + name.length + 4;
    int bytes = directory + 28 + 15 & ~15;
    room(bytes);
    int start = out.size();
    out.u16(1).u16(0).u32(bytes).u64(base).u32(size).u16(directory).u16(28).u16(name.length);
    out.bytes(name).zeros(4).u32(0).u32(0x45D6A075).u32(0).u32(2).u32(0x22).u32(0x4D6C0).u32(9);
    out.zeros(start + bytes - out.size());
    return this;
  }

  /** An image in the later form, with the id of its PDB. */
  public JtrcWriter image(long base, long size, String path, UUID pdb, int age, String pdbName) {
    byte[] name = path.getBytes(StandardCharsets.ISO_8859_1);
    int directory = 28 + name.length + 15 & ~15;
    int data = 24 + pdbName.length() + 1;
    int bytes = directory + 28 + data + 15 & ~15;
    room(bytes);
    int start = out.size();
    out.u16(1).u16(0).u32(bytes).u64(base).u32(size).u16(directory).u16(28).u16(28 + data);
    out.u16(name.length).bytes(name).fill(start + directory - out.size(), 0xFB);
    out.u32(0).u32(0x45D6A04B).u32(0).u32(2).u32(data).u32(0).u32(28);
    out.u32(0x53445352).guid(pdb).u32(age).utf8z(pdbName);
    out.zeros(start + bytes - out.size());
    return this;
  }

  /**
   * A buffer of a thread.
   *
   * @param records four numbers each: 0 entry, 1 exit or 2 unwind; the time; the routine; the value
   */
  public JtrcWriter trace(int pid, int tid, long[]... records) {
    int bytes = 16 + 16 * records.length;
    room(bytes);
    out.u16(2).u16(0).u32(bytes).u32(pid).u32(tid);
    for (long[] record : records) {
      // Bits 2 and 3 are what checked builds leave there.
      out.u64(record[1] << 4 | 0xC | record[0]).u32(record[2]).u32(record[3]);
    }
    return this;
  }

  /** Any bytes in the place of a chunk. */
  public JtrcWriter raw(byte[] bytes) {
    out.bytes(bytes);
    return this;
  }

  /** Fills up to the border of the segment if so many bytes do not fit before it. */
  private void room(int bytes) {
    int left = BORDER - out.size() % BORDER;
    if (bytes > left) {
      out.u16(0).u16(0).u32(left).fill(left - 8, 0xEE);
    }
  }

  /** Bytes written so far. */
  public int size() {
    return out.size();
  }

  /** The file. */
  public byte[] toByteArray() {
    return out.toByteArray();
  }
}
