package io.ntrail.formats.dump.write;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writer of a minidump. Each method writes one stream; then {@link #finish} writes the header and
 * the directory, without which the file is none. Structures as in minidumpapiset.h.
 *
 * <p>The bytes of the channel before its position at the beginning are not touched.
 */
public final class MinidumpWriter {
  private static final int SIGNATURE = 0x504D_444D;
  private static final int VERSION = 0xA793;
  private static final int HEADER = 32;
  private static final int ENTRY = 12;
  private static final int MOST_STREAMS = 16;
  private static final int ALIGNMENT = 8;
  private static final long END_OF_OFFSETS = 0xFFFF_FFFFL;

  private static final int THREAD_LIST = 3;
  private static final int MODULE_LIST = 4;
  private static final int MEMORY_LIST = 5;
  private static final int SYSTEM_INFO = 7;
  private static final int MEMORY64_LIST = 9;
  private static final int UNLOADED_MODULE_LIST = 14;
  private static final int MISC_INFO = 15;
  private static final int MEMORY_INFO_LIST = 16;
  private static final int THREAD_INFO_LIST = 17;
  private static final int THREAD_NAMES = 24;

  /** PROCESSOR_ARCHITECTURE_INTEL: 32 bits. */
  private static final int INTEL = 0;

  private static final int AMD64 = 9;
  private static final int WINDOWS_NT = 2;
  private static final int MISC_INFO_BYTES = 24;
  private static final int HAS_PROCESS_ID = 1;
  private static final int HAS_TIMES = 2;
  private static final int VERSION_SIGNATURE = 0xFEEF_04BD;
  private static final int VERSION_STRUCTURE = 0x1_0000;

  /** STATUS_PENDING: the exit status of what has not ended. */
  private static final int STILL_ACTIVE = 0x103;

  private final SeekableByteChannel channel;
  private final long begin;
  private final BytesBuilder directory = new BytesBuilder(ENTRY * MOST_STREAMS);
  private final Map<String, Integer> strings = new HashMap<>();
  private long end;
  private int streams;

  /**
   * Processor and operating system: Windows for x64 or x86.
   *
   * @param is64Bit whether the dump is of a 64-bit process, as its contexts are; that of one of 32
   *     bits is as on a 32-bit system
   * @param level family of the processor
   * @param revision model and stepping of the processor
   * @param processors how many there are
   * @param productType 1 workstation, 2 domain controller, 3 server
   * @param servicePack text; may be empty
   * @param suite bits of VER_SUITE_
   * @param features bits of PF_, two words
   */
  public record DumpedSystem(
      boolean is64Bit,
      int level,
      int revision,
      int processors,
      int productType,
      int major,
      int minor,
      int build,
      String servicePack,
      int suite,
      long features) {}

  /**
   * Thread.
   *
   * @param suspendCount how often others had suspended it
   * @param stackAddress first address of the stack's memory
   * @param stack the memory; where it is empty, {@code stackBytes} of it are among the other memory
   * @param stackBytes size of the stack's memory
   * @param context CONTEXT
   */
  public record DumpedThread(
      int id,
      int suspendCount,
      int priorityClass,
      int priority,
      long environmentBlock,
      long stackAddress,
      Bytes stack,
      long stackBytes,
      Bytes context) {}

  /**
   * Times and start of a thread.
   *
   * @param created FILETIME
   * @param kernelTime in units of 100 ns
   * @param userTime in units of 100 ns
   * @param startAddress 0 if unknown
   * @param affinity bits of processors
   */
  public record DumpedTimes(
      int id, long created, long kernelTime, long userTime, long startAddress, long affinity) {}

  /**
   * Module.
   *
   * @param fileVersion of its version resource; 0 if it has none
   * @param productVersion of its version resource
   * @param codeView record of its debug directory; empty if it has none
   */
  public record DumpedModule(
      long base,
      long size,
      long checksum,
      long timestamp,
      String path,
      long fileVersion,
      long productVersion,
      Bytes codeView) {}

  /** Module that was unloaded. */
  public record DumpedUnload(long base, long size, long checksum, long timestamp, String name) {}

  /**
   * Range of pages: MEMORY_BASIC_INFORMATION.
   *
   * @param state MEM_COMMIT, MEM_RESERVE or MEM_FREE
   * @param type MEM_IMAGE, MEM_MAPPED, MEM_PRIVATE or 0
   */
  public record DumpedRegion(
      long base,
      long allocation,
      int allocationProtection,
      long size,
      int state,
      int protection,
      int type) {}

  /** Bytes at an address. */
  public record DumpedMemory(long address, Bytes bytes) {}

  /** Begins at the position of a channel. */
  public MinidumpWriter(SeekableByteChannel channel) throws IOException {
    this.channel = channel;
    this.begin = channel.position();
    this.end = HEADER + (long) ENTRY * MOST_STREAMS;
  }

  /** Writes SystemInfo. */
  public void system(DumpedSystem system) throws IOException {
    BytesBuilder out = new BytesBuilder(56);
    out.u16(system.is64Bit ? AMD64 : INTEL)
        .u16(system.level)
        .u16(system.revision)
        .u8(system.processors);
    out.u8(system.productType).u32(system.major).u32(system.minor).u32(system.build);
    out.u32(WINDOWS_NT).u32(string(system.servicePack)).u16(system.suite).u16(0);
    // Two words of features, in room for the longest description of a processor; that of x86 is
    // what CPUID says, which is left out.
    out.u64(system.is64Bit ? system.features : 0).u64(0).zeros(8);
    stream(SYSTEM_INFO, out);
  }

  /**
   * Writes MiscInfo.
   *
   * @param created when the process began, seconds since 1970
   * @param userSeconds time in user mode
   * @param kernelSeconds time in the kernel
   */
  public void process(int pid, long created, long userSeconds, long kernelSeconds)
      throws IOException {
    BytesBuilder out = new BytesBuilder(MISC_INFO_BYTES);
    out.u32(MISC_INFO_BYTES).u32(HAS_PROCESS_ID | HAS_TIMES).u32(pid);
    out.u32((int) created).u32((int) userSeconds).u32((int) kernelSeconds);
    stream(MISC_INFO, out);
  }

  /**
   * Writes ThreadList and MemoryList; the stacks that come with their bytes are in both.
   *
   * @param memory further memory; ranges must not overlap
   */
  public void threads(List<DumpedThread> threads, List<DumpedMemory> memory) throws IOException {
    BytesBuilder list = new BytesBuilder(4 + 48 * threads.size()).u32(threads.size());
    BytesBuilder ranges = new BytesBuilder(16 * (threads.size() + memory.size()));
    for (DumpedThread thread : threads) {
      int context = place(thread.context);
      boolean isHere = thread.stack.length() > 0;
      int stack = isHere ? place(thread.stack) : 0;
      list.u32(thread.id).u32(thread.suspendCount).u32(thread.priorityClass).u32(thread.priority);
      list.u64(thread.environmentBlock).u64(thread.stackAddress);
      list.u32((int) thread.stackBytes).u32(stack).u32(thread.context.length()).u32(context);
      if (isHere) {
        ranges.u64(thread.stackAddress).u32(thread.stack.length()).u32(stack);
      }
    }
    stream(THREAD_LIST, list);
    for (DumpedMemory one : memory) {
      ranges.u64(one.address).u32(one.bytes.length()).u32(place(one.bytes));
    }
    if (ranges.size() > 0) {
      BytesBuilder out = new BytesBuilder(4 + ranges.size()).u32(ranges.size() / 16);
      stream(MEMORY_LIST, out.bytes(ranges.array(), 0, ranges.size()));
    }
  }

  /** Writes ThreadInfoList. */
  public void times(List<DumpedTimes> threads) throws IOException {
    BytesBuilder out = new BytesBuilder(12 + 64 * threads.size());
    out.u32(12).u32(64).u32(threads.size());
    for (DumpedTimes thread : threads) {
      // No flags, no error, no exit status, not ended.
      out.u32(thread.id).u32(0).u32(0).u32(STILL_ACTIVE).u64(thread.created).u64(0);
      out.u64(thread.kernelTime).u64(thread.userTime).u64(thread.startAddress);
      out.u64(thread.affinity);
    }
    stream(THREAD_INFO_LIST, out);
  }

  /**
   * Writes ThreadNames.
   *
   * @param names by the ids of threads
   */
  public void threadNames(Map<Integer, String> names) throws IOException {
    BytesBuilder out = new BytesBuilder(4 + 12 * names.size()).u32(names.size());
    for (Map.Entry<Integer, String> name : names.entrySet()) {
      out.u32(name.getKey()).u64(string(name.getValue()) & END_OF_OFFSETS);
    }
    stream(THREAD_NAMES, out);
  }

  /** Writes ModuleList. */
  public void modules(List<DumpedModule> modules) throws IOException {
    BytesBuilder out = new BytesBuilder(4 + 108 * modules.size()).u32(modules.size());
    for (DumpedModule module : modules) {
      out.u64(module.base).u32((int) module.size).u32((int) module.checksum);
      out.u32((int) module.timestamp).u32(string(module.path));
      if (module.fileVersion == 0 && module.productVersion == 0) {
        out.zeros(52);
      } else {
        out.u32(VERSION_SIGNATURE).u32(VERSION_STRUCTURE);
        out.u32((int) (module.fileVersion >>> 32)).u32((int) module.fileVersion);
        out.u32((int) (module.productVersion >>> 32)).u32((int) module.productVersion);
        out.zeros(28);
      }
      int symbols = module.codeView.length();
      out.u32(symbols).u32(symbols == 0 ? 0 : place(module.codeView)).zeros(24);
    }
    stream(MODULE_LIST, out);
  }

  /** Writes UnloadedModuleList. */
  public void unloaded(List<DumpedUnload> modules) throws IOException {
    BytesBuilder out = new BytesBuilder(12 + 24 * modules.size());
    out.u32(12).u32(24).u32(modules.size());
    for (DumpedUnload module : modules) {
      out.u64(module.base).u32((int) module.size).u32((int) module.checksum);
      out.u32((int) module.timestamp).u32(string(module.name));
    }
    stream(UNLOADED_MODULE_LIST, out);
  }

  /** Writes MemoryInfoList. */
  public void regions(List<DumpedRegion> regions) throws IOException {
    BytesBuilder out = new BytesBuilder(16 + 48 * regions.size());
    out.u32(16).u32(48).u64(regions.size());
    for (DumpedRegion region : regions) {
      out.u64(region.base).u64(region.allocation).u32(region.allocationProtection).u32(0);
      out.u64(region.size).u32(region.state).u32(region.protection).u32(region.type).u32(0);
    }
    stream(MEMORY_INFO_LIST, out);
  }

  /**
   * Begins Memory64List, which must be the last stream.
   *
   * @param mostRanges limit for the number of ranges that are not adjacent
   */
  public FullMemory memory(int mostRanges) throws IOException {
    return new FullMemory(mostRanges);
  }

  /** Memory of any size: Memory64List. Its ranges are written one after the other. */
  public final class FullMemory {
    private final int mostRanges;
    private final int list;
    private final long data;
    private final List<long[]> ranges = new ArrayList<>();

    private FullMemory(int mostRanges) throws IOException {
      this.mostRanges = mostRanges;
      this.list = offset();
      // The bytes lie behind the list, whose length is not known yet.
      end = align(end + 16L + 16L * mostRanges);
      this.data = end;
    }

    /**
     * Adds bytes. They continue the range before if they are adjacent to it.
     *
     * @return false if there is no room for another range; nothing is written then
     */
    public boolean add(long address, byte[] bytes, int length) throws IOException {
      long[] last = ranges.isEmpty() ? new long[] {0, 0} : ranges.getLast();
      if (ranges.isEmpty() || last[0] + last[1] != address) {
        if (ranges.size() == mostRanges) {
          return false;
        }
        last = new long[] {address, 0};
        ranges.add(last);
      }
      put(end, bytes, length);
      last[1] += length;
      end += length;
      return true;
    }

    /** Returns the number of ranges. */
    public int ranges() {
      return ranges.size();
    }

    /** Returns the number of bytes in all ranges. */
    public long bytes() {
      return end - data;
    }

    /** Writes the list. */
    public void end() throws IOException {
      BytesBuilder out = new BytesBuilder(16 + 16 * ranges.size());
      out.u64(ranges.size()).u64(data);
      ranges.forEach(range -> out.u64(range[0]).u64(range[1]));
      put(list & END_OF_OFFSETS, out.array(), out.size());
      entry(MEMORY64_LIST, out.size(), list);
    }
  }

  /**
   * Writes header and directory.
   *
   * @param timestamp seconds since 1970
   * @param flags bits of MINIDUMP_TYPE
   * @return bytes of the dump
   */
  public long finish(long timestamp, long flags) throws IOException {
    BytesBuilder out = new BytesBuilder(HEADER + directory.size());
    out.u32(SIGNATURE).u32(VERSION).u32(streams).u32(HEADER).u32(0).u32((int) timestamp);
    out.u64(flags).bytes(directory.array(), 0, directory.size());
    put(0, out.array(), out.size());
    long missing = begin + end - channel.size();
    if (missing > 0) {
      // What was written last is followed by padding.
      put(end - missing, new byte[(int) missing], (int) missing);
    }
    channel.position(begin + end);
    return end;
  }

  private void stream(int type, BytesBuilder content) throws IOException {
    int at = offset();
    put(end, content.array(), content.size());
    end = align(end + content.size());
    entry(type, content.size(), at);
  }

  private void entry(int type, int size, int at) {
    if (++streams > MOST_STREAMS) {
      throw new IllegalStateException("more than " + MOST_STREAMS + " streams");
    }
    directory.u32(type).u32(size).u32(at);
  }

  /** Returns the offset of a MINIDUMP_STRING; equal ones are written once. */
  private int string(String text) throws IOException {
    Integer known = strings.get(text);
    if (known != null) {
      return known;
    }
    byte[] letters = text.getBytes(StandardCharsets.UTF_16LE);
    BytesBuilder out = new BytesBuilder(letters.length + 6);
    out.u32(letters.length).bytes(letters).u16(0);
    int at = place(Bytes.copyOf(out.toArray(), "dump"));
    strings.put(text, at);
    return at;
  }

  /** Writes bytes behind everything else; returns their offset. */
  private int place(Bytes bytes) throws IOException {
    int at = offset();
    put(end, bytes.array(0, bytes.length()), bytes.length());
    end = align(end + bytes.length());
    return at;
  }

  /** Returns the present end as a 32-bit offset. */
  private int offset() {
    if (end > END_OF_OFFSETS) {
      throw new CannotGoOn("more than 4 GiB of stacks do not fit into a minidump", "--full");
    }
    return (int) end;
  }

  private static long align(long offset) {
    return offset + ALIGNMENT - 1 & -ALIGNMENT;
  }

  private void put(long at, byte[] bytes, int length) throws IOException {
    channel.position(begin + at);
    Channels.newOutputStream(channel).write(bytes, 0, length);
  }
}
