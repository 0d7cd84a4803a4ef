package io.ntrail.analysis.dumps;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.dump.MemoryRanges;
import io.ntrail.formats.dump.Minidump;
import io.ntrail.formats.dump.streams.MemoryInfo;
import io.ntrail.formats.dump.streams.MemoryInfoList;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.MemoryRegion;
import io.ntrail.programs.memory.MemoryRegion.Access;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Memory of a dump by address: the bytes that were saved, and for code and constants that were not,
 * those of the files of modules, as far as files are known. May be used by several threads.
 *
 * <p>Regions are those of the process, if the dump lists them; else the saved ranges and the
 * modules.
 */
public final class DumpMemory implements AddressSpace {
  private final Minidump dump;
  private final MemoryRanges saved;
  private final MemoryInfoList infos;
  private final DumpModules modules;
  private final StackRanges stacks;

  DumpMemory(Minidump dump, MemoryInfoList infos, DumpModules modules) {
    this.dump = dump;
    this.saved = dump.memory();
    this.infos = infos;
    this.modules = modules;
    this.stacks = StackRanges.of(dump);
  }

  @Override
  public String name() {
    return dump.name();
  }

  /** Returns the state of all pages of the process; empty if the dump does not have it. */
  public MemoryInfoList infos() {
    return infos;
  }

  /** Returns the saved ranges. */
  public MemoryRanges saved() {
    return saved;
  }

  /** Returns true if the byte at an address was saved. */
  public boolean isSaved(long address) {
    return saved.at(address) >= 0;
  }

  /** Returns saved bytes from an address up to the first one that was not saved. */
  public Bytes savedUpTo(long address, int most) {
    return saved.readUpTo(address, most);
  }

  @Override
  public Bytes readUpTo(long address, int most) {
    Bytes first = saved.readUpTo(address, most);
    if (first.length() == most || !modules.haveFiles()) {
      return first;
    }
    List<byte[]> pieces = new ArrayList<>();
    int length = 0;
    Bytes piece = first;
    do {
      pieces.add(piece.array(0, piece.length()));
      length += piece.length();
      piece = more(address + length, most - length);
    } while (piece.length() > 0);
    return pieces.size() == 1 ? first : Bytes.joined(pieces, name());
  }

  /** Returns the next piece, saved or from a file. */
  private Bytes more(long address, int most) {
    Bytes bytes = saved.readUpTo(address, most);
    if (bytes.length() > 0 || most == 0) {
      return bytes;
    }
    int next = saved.after(address);
    long gap = next < saved.count() ? saved.start(next) - address : Long.MAX_VALUE;
    int limit = gap < 0 ? most : (int) Math.min(most, gap);
    return modules
        .withFileAt(address)
        .map(module -> module.fileBytes(address, limit))
        .orElse(bytes);
  }

  @Override
  public Optional<MemoryRegion> regionAt(long address) {
    Optional<MemoryInfo> info = infos.at(address);
    if (info.isPresent()) {
      return info.filter(i -> !i.isFree() && i.size() > 0).map(i -> region(i, address));
    }
    Optional<DumpedModule> module = modules.moduleAt(address);
    int range = saved.at(address);
    if (range < 0) {
      return module.map(m -> new MemoryRegion(m.base(), m.size(), Set.of(), m.path()));
    }
    long start = saved.start(range);
    long last = start + saved.length(range) - 1;
    if (module.isPresent()) {
      // A saved range may reach from one module into the next.
      start = maximum(start, module.get().base());
      last = minimum(last, module.get().base() + module.get().size() - 1);
    }
    return Optional.of(
        new MemoryRegion(
            start,
            last - start + 1,
            Set.of(),
            module.map(DumpedModule::path).orElseGet(() -> stacks.owner(address))));
  }

  private MemoryRegion region(MemoryInfo info, long address) {
    Set<Access> access = EnumSet.noneOf(Access.class);
    if (!info.isGuard()) {
      add(access, Access.READ, info.isReadable());
      add(access, Access.WRITE, info.isWritable());
      add(access, Access.EXECUTE, info.isExecutable());
    }
    String owner =
        modules.moduleAt(address).map(DumpedModule::path).orElseGet(() -> stacks.owner(address));
    return new MemoryRegion(info.base(), info.size(), access, owner.isEmpty() ? kind(info) : owner);
  }

  private static void add(Set<Access> access, Access one, boolean is) {
    if (is) {
      access.add(one);
    }
  }

  private static String kind(MemoryInfo info) {
    String state = info.isGuard() ? "guard page" : info.isCommitted() ? "" : "reserved";
    String type =
        switch (info.type()) {
          case MemoryInfo.PRIVATE -> "private memory";
          case MemoryInfo.MAPPED -> "mapped file";
          case MemoryInfo.IMAGE -> "image";
          default -> "memory";
        };
    return state.isEmpty() ? type : state + ", " + type;
  }

  private static long maximum(long a, long b) {
    return Long.compareUnsigned(a, b) > 0 ? a : b;
  }

  private static long minimum(long a, long b) {
    return Long.compareUnsigned(a, b) < 0 ? a : b;
  }
}
