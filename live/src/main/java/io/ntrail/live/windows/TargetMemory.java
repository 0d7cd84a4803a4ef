package io.ntrail.live.windows;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.agent.AgentCall;
import io.ntrail.live.agent.CallOutcome;
import io.ntrail.live.agent.SystemLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongPredicate;
import java.util.stream.IntStream;

/** Memory of a target. */
public final class TargetMemory {
  /** PAGE_READONLY. */
  public static final int READ = 0x02;

  /** PAGE_READWRITE. */
  public static final int READ_WRITE = 0x04;

  /** PAGE_EXECUTE_READ. */
  public static final int EXECUTE_READ = 0x20;

  /** PAGE_EXECUTE_READWRITE. */
  public static final int EXECUTE_READ_WRITE = 0x40;

  private static final int READ_AND_WRITE = 0xC000_0000;
  private static final int SHARE_ALL = 7;
  private static final int OPEN = 3;
  private static final int NORMAL = 0x80;
  private static final int NOT_INHERITED = 2;
  private static final int FREE = 0x1_0000;
  static final int RESERVE = 0x2000;
  static final int COMMIT = 0x1000;
  static final int RELEASE = 0x8000;
  private static final int DECOMMIT = 0x4000;
  static final int GRANULE = 0x1_0000;
  private static final int NO_MEMORY = 0xC000_0017;
  private static final int CONFLICTING_ADDRESSES = 0xC000_0018;

  /** Number of results that a page of the agent's scratch memory takes. */
  private static final int CELLS = 512;

  private final WindowsApi calls;
  private final long process;
  private final BatchedAccess batch;

  public TargetMemory(WindowsApi calls, long process) {
    this.calls = calls;
    this.process = process;
    this.batch = new BatchedAccess(calls, process);
  }

  /** Reads up to the first piece that is not there. */
  public byte[] readUpTo(long address, int length) {
    return calls.agent().read(process, address, length);
  }

  /**
   * Reads a pointer; empty if it is not there.
   *
   * @param size of pointers there, in bytes: 4 or 8
   */
  public OptionalLong pointer(long address, int size) {
    byte[] read = readUpTo(address, size);
    if (read.length < size) {
      return OptionalLong.empty();
    }
    Bytes bytes = Bytes.copyOf(read, "target");
    return OptionalLong.of(size == Long.BYTES ? bytes.i64(0) : bytes.u32(0));
  }

  /**
   * Range of addresses.
   *
   * @param length bytes, from 0
   */
  public record Range(long address, int length) {}

  /**
   * Reads memory.
   *
   * @throws CannotGoOn if not all of it is there
   */
  public Bytes read(long address, int length) {
    byte[] bytes = readUpTo(address, length);
    if (bytes.length < length) {
      throw new CannotGoOn(
          "memory of the target could not be read (%d bytes at 0x%x)".formatted(length, address),
          "");
    }
    return Bytes.copyOf(bytes, "target");
  }

  /**
   * Writes memory.
   *
   * @throws CannotGoOn if it is not possible
   */
  public void write(long address, byte[] bytes) {
    write(address, bytes, 0, bytes.length);
  }

  /** Writes a part of an array. */
  public void write(long address, byte[] bytes, int from, int length) {
    int error = calls.agent().write(process, address, bytes, from, length);
    if (error != 0) {
      throw new CannotGoOn(
          "memory of the target could not be written (%d bytes at 0x%x): error %d"
              .formatted(length, address, error),
          "");
    }
  }

  /**
   * Bytes for an address.
   *
   * @param bytes not to be changed before they are written
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Write(long address, byte[] bytes) {}

  /**
   * Reads many ranges, small ones with few exchanges.
   *
   * @return for each what could be read from its first byte on
   */
  public List<byte[]> readUpTo(List<Range> ranges) {
    return batch.readUpTo(ranges);
  }

  /**
   * Writes many ranges in their order, small ones with few exchanges.
   *
   * @throws CannotGoOn if one cannot be written
   */
  public void write(List<Write> writes) {
    batch.write(writes);
  }

  /** Allocates pages anywhere. */
  public long allocate(long size, int protection) {
    return calls.must(
        "no memory in the target",
        "kernel32!VirtualAllocEx",
        process,
        0,
        size,
        RESERVE | COMMIT,
        protection);
  }

  /** Reserves address space anywhere, without memory behind it. */
  public long reserve(long size) {
    long found = tryReserve(size);
    if (found == 0) {
      throw noSpace("(%d MiB in one piece)".formatted(size + 0xF_FFFF >> 20));
    }
    return found;
  }

  private static CannotGoOn noSpace(String what) {
    return new CannotGoOn(
        "no free address space in the program " + what,
        "start the program with ntrail, which reserves the memory first; fewer --buffers need less");
  }

  /** Reserves address space anywhere; returns 0 if there is not enough. */
  public long tryReserve(long size) {
    return calls.call("kernel32!VirtualAllocEx", process, 0, size, RESERVE, READ_WRITE).result();
  }

  /**
   * Commits memory in reserved address space, all of it with one exchange.
   *
   * @param ranges with the protection that they are to have
   */
  public void commit(List<Pages> ranges) {
    List<CallOutcome> outcomes =
        calls.call(
            ranges.stream()
                .map(its ->
                    calls.prepare(
                        "kernel32!VirtualAllocEx",
                        process,
                        its.address,
                        its.size,
                        COMMIT,
                        its.protection))
                .toList());
    for (CallOutcome outcome : outcomes) {
      if (outcome.result() == 0) {
        throw WindowsApi.failed(
            "no memory in the target", "kernel32!VirtualAllocEx", outcome.error());
      }
    }
  }

  /** Commits memory in reserved address space. */
  public void commit(long address, long size, int protection) {
    calls.must(
        "no memory in the target",
        "kernel32!VirtualAllocEx",
        process,
        address,
        size,
        COMMIT,
        protection);
  }

  /**
   * Allocates pages within reach of 32-bit displacements from and to every byte of a range.
   *
   * @param isWanted whether an address is wanted at all
   * @return 0 if there are none
   */
  public long allocateNear(
      long begin, long end, long size, int protection, LongPredicate isWanted) {
    return NearPages.allocate(calls, process, begin, end, size, protection, isWanted);
  }

  /**
   * Allocates pages at one address.
   *
   * @return false if they are not free
   */
  public boolean tryAllocate(long address, long size, int protection) {
    return allocateAt(address, size, protection) != 0;
  }

  private long allocateAt(long address, long size, int protection) {
    return calls
        .call("kernel32!VirtualAllocEx", process, address, size, RESERVE | COMMIT, protection)
        .result();
  }

  /**
   * Maps a whole file for reading and writing, shared with its other mappings. Under Wine a thread
   * of the target does that: see {@code WineInterruption}.
   *
   * @param name as the target's system names it
   * @return where it lies in the target
   */
  public long map(String name) {
    String what = "the session file could not be shared with the program";
    long text = calls.put(WindowsApi.PAGE, new BytesBuilder(256).utf16z(name));
    long file =
        calls
            .call("kernel32!CreateFileW", text, READ_AND_WRITE, SHARE_ALL, 0, OPEN, NORMAL, 0)
            .result();
    if ((int) file == -1) {
      throw new CannotGoOn(what + " (" + name + ")", "");
    }
    long section = calls.must(what, "kernel32!CreateFileMappingW", file, 0, READ_WRITE, 0, 0, 0);
    long cells = calls.put(0, new BytesBuilder(32).zeros(32));
    int status =
        calls
            .call(
                "ntdll!NtMapViewOfSection",
                section,
                process,
                cells,
                0,
                0,
                0,
                cells + 8,
                NOT_INHERITED,
                0,
                READ_WRITE)
            .asInt();
    calls.call("kernel32!CloseHandle", section);
    calls.call("kernel32!CloseHandle", file);
    if (status == NO_MEMORY || status == CONFLICTING_ADDRESSES) {
      throw noSpace("for the session file");
    }
    if (status < 0) {
      throw new CannotGoOn(what + " (NtMapViewOfSection: status 0x%08x)".formatted(status), "");
    }
    return calls.get(0, 8).i64(0);
  }

  /** Unmaps a file. */
  public void unmap(long base) {
    calls.call("ntdll!NtUnmapViewOfSection", process, base);
  }

  /**
   * Returns the end of the pages that have the same protection as an address.
   *
   * @return an address after it; the next page's if unknown
   */
  public long regionEnd(long address) {
    return region(address)
        .map(Region::end)
        .filter(end -> end - address > 0)
        .orElse((address | WindowsApi.PAGE - 1) + 1);
  }

  /**
   * Range of equal pages: the structure MEMORY_BASIC_INFORMATION of winnt.h.
   *
   * @param base where it begins
   * @param allocation begin of the allocation it belongs to; 0 if it is free
   * @param allocationProtection protection with which that was made
   * @param size bytes
   * @param state MEM_COMMIT, MEM_RESERVE or MEM_FREE
   * @param protection of the pages; 0 if they are not committed
   * @param type MEM_IMAGE, MEM_MAPPED or MEM_PRIVATE; 0 if it is free
   */
  public record Region(
      long base,
      long allocation,
      int allocationProtection,
      long size,
      int state,
      int protection,
      int type) {
    private static final int NO_ACCESS = 0x01;
    private static final int GUARD = 0x100;

    static Region of(Bytes information, SystemLayout layout) {
      int pointer = layout.pointerBytes();
      return new Region(
          layout.pointer(information, 0),
          layout.pointer(information, pointer),
          (int) information.u32(2 * pointer),
          layout.pointer(information, 3 * pointer),
          (int) information.u32(4 * pointer),
          (int) information.u32(4 * pointer + 4),
          (int) information.u32(4 * pointer + 8));
    }

    /** Returns the address behind it. */
    public long end() {
      return base + size;
    }

    /** Returns true if it has neither memory nor a reservation. */
    public boolean isFree() {
      return state == FREE;
    }

    /** Returns true if there is memory that can be read without touching a guard page. */
    public boolean isReadable() {
      return state == COMMIT && (protection & (NO_ACCESS | GUARD)) == 0 && protection != 0;
    }
  }

  /** Returns the range of equal pages with an address; empty beyond the end of the space. */
  public Optional<Region> region(long address) {
    return regions(address).getFirst();
  }

  /** Returns the ranges of equal pages with some addresses, in two exchanges. */
  private List<Optional<Region>> regions(long... addresses) {
    long info = calls.scratch(0);
    SystemLayout layout = calls.layout();
    int each = layout.memoryBytes();
    List<AgentCall> asking = new ArrayList<>();
    for (int i = 0; i < addresses.length; i++) {
      asking.add(
          calls.prepare(
              "kernel32!VirtualQueryEx", process, addresses[i], info + (long) each * i, each));
    }
    List<CallOutcome> outcomes = calls.call(asking);
    Bytes answers = calls.get(0, each * addresses.length);
    return IntStream.range(0, addresses.length)
        .mapToObj(i ->
            outcomes.get(i).kind() == CallOutcome.Kind.DONE && outcomes.get(i).result() != 0
                ? Optional.of(Region.of(answers.slice(each * i, each), layout))
                : Optional.<Region>empty())
        .toList();
  }

  /** Returns the begin of the pages that have the same protection as an address. */
  public long regionBegin(long address) {
    return region(address).map(Region::base).orElse(address & -(long) WindowsApi.PAGE);
  }

  /** Returns whether an address has neither memory nor a reservation. */
  public boolean isFree(long address) {
    return region(address).filter(Region::isFree).isPresent();
  }

  /** Decommits memory; its address space stays reserved. */
  public void decommit(long address, long size) {
    calls.call("kernel32!VirtualFreeEx", process, address, size, DECOMMIT);
  }

  /** Frees pages. */
  public void free(long address) {
    calls.call("kernel32!VirtualFreeEx", process, address, 0, RELEASE);
  }

  /** Changes the protection of pages. */
  public void protect(long address, long size, int protection) {
    reprotect(address, size, protection);
  }

  /**
   * Changes the protection of pages.
   *
   * @return what it was
   */
  public int exchangeProtection(long address, long size, int protection) {
    reprotect(address, size, protection);
    return (int) calls.get(0, 4).u32(0);
  }

  private void reprotect(long address, long size, int protection) {
    long old = calls.scratch(0);
    calls.must(
        "memory of the target could not be made writable",
        "kernel32!VirtualProtectEx",
        process,
        address,
        size,
        protection,
        old);
  }

  /**
   * Adjacent pages.
   *
   * @param protection that they have, or are to have
   */
  public record Pages(long address, long size, int protection) {}

  /**
   * Changes the protection of many pages at once.
   *
   * @return what it was
   */
  public List<Pages> protect(List<Pages> ranges) {
    List<Pages> before = new ArrayList<>(ranges.size());
    change(ranges, before, true);
    return before;
  }

  /** Restores the protection of pages; those that are gone are skipped. */
  public void restore(List<Pages> before) {
    change(before, new ArrayList<>(), false);
  }

  private void change(List<Pages> ranges, List<Pages> before, boolean must) {
    for (int done = 0; done < ranges.size(); done += CELLS) {
      List<Pages> some = ranges.subList(done, Math.min(ranges.size(), done + CELLS));
      long old = calls.scratch(0);
      List<AgentCall> changes = new ArrayList<>();
      for (int i = 0; i < some.size(); i++) {
        Pages pages = some.get(i);
        changes.add(
            calls.prepare(
                "kernel32!VirtualProtectEx",
                process,
                pages.address,
                pages.size,
                pages.protection,
                old + 8L * i));
      }
      for (CallOutcome outcome : calls.call(changes)) {
        if (must && (outcome.kind() != CallOutcome.Kind.DONE || outcome.result() == 0)) {
          throw WindowsApi.failed(
              "memory of the target could not be made writable",
              "kernel32!VirtualProtectEx",
              outcome.error());
        }
      }
      Bytes cells = calls.get(0, 8 * some.size());
      for (int i = 0; i < some.size(); i++) {
        Pages pages = some.get(i);
        before.add(new Pages(pages.address, pages.size, (int) cells.u32(8 * i)));
      }
    }
  }

  /** Flushes the instruction cache after a change of code. */
  public void flush(long address, long size) {
    calls.call("kernel32!FlushInstructionCache", process, address, size);
  }

  /** Prepares writes that must be quick. */
  public PreparedWrites prepare(List<PreparedWrites.Write> writes) {
    return new PreparedWrites(calls, process, writes);
  }
}
