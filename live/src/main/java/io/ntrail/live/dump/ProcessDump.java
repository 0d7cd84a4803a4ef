package io.ntrail.live.dump;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.dump.write.MinidumpWriter;
import io.ntrail.formats.dump.write.MinidumpWriter.DumpedMemory;
import io.ntrail.formats.dump.write.MinidumpWriter.DumpedModule;
import io.ntrail.formats.dump.write.MinidumpWriter.DumpedRegion;
import io.ntrail.formats.dump.write.MinidumpWriter.DumpedThread;
import io.ntrail.formats.pe.DebugDirectory;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.VersionInfo;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.capture.CapturedThread;
import io.ntrail.live.capture.ProcessCapture;
import io.ntrail.live.capture.ProcessHold;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.windows.TargetMemory.Region;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Writes a minidump of a running process, which is suspended meanwhile. Of a 32-bit program on a
 * 64-bit system it is a dump of a 32-bit process, as a 32-bit program would have written it.
 */
public final class ProcessDump {
  /** FILETIME of 1970. */
  private static final long EPOCH = 116_444_736_000_000_000L;

  private static final long SECOND = 10_000_000;
  private static final long FOUR_GIGABYTES = 1L << 32;
  private static final int MOST_REGIONS = 1 << 20;
  private static final int SPLITS = 1024;

  /** Ranges that could not be read, of which so many are told. */
  private static final int MOST_GAPS = 10_000;

  private static final int PAGE = 0x1000;
  private static final int PIECE = 1 << 20;

  // MINIDUMP_TYPE.
  private static final int FULL_MEMORY = 0x2;
  private static final int UNLOADED_MODULES = 0x20;
  private static final int INDIRECT_MEMORY = 0x40;
  private static final int PROCESS_THREAD_DATA = 0x100;
  private static final int FULL_MEMORY_INFO = 0x800;
  private static final int THREAD_INFO = 0x1000;

  private final TargetProcess process;
  private final ProcessCapture capture;
  private final MinidumpWriter writer;
  private final SystemFacts facts;
  private long memoryBytes;
  private int memoryRanges;
  private final List<Gap> gaps = new ArrayList<>();

  /**
   * Summary of a written dump.
   *
   * @param bytes of the dump
   * @param threads how many
   * @param missingThreads ids of threads that were only beginning or ended meanwhile
   * @param modules how many
   * @param memoryRanges ranges of memory, stacks among them
   * @param memoryBytes bytes in them
   * @param gaps committed memory that could not be read although it is wanted: offsets are
   *     addresses
   * @param suspendedNanos for how long the process was suspended, in nanoseconds
   */
  public record Written(
      long bytes,
      int threads,
      List<Integer> missingThreads,
      int modules,
      int memoryRanges,
      long memoryBytes,
      List<Gap> gaps,
      long suspendedNanos) {
    /** Copies the lists. */
    public Written {
      missingThreads = List.copyOf(missingThreads);
      gaps = List.copyOf(gaps);
    }
  }

  private ProcessDump(TargetProcess process, ProcessCapture capture, MinidumpWriter writer) {
    this.process = process;
    this.capture = capture;
    this.writer = writer;
    this.facts = new SystemFacts(process);
  }

  /**
   * Writes a dump.
   *
   * @param host that the process runs on
   * @param isFull whether all memory is written; else stacks, and what they and registers point to
   * @param now seconds since 1970
   * @throws io.ntrail.formats.bytes.CannotGoOn if the process cannot be suspended or has ended
   * @throws IOException if the channel cannot be written
   */
  public static Written write(
      AgentHost host, TargetProcess process, SeekableByteChannel channel, boolean isFull, long now)
      throws IOException {
    ProcessDump dump;
    List<Region> regions;
    List<DumpedMemory> memory = List.of();
    long suspended;
    try (ProcessHold hold = ProcessHold.of(host, process)) {
      ProcessCapture capture = ProcessCapture.ofHeld(process, ProcessCapture.MOST_STACK);
      dump = new ProcessDump(process, capture, new MinidumpWriter(channel));
      regions = regions(process);
      if (isFull) {
        dump.writeLists(regions, false, memory);
        dump.writeAll(regions);
      } else {
        memory = dump.pick(regions);
      }
      suspended = hold.nanos();
    }
    if (!isFull) {
      // What does not change any more while the process goes on.
      dump.writeLists(regions, true, memory);
    }
    return dump.finish(now, isFull, suspended);
  }

  private Written finish(long now, boolean isFull, long suspended) throws IOException {
    int flags = UNLOADED_MODULES | PROCESS_THREAD_DATA | FULL_MEMORY_INFO | THREAD_INFO;
    long bytes = writer.finish(now, flags | (isFull ? FULL_MEMORY : INDIRECT_MEMORY));
    return new Written(
        bytes,
        capture.threads().size(),
        capture.missing().stream().map(thread -> thread.tid()).toList(),
        capture.modules().size(),
        memoryRanges,
        memoryBytes,
        gaps,
        suspended);
  }

  /** Returns the map of the address space that a dump has: of a 32-bit process the first 4 GiB. */
  private static List<Region> regions(TargetProcess process) {
    List<Region> regions = new ArrayList<>();
    long end = process.is32Bit() ? FOUR_GIGABYTES : Long.MAX_VALUE;
    long at = 0;
    while (regions.size() < MOST_REGIONS && at < end) {
      Optional<Region> region = process.memory().region(at);
      if (region.isEmpty() || region.get().size() <= 0) {
        break;
      }
      regions.add(region.get());
      at = region.get().base() + region.get().size();
    }
    return regions;
  }

  private static DumpedRegion region(Region region) {
    return new DumpedRegion(
        region.base(),
        region.allocation(),
        region.allocationProtection(),
        region.size(),
        region.state(),
        region.protection(),
        region.type());
  }

  /** Writes all streams but the memory of a full dump. */
  private void writeLists(List<Region> regions, boolean withStacks, List<DumpedMemory> memory)
      throws IOException {
    writer.system(facts.system());
    SystemFacts.Times times = facts.times();
    writer.process(
        process.pid(),
        Math.max(0, (times.created() - EPOCH) / SECOND),
        times.user() / SECOND,
        times.kernel() / SECOND);
    writer.times(capture.threads().stream().map(facts::times).toList());
    Map<Integer, String> names = new TreeMap<>();
    for (CapturedThread thread : capture.threads()) {
      if (!thread.name().isEmpty()) {
        names.put(thread.tid(), thread.name());
      }
    }
    writer.threadNames(names);
    writer.modules(modules());
    writer.unloaded(UnloadedModules.of(process));
    writer.regions(regions.stream().map(ProcessDump::region).toList());
    writer.threads(threads(withStacks), memory);
  }

  private List<DumpedThread> threads(boolean withStacks) {
    int priorityClass = facts.priorityClass();
    List<DumpedThread> threads = new ArrayList<>();
    for (CapturedThread thread : capture.threads()) {
      threads.add(
          new DumpedThread(
              thread.tid(),
              // Without the suspension by the hold.
              Math.max(0, thread.suspendCount() - 1),
              priorityClass,
              facts.priority(thread),
              thread.environmentBlock(),
              thread.registers().sp(),
              withStacks ? thread.stack() : thread.stack().slice(0, 0),
              thread.stack().length(),
              thread.context()));
    }
    return threads;
  }

  private List<DumpedModule> modules() {
    List<DumpedModule> modules = new ArrayList<>();
    for (TargetModule module : capture.modules()) {
      Optional<PeImage> image =
          capture.loaded().at(module.base()).flatMap(loaded -> loaded.image());
      Optional<VersionInfo.Numbers> version =
          image.flatMap(VersionInfo::of).flatMap(info -> Optional.ofNullable(info.numbers()));
      modules.add(
          new DumpedModule(
              module.base(),
              module.size(),
              image.map(one -> one.headers().checksum()).orElse(0L),
              image.map(one -> one.headers().timestamp()).orElse(0L),
              module.path(),
              version.map(VersionInfo.Numbers::fileVersion).orElse(0L),
              version.map(VersionInfo.Numbers::productVersion).orElse(0L),
              image.map(ProcessDump::codeView).orElse(Bytes.copyOf(new byte[0], "dump"))));
    }
    return modules;
  }

  private static Bytes codeView(PeImage image) {
    return DebugDirectory.of(image)
        .first(DebugDirectory.CODEVIEW)
        .flatMap(entry -> Optional.ofNullable(entry.data()))
        .orElse(Bytes.copyOf(new byte[0], "dump"));
  }

  /** Reads the memory that stacks and registers point to, and counts that and the stacks. */
  private List<DumpedMemory> pick(List<Region> regions) {
    MemoryPick pick = new MemoryPick(process.memory(), regions);
    capture.threads().forEach(pick::add);
    pick.addProcess(process.environmentBlock());
    List<DumpedMemory> memory = pick.bytes(capture.threads());
    memory.forEach(one -> count(one.bytes().length()));
    for (CapturedThread thread : capture.threads()) {
      if (thread.stack().length() > 0) {
        count(thread.stack().length());
      }
    }
    return memory;
  }

  private void count(int bytes) {
    memoryRanges++;
    memoryBytes += bytes;
  }

  private void gap(long address, long bytes) {
    Gap last = gaps.isEmpty() ? null : gaps.getLast();
    if (last != null && last.offset() + last.bytes() == address) {
      gaps.set(gaps.size() - 1, gapAt(last.offset(), last.bytes() + bytes));
    } else if (gaps.size() < MOST_GAPS) {
      gaps.add(gapAt(address, bytes));
    }
  }

  private Gap gapAt(long address, long bytes) {
    return new Gap(
        "process " + process.pid(), address, bytes, "memory", "the system does not let it be read");
  }

  private void writeAll(List<Region> regions) throws IOException {
    List<Region> readable = regions.stream().filter(Region::isReadable).toList();
    MinidumpWriter.FullMemory memory = writer.memory(readable.size() + SPLITS);
    for (Region region : readable) {
      long end = region.base() + region.size();
      for (long at = region.base(); at < end; ) {
        int wanted = (int) Math.min(PIECE, end - at);
        byte[] bytes = process.memory().readUpTo(at, wanted);
        boolean isWritten = bytes.length > 0 && memory.add(at, bytes, bytes.length);
        at += isWritten ? bytes.length : 0;
        if (!isWritten || bytes.length < wanted) {
          // To the next page, which may be there again.
          long next = Math.min(end, (at & -PAGE) + PAGE);
          gap(at, next - at);
          at = next;
        }
      }
    }
    memory.end();
    memoryRanges = memory.ranges();
    memoryBytes = memory.bytes();
  }
}
