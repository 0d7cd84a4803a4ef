package io.ntrail.testkit.pe;

import io.ntrail.testkit.LittleEndian;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writes small PE images: headers, sections one page after another, and the directories that tests
 * of functions need. What it writes is as a linker would, but for what a test changes in the bytes.
 */
public final class SmallPe {
  /** Code: executable, readable. */
  public static final int CODE = 0x6000_0020;

  /** Constants: readable. */
  public static final int CONSTANTS = 0x4000_0040;

  /** RVA of the first section of a sketch. */
  public static final long FIRST = 0x1000;

  /** Base of the sketch's image: above 4 GiB where addresses have 64 bits. */
  private static final long BASE_64 = 0x1_4000_0000L;

  private static final long BASE_32 = 0x40_0000;

  /** Offset of the section table without an optional header. */
  private static final int SECTIONS = 0x40 + 24;

  private static final int DIRECTORIES = 16;

  private final int machine;
  private final boolean wide;
  private final List<Part> parts = new ArrayList<>();
  private final Map<Integer, long[]> directories = new TreeMap<>();
  private int characteristics = 0x2022;

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Part(String name, int flags, long rva, byte[] content) {}

  /**
   * An image without sections.
   *
   * @param machine 0x14C, 0x8664, 0xAA64; the first has PE32, the others PE32+
   */
  public SmallPe(int machine) {
    this.machine = machine;
    this.wide = machine != 0x14C;
    if (!wide) {
      characteristics |= 0x100;
    }
  }

  /** The base address in its header. */
  public long base() {
    return wide ? BASE_64 : BASE_32;
  }

  /** Returns the RVA of the next section. */
  public long next() {
    if (parts.isEmpty()) {
      return FIRST;
    }
    Part last = parts.getLast();
    return last.rva + Math.max(1, last.content.length) + 0xFFF & ~0xFFFL;
  }

  /** Adds a section and says where it lies. */
  public long section(String name, int flags, byte[] content) {
    long rva = next();
    parts.add(new Part(name, flags, rva, content));
    return rva;
  }

  /** Names a directory. */
  public SmallPe directory(int index, long rva, long size) {
    directories.put(index, new long[] {rva, size});
    return this;
  }

  /** Adds a section with exports by name; ordinals from 1 in the order of names. */
  public SmallPe exports(Map<String, Long> rvas) {
    long at = next();
    TreeMap<String, Long> sorted = new TreeMap<>(rvas);
    int count = sorted.size();
    long functions = at + 40;
    long names = functions + 4L * count;
    long ordinals = names + 4L * count;
    long texts = ordinals + 2L * count;
    LittleEndian out = new LittleEndian();
    out.u32(0).u32(0).u32(0).u32(texts).u32(1).u32(count).u32(count);
    out.u32(functions).u32(names).u32(ordinals);
    sorted.values().forEach(out::u32);
    long text = texts + "sketch.dll".length() + 1;
    for (String name : sorted.keySet()) {
      out.u32(text);
      text += name.length() + 1;
    }
    for (int i = 0; i < count; i++) {
      out.u16(i);
    }
    out.bytes(ascii("sketch.dll")).u8(0);
    sorted.keySet().forEach(name -> out.bytes(ascii(name)).u8(0));
    byte[] content = out.toByteArray();
    return directory(0, section(".edata", CONSTANTS, content), content.length);
  }

  /**
   * Adds a section with a function table.
   *
   * @param rows begin, end and unwind information of each; information 0 stands for one without
   *     codes
   */
  public SmallPe functions(long[]... rows) {
    long at = next();
    LittleEndian out = new LittleEndian();
    for (long[] row : rows) {
      out.u32(row[0]).u32(row[1]).u32(row[2] == 0 ? at + 12L * rows.length : row[2]);
    }
    // Version 1, no flags, no prologue, no codes, no frame register.
    out.u32(1);
    return directory(3, section(".pdata", CONSTANTS, out.toByteArray()), 12L * rows.length);
  }

  /** Adds a section with a load configuration that has a guard table whose entries are plain. */
  public SmallPe guard(long flags, long... entries) {
    return guard(flags, 0, entries);
  }

  /**
   * Adds a section with a load configuration that has a guard table.
   *
   * @param flags GuardFlags, with the length of entries in the upper four bits
   * @param entryFlags the byte after each entry, where there is room for it
   * @param entries RVAs of the table
   */
  public SmallPe guard(long flags, int entryFlags, long... entries) {
    int more = (int) (flags >>> 28 & 0xF);
    LittleEndian table = new LittleEndian();
    for (long entry : entries) {
      table.u32(entry);
      if (more > 0) {
        table.u8(entryFlags).zeros(more - 1);
      }
    }
    return loadConfig(flags, entries.length, table.toByteArray(), 0);
  }

  /** Adds a section with a load configuration that points to the code map of a second machine. */
  public SmallPe hybrid() {
    return loadConfig(0, 0, new byte[16], 1);
  }

  private SmallPe loadConfig(long flags, int count, byte[] table, int second) {
    long at = next();
    int size = wide ? 0x148 : 0xC4;
    byte[] config = new LittleEndian().u32(size).zeros(size - 4).toByteArray();
    put(config, wide ? 0x80 : 0x50, count == 0 ? 0 : base() + at + size);
    put(config, wide ? 0x88 : 0x54, count);
    put(config, wide ? 0xC8 : 0x7C, second == 0 ? 0 : base() + at + size);
    byte[] word = new LittleEndian().u32(flags).toByteArray();
    System.arraycopy(word, 0, config, wide ? 0x90 : 0x58, 4);
    byte[] content = new LittleEndian().bytes(config).bytes(table).toByteArray();
    return directory(10, section(".gfids", CONSTANTS, content), size);
  }

  private void put(byte[] target, int at, long value) {
    byte[] bytes = new LittleEndian().pointer(wide ? 8 : 4, value).toByteArray();
    System.arraycopy(bytes, 0, target, at, bytes.length);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** The bytes of the file in front of the first section. */
  public long headers() {
    int optional = (wide ? 112 : 96) + 8 * DIRECTORIES;
    return SECTIONS + optional + 40L * parts.size() + 0x3FF & ~0x3FFL;
  }

  /** Returns the file offset of a number in a row of the section table; rows count from 0. */
  public int row(int section, int field) {
    return SECTIONS + (wide ? 112 : 96) + 8 * DIRECTORIES + 40 * section + field;
  }

  /** The image as a file; raw data of sections begin at multiples of 0x200. */
  public byte[] file() {
    LittleEndian out = new LittleEndian();
    out.u16(0x5A4D).zeros(0x3A).u32(0x40);
    out.u32(0x4550).u16(machine).u16(parts.size()).u32(0).u32(0).u32(0);
    out.u16((wide ? 112 : 96) + 8 * DIRECTORIES).u16(characteristics);
    optionalHeader(out);
    long raw = headers();
    for (Part part : parts) {
      byte[] name = java.util.Arrays.copyOf(ascii(part.name), 8);
      long stored = part.content.length + 0x1FF & ~0x1FFL;
      out.bytes(name).u32(part.content.length).u32(part.rva).u32(stored).u32(raw);
      out.u32(0).u32(0).u32(0).u32(part.flags);
      raw += stored;
    }
    out.zeros((int) headers() - out.size());
    for (Part part : parts) {
      out.bytes(part.content).align(0x200);
    }
    return out.toByteArray();
  }

  private void optionalHeader(LittleEndian out) {
    out.u16(wide ? 0x20B : 0x10B).u8(14).u8(0).u32(0).u32(0).u32(0).u32(0).u32(0);
    if (wide) {
      out.u64(base());
    } else {
      out.u32(0).u32(base());
    }
    out.u32(0x1000).u32(0x200).u16(6).u16(0).u16(0).u16(0).u16(6).u16(0).u32(0);
    out.u32(next()).u32(headers()).u32(0).u16(3).u16(0);
    int pointer = wide ? 8 : 4;
    out.pointer(pointer, 0x10_0000).pointer(pointer, 0x1000);
    out.pointer(pointer, 0x10_0000).pointer(pointer, 0x1000);
    out.u32(0).u32(DIRECTORIES);
    for (int i = 0; i < DIRECTORIES; i++) {
      long[] directory = directories.getOrDefault(i, new long[2]);
      out.u32(directory[0]).u32(directory[1]);
    }
  }
}
