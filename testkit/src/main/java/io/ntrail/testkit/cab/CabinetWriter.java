package io.ntrail.testkit.cab;

import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.compress.LzxEncoder;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.Deflater;

/** Writes one cabinet: folders of packed blocks, and files in them. */
public final class CabinetWriter {
  /** CFFOLDER.typeCompress of data that are stored. */
  public static final int STORED = 0;

  /** CFFOLDER.typeCompress of MSZIP. */
  public static final int MSZIP = 1;

  /** CFFOLDER.typeCompress of Quantum. */
  public static final int QUANTUM = 2;

  /** Attribute of a file whose name is UTF-8. */
  public static final int NAME_IS_UTF8 = 0x80;

  private static final int FRAME = 32_768;

  private record Folder(int type, List<Block> blocks) {}

  /** A block of data. */
  public static final class Block {
    private final byte[] packed;
    private final int size;

    /**
     * A block.
     *
     * @param packed as it is in the cabinet
     * @param size how many bytes it says that it unpacks to
     */
    public Block(byte[] packed, int size) {
      this.packed = packed.clone();
      this.size = size;
    }
  }

  private record Entry(
      String name, long size, long offset, int folder, int attributes, int date, int time) {}

  private final List<Folder> folders = new ArrayList<>();
  private final List<Entry> files = new ArrayList<>();
  private boolean checksums = true;
  private int index;
  private String previous = "";
  private String next = "";

  /** An empty cabinet. */
  public CabinetWriter() {}

  /** Leaves the checksums zero, which says that there are none. */
  public CabinetWriter withoutChecksums() {
    checksums = false;
    return this;
  }

  /** Makes it one of a set. */
  public CabinetWriter inSet(int number, String nameBefore, String nameAfter) {
    index = number;
    previous = nameBefore;
    next = nameAfter;
    return this;
  }

  /** A folder of any blocks. */
  public CabinetWriter folder(int type, List<Block> blocks) {
    folders.add(new Folder(type, List.copyOf(blocks)));
    return this;
  }

  /** A folder whose data are stored. */
  public CabinetWriter stored(byte[] data) {
    return folder(STORED, framed(cut(data, FRAME), data.length));
  }

  /** A folder packed with MSZIP. */
  public CabinetWriter msZip(byte[] data) {
    return msZip(data, FRAME);
  }

  /** A folder packed with MSZIP, in blocks of another size than most writers choose. */
  public CabinetWriter msZip(byte[] data, int blockSize) {
    List<Block> blocks = new ArrayList<>();
    int at = 0;
    for (byte[] plain : cut(data, blockSize)) {
      Deflater deflater = new Deflater(9, true);
      if (at > 0) {
        int known = Math.min(at, FRAME);
        deflater.setDictionary(data, at - known, known);
      }
      deflater.setInput(plain);
      deflater.finish();
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      out.write('C');
      out.write('K');
      byte[] chunk = new byte[4096];
      while (!deflater.finished()) {
        out.write(chunk, 0, deflater.deflate(chunk));
      }
      deflater.end();
      blocks.add(new Block(out.toByteArray(), plain.length));
      at += plain.length;
    }
    return folder(MSZIP, blocks);
  }

  /** A folder packed with LZX. */
  public CabinetWriter lzx(
      byte[] data, int windowBits, int translation, List<LzxEncoder.Block> blocks) {
    return folder(
        lzxType(windowBits),
        framed(LzxEncoder.compress(data, windowBits, translation, blocks), data.length));
  }

  /** CFFOLDER.typeCompress of LZX. */
  public static int lzxType(int windowBits) {
    return 3 | windowBits << 8;
  }

  private static List<byte[]> cut(byte[] data, int size) {
    List<byte[]> pieces = new ArrayList<>();
    for (int at = 0; at < data.length; at += size) {
      pieces.add(Arrays.copyOfRange(data, at, Math.min(data.length, at + size)));
    }
    return pieces;
  }

  private static List<Block> framed(List<byte[]> packed, int size) {
    List<Block> blocks = new ArrayList<>();
    for (byte[] block : packed) {
      blocks.add(new Block(block, Math.min(FRAME, size - blocks.size() * FRAME)));
    }
    return blocks;
  }

  /** A file in the last folder, of 6 May 2011, 7:08:10. */
  public CabinetWriter file(String name, long offset, long size) {
    return file(name, offset, size, folders.size() - 1, 0x20);
  }

  /** A file. */
  public CabinetWriter file(String name, long offset, long size, int folder, int attributes) {
    int date = (2011 - 1980) << 9 | 5 << 5 | 6;
    int time = 7 << 11 | 8 << 5 | 10 / 2;
    files.add(new Entry(name, size, offset, folder, attributes, date, time));
    return this;
  }

  /** The cabinet. */
  public byte[] write() {
    LittleEndian out = new LittleEndian();
    out.bytes("MSCF".getBytes(StandardCharsets.ISO_8859_1)).u32(0).u32(0).u32(0);
    byte[] others = (other(previous) + other(next)).getBytes(StandardCharsets.ISO_8859_1);
    int flags = (previous.isEmpty() ? 0 : 1) | (next.isEmpty() ? 0 : 2);
    out.u32(36 + others.length + 8L * folders.size()).u32(0).u8(3).u8(1);
    out.u16(folders.size()).u16(files.size()).u16(flags).u16(0x1234).u16(index).bytes(others);
    int folderTable = out.size();
    for (Folder folder : folders) {
      out.u32(0).u16(folder.blocks.size()).u16(folder.type);
    }
    for (Entry file : files) {
      out.u32(file.size).u32(file.offset).u16(file.folder).u16(file.date).u16(file.time);
      out.u16(file.attributes);
      boolean utf8 = (file.attributes & NAME_IS_UTF8) != 0;
      out.bytes(file.name.getBytes(utf8 ? StandardCharsets.UTF_8 : StandardCharsets.ISO_8859_1));
      out.u8(0);
    }
    for (int i = 0; i < folders.size(); i++) {
      out.setU32(folderTable + 8 * i, out.size());
      for (Block block : folders.get(i).blocks) {
        byte[] header = new LittleEndian().u16(block.packed.length).u16(block.size).toByteArray();
        out.u32(checksums ? checksum(header, checksum(block.packed, 0)) & 0xFFFF_FFFFL : 0);
        out.bytes(header).bytes(block.packed);
      }
    }
    out.setU32(8, out.size());
    return out.toByteArray();
  }

  /** The name of another cabinet of the set, and of its disk. */
  private static String other(String name) {
    return name.isEmpty() ? "" : name + "\0disk\0";
  }

  private static int checksum(byte[] bytes, int seed) {
    int sum = seed;
    int whole = bytes.length / 4 * 4;
    for (int at = 0; at < whole; at += 4) {
      sum ^= (int) LittleEndian.getU32(bytes, at);
    }
    // The last bytes count downwards: the first of three is the highest.
    for (int at = whole; at < bytes.length; at++) {
      sum ^= (bytes[at] & 0xFF) << 8 * (bytes.length - 1 - at);
    }
    return sum;
  }
}
