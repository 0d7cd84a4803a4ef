package io.ntrail.testkit.dump;

import io.ntrail.testkit.LittleEndian;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Writes minidumps. Lists grow by calls; a stream can also be given as bytes, whatever they are.
 * Places in the file are fixed when something is put there: {@link #put} returns them.
 */
public final class MinidumpBuilder {
  private static final int HEADER = 32;
  private static final int ENTRY = 12;
  private static final int SYSTEM_INFO = 7;
  private static final int STREAMS = 64;

  private final LittleEndian file = new LittleEndian();
  private final List<long[]> directory = new ArrayList<>();
  private final List<byte[]> threads = new ArrayList<>();
  private final List<byte[]> modules = new ArrayList<>();
  private final List<byte[]> unloaded = new ArrayList<>();
  private final List<byte[]> memory = new ArrayList<>();
  private final List<long[]> memory64 = new ArrayList<>();
  private final LittleEndian memory64Bytes = new LittleEndian();
  private final List<byte[]> infos = new ArrayList<>();
  private final List<byte[]> names = new ArrayList<>();
  private long flags;
  private long time = 0x5F5E_1000L;

  /** A dump without streams. */
  public MinidumpBuilder() {
    file.zeros(HEADER + STREAMS * ENTRY);
  }

  /** Sets MINIDUMP_TYPE. */
  public MinidumpBuilder flags(long value) {
    flags = value;
    return this;
  }

  /** Sets the time at which it was written, in seconds since 1970. */
  public MinidumpBuilder time(long seconds) {
    time = seconds;
    return this;
  }

  /** Puts bytes somewhere into the file and returns where. */
  public int put(byte[] bytes) {
    file.align(4);
    int at = file.size();
    file.bytes(bytes);
    return at;
  }

  /** Puts a MINIDUMP_STRING. */
  public int string(String text) {
    byte[] units = text.getBytes(StandardCharsets.UTF_16LE);
    return put(new LittleEndian().u32(units.length).bytes(units).u16(0).toByteArray());
  }

  /** Puts a text of Crashpad. */
  public int utf8(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return put(new LittleEndian().u32(bytes.length).bytes(bytes).u8(0).toByteArray());
  }

  /** Adds a stream with some content. */
  public MinidumpBuilder stream(int type, byte[] content) {
    return entry(type, content.length, put(content));
  }

  /** Adds an entry of the directory that says anything. */
  public MinidumpBuilder entry(int type, long size, long rva) {
    directory.add(new long[] {type, size, rva});
    return this;
  }

  /**
   * Adds the system.
   *
   * @param architecture 0 x86, 9 x64, 12 ARM64
   */
  public MinidumpBuilder system(int architecture, int major, int minor, int build) {
    return stream(
        SYSTEM_INFO,
        new LittleEndian()
            .u16(architecture)
            .u16(6)
            .u16(0x5E03)
            .u8(8)
            .u8(1)
            .u32(major)
            .u32(minor)
            .u32(build)
            .u32(2)
            .u32(0)
            .u16(0x100)
            .u16(0)
            .zeros(24)
            .toByteArray());
  }

  /** Adds the id of the process, in the first version of its stream. */
  public MinidumpBuilder process(long pid) {
    return stream(15, new LittleEndian().u32(24).u32(1).u32(pid).zeros(12).toByteArray());
  }

  /**
   * Adds a thread.
   *
   * @param stack its saved stack; empty: it is among the memory
   * @param context its registers; empty: none
   */
  public MinidumpBuilder thread(
      long id, long teb, long stackAddress, byte[] stack, byte[] context) {
    int stackAt = stack.length == 0 ? 0 : put(stack);
    int contextAt = context.length == 0 ? 0 : put(context);
    threads.add(
        new LittleEndian()
            .u32(id)
            .u32(0)
            .u32(0x20)
            .u32(0)
            .u64(teb)
            .u64(stackAddress)
            .u32(stack.length)
            .u32(stackAt)
            .u32(context.length)
            .u32(contextAt)
            .toByteArray());
    return this;
  }

  /** Adds a name of a thread. */
  public MinidumpBuilder threadName(long id, String name) {
    names.add(new LittleEndian().u32(id).u64(string(name)).toByteArray());
    return this;
  }

  /** Adds a module without a PDB. */
  public MinidumpBuilder module(long base, long size, long timestamp, String path) {
    return module(base, size, timestamp, path, new byte[0]);
  }

  /** Adds a module with a PDB. */
  public MinidumpBuilder module(
      long base, long size, long timestamp, String path, UUID guid, long age, String pdb) {
    byte[] record = new LittleEndian().u32(0x53445352).guid(guid).u32(age).utf8z(pdb).toByteArray();
    return module(base, size, timestamp, path, record);
  }

  private MinidumpBuilder module(long base, long size, long timestamp, String path, byte[] record) {
    int recordAt = record.length == 0 ? 0 : put(record);
    modules.add(
        new LittleEndian()
            .u64(base)
            .u32(size)
            .u32(0)
            .u32(timestamp)
            .u32(string(path))
            .zeros(52)
            .u32(record.length)
            .u32(recordAt)
            .zeros(8)
            .zeros(16)
            .toByteArray());
    return this;
  }

  /** Adds a module that had been unloaded. */
  public MinidumpBuilder unloaded(long base, long size, String path) {
    unloaded.add(
        new LittleEndian().u64(base).u32(size).u32(0).u32(7).u32(string(path)).toByteArray());
    return this;
  }

  /** Adds memory to the list that has 32-bit places. */
  public MinidumpBuilder memory(long address, byte[] bytes) {
    return memory(address, bytes.length, put(bytes));
  }

  /** Adds a row to the list of memory that says anything. */
  public MinidumpBuilder memory(long address, long size, long rva) {
    memory.add(new LittleEndian().u64(address).u32(size).u32(rva).toByteArray());
    return this;
  }

  /** Adds memory to the list whose bytes lie at the end of the file. */
  public MinidumpBuilder memory64(long address, byte[] bytes) {
    memory64.add(new long[] {address, bytes.length});
    memory64Bytes.bytes(bytes);
    return this;
  }

  /** Adds a row to that list whose bytes do not follow. */
  public MinidumpBuilder memory64(long address, long size) {
    memory64.add(new long[] {address, size});
    return this;
  }

  /**
   * Adds the state of pages.
   *
   * @param state 1000h committed, 2000h reserved, 10000h free
   * @param protect PAGE_
   * @param type 20000h private, 40000h mapped, 1000000h image
   */
  public MinidumpBuilder memoryInfo(long base, long size, int state, int protect, int type) {
    infos.add(
        new LittleEndian()
            .u64(base)
            .u64(state == 0x1_0000 ? 0 : base)
            .u32(protect)
            .u32(0)
            .u64(size)
            .u32(state)
            .u32(protect)
            .u32(type)
            .u32(0)
            .toByteArray());
    return this;
  }

  /** Adds the exception. */
  public MinidumpBuilder exception(
      long thread, long code, long address, byte[] context, long... parameters) {
    int contextAt = context.length == 0 ? 0 : put(context);
    LittleEndian bytes =
        new LittleEndian()
            .u32(thread)
            .u32(0)
            .u32(code)
            .u32(0)
            .u64(0)
            .u64(address)
            .u32(parameters.length)
            .u32(0);
    for (int i = 0; i < 15; i++) {
      bytes.u64(i < parameters.length ? parameters[i] : 0);
    }
    return stream(6, bytes.u32(context.length).u32(contextAt).toByteArray());
  }

  private static byte[] list(List<byte[]> rows) {
    LittleEndian bytes = new LittleEndian().u32(rows.size());
    rows.forEach(bytes::bytes);
    return bytes.toByteArray();
  }

  private static byte[] headed(List<byte[]> rows, int header, int row) {
    LittleEndian bytes = new LittleEndian().u32(header).u32(row).u32(rows.size());
    bytes.zeros(header - 12);
    rows.forEach(bytes::bytes);
    return bytes.toByteArray();
  }

  private void lists() {
    if (!threads.isEmpty()) {
      stream(3, list(threads));
    }
    if (!modules.isEmpty()) {
      stream(4, list(modules));
    }
    if (!memory.isEmpty()) {
      stream(5, list(memory));
    }
    if (!unloaded.isEmpty()) {
      stream(14, headed(unloaded, 12, 24));
    }
    if (!infos.isEmpty()) {
      byte[] bytes = headed(infos, 16, 48);
      stream(16, bytes);
    }
    if (!names.isEmpty()) {
      stream(24, list(names));
    }
  }

  /** Returns the file; to be called once. */
  public byte[] toByteArray() {
    lists();
    if (!memory64.isEmpty()) {
      int size = 16 + 16 * memory64.size();
      LittleEndian list = new LittleEndian().u64(memory64.size());
      file.align(8);
      list.u64(file.size() + size);
      memory64.forEach(row -> list.u64(row[0]).u64(row[1]));
      stream(9, list.toByteArray());
      file.bytes(memory64Bytes.toByteArray());
    }
    byte[] bytes = file.toByteArray();
    byte[] head =
        new LittleEndian()
            .u32(0x504D444D)
            .u16(0xA793)
            .u16(0x1234)
            .u32(directory.size())
            .u32(HEADER)
            .u32(0)
            .u32(time)
            .u64(flags)
            .toByteArray();
    System.arraycopy(head, 0, bytes, 0, head.length);
    LittleEndian entries = new LittleEndian();
    directory.forEach(row -> entries.u32(row[0]).u32(row[1]).u32(row[2]));
    System.arraycopy(entries.toByteArray(), 0, bytes, HEADER, entries.size());
    return bytes;
  }

  /** Returns a CONTEXT of x64 with control and general registers; registers by their number. */
  public static byte[] x64(long rip, long... registers) {
    LittleEndian context = new LittleEndian().zeros(1232);
    byte[] bytes = context.setU32(0x30, 0x10000B).toByteArray();
    for (int i = 0; i < registers.length; i++) {
      LittleEndian.putU64(bytes, 0x78 + 8 * i, registers[i]);
    }
    LittleEndian.putU64(bytes, 0xF8, rip);
    return bytes;
  }

  /** Returns a CONTEXT of x86 with control and general registers. */
  public static byte[] x86(long eip, long esp, long ebp) {
    return new LittleEndian()
        .zeros(716)
        .setU32(0, 0x1_0007)
        .setU32(0xB8, eip)
        .setU32(0xC4, esp)
        .setU32(0xB4, ebp)
        .toByteArray();
  }
}
