package io.ntrail.live.dump;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.dump.write.MinidumpWriter.DumpedMemory;
import io.ntrail.live.capture.CapturedThread;
import io.ntrail.live.capture.CapturedThread.Range;
import io.ntrail.live.windows.TargetMemory;
import io.ntrail.live.windows.TargetMemory.Region;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Memory that a dump has beside the stacks: code at the instruction pointers, the blocks of threads
 * and process, and what registers and stacks point to.
 */
final class MemoryPick {
  private static final int CODE = 256;
  private static final int BEFORE = 0x80;
  private static final int AFTER = 0x400;
  private static final int THREAD_BLOCK = 0x2000;
  private static final int PROCESS_BLOCK = 0x1000;

  /** Bytes of one stack whose words are looked at. */
  private static final int SCANNED = 0x1_0000;

  private static final int IMAGE = 0x100_0000;
  private static final int WRITABLE = 0xCC;
  private static final long MOST = 64L << 20;

  private final TargetMemory memory;
  private final NavigableMap<Long, Region> regions = new TreeMap<>(Long::compareUnsigned);

  /** Ranges that are wanted, by their first addresses: where they end. */
  private final NavigableMap<Long, Long> wanted = new TreeMap<>(Long::compareUnsigned);

  private long total;

  MemoryPick(TargetMemory memory, List<Region> all) {
    this.memory = memory;
    all.stream().filter(Region::isReadable).forEach(region -> regions.put(region.base(), region));
  }

  /** Adds everything that belongs to a thread. */
  void add(CapturedThread thread) {
    want(thread.registers().ip() - CODE, thread.registers().ip() + CODE);
    want(thread.environmentBlock(), thread.environmentBlock() + THREAD_BLOCK);
    for (int i = 0; i < thread.registers().count(); i++) {
      pointTo(thread.registers().get(i));
    }
    Bytes stack = thread.stack();
    int word = thread.is64Bit() ? Long.BYTES : Integer.BYTES;
    for (int at = 0; at + word <= Math.min(SCANNED, stack.length()); at += word) {
      pointTo(thread.is64Bit() ? stack.i64(at) : stack.u32(at));
    }
    for (Range range : thread.memory()) {
      want(range.address(), range.address() + range.bytes().length());
    }
  }

  /** Adds the process environment block. */
  void addProcess(long block) {
    want(block, block + PROCESS_BLOCK);
  }

  /** Adds what an address points to, unless the file of an image has it. */
  private void pointTo(long address) {
    Map.Entry<Long, Region> entry = regions.floorEntry(address);
    if (entry == null || !contains(entry.getValue(), address) || total > MOST) {
      return;
    }
    Region region = entry.getValue();
    if (region.type() != IMAGE || (region.protection() & WRITABLE) != 0) {
      want(address - BEFORE, address + AFTER);
    }
  }

  private static boolean contains(Region region, long address) {
    return address - region.base() >= 0 && address - region.base() < region.size();
  }

  /** Adds the part of a range that lies in readable regions; ranges that touch become one. */
  private void want(long from, long to) {
    Map.Entry<Long, Region> first = regions.floorEntry(from);
    long begin = first == null || !contains(first.getValue(), from) ? from : first.getKey();
    for (Region region : regions.subMap(begin, true, to, false).values()) {
      long low = Math.max(from, region.base());
      long high = Math.min(to, region.base() + region.size());
      if (low < high) {
        merge(low, high);
      }
    }
  }

  private void merge(long from, long to) {
    long low = from;
    long high = to;
    Map.Entry<Long, Long> before = wanted.floorEntry(from);
    if (before != null && before.getValue() >= from) {
      low = before.getKey();
    }
    NavigableMap<Long, Long> inside = wanted.subMap(low, true, to, true);
    for (Map.Entry<Long, Long> one : inside.entrySet()) {
      high = Math.max(high, one.getValue());
      total -= one.getValue() - one.getKey();
    }
    inside.clear();
    wanted.put(low, high);
    total += high - low;
  }

  /** Returns the bytes of all ranges, without those that stacks have. */
  List<DumpedMemory> bytes(List<CapturedThread> threads) {
    List<Range> stacks =
        threads.stream()
            .filter(thread -> thread.stack().length() > 0)
            .map(thread -> new Range(thread.registers().sp(), thread.stack()))
            .sorted(Comparator.comparingLong(Range::address))
            .toList();
    List<DumpedMemory> all = new ArrayList<>();
    wanted.forEach((from, to) -> {
      long at = from;
      for (Range stack : stacks) {
        long end = stack.address() + stack.bytes().length();
        if (stack.address() < to && end > at) {
          read(at, stack.address(), all);
          at = Math.max(at, end);
        }
      }
      read(at, to, all);
    });
    return all;
  }

  private void read(long from, long to, List<DumpedMemory> into) {
    if (from < to) {
      byte[] bytes = memory.readUpTo(from, (int) Math.min(to - from, MOST));
      if (bytes.length > 0) {
        into.add(new DumpedMemory(from, Bytes.copyOf(bytes, "memory")));
      }
    }
  }
}
