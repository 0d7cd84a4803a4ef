package io.ntrail.live.target;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.agent.SystemLayout;
import io.ntrail.live.windows.TargetMemory;
import io.ntrail.live.windows.TargetMemory.Range;
import io.ntrail.live.windows.WindowsApi;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** The process environment block of a process: its image, command line and loaded modules. */
final class ProcessEnvironment {
  private static final int MAX_MODULES = 10_000;
  private static final int MAX_READS = 10;

  /** Class of NtQueryInformationProcess: PROCESS_BASIC_INFORMATION. */
  private static final int BASIC_INFORMATION = 0;

  /** No address is lower. */
  private static final int LOWEST = 0x1_0000;

  /** Distance of the blocks of both sides where the system does not tell that of the 32-bit one. */
  private static final int WOW64_DISTANCE = 0x1000;

  /**
   * Class of NtQueryInformationProcess: address of the 32-bit block of a process; 0: it has none.
   */
  private static final int WOW64_INFORMATION = 26;

  private final WindowsApi calls;
  private final long process;
  private final TargetMemory memory;
  private final BooleanSupplier isEnded;
  private final Layout layout;

  /**
   * Offsets in the process environment block, and in the structures of the loader that it leads to.
   *
   * @param pointerSize bytes of a pointer
   * @param imageBase offset of the base of the program's image in the block
   * @param loader offset of the pointer to the loader's data in the block
   * @param parameters offset of the pointer to the parameters in the block
   * @param commandLine offset of the command line in the parameters
   * @param loaderList offset of the list of modules in the order of their loading in the loader's
   *     data
   * @param entryBytes size of the part of an entry of that list that is read
   * @param base offset of the base in an entry
   * @param size offset of the size in an entry
   * @param path offset of the whole path in an entry
   * @param name offset of the file's name in an entry
   */
  record Layout(
      int pointerSize,
      int imageBase,
      int loader,
      int parameters,
      int commandLine,
      int loaderList,
      int entryBytes,
      int base,
      int size,
      int path,
      int name) {
    /** Layout of 64-bit processes. */
    static final Layout X64 =
        new Layout(8, 0x10, 0x18, 0x20, 0x70, 0x10, 0x68, 0x30, 0x40, 0x48, 0x58);

    /** Layout of 32-bit processes. */
    static final Layout X86 =
        new Layout(4, 0x08, 0x0C, 0x10, 0x40, 0x0C, 0x34, 0x18, 0x20, 0x24, 0x2C);

    /** Returns the layout of processes whose code is like the agent's. */
    static Layout of(SystemLayout system) {
      return system.pointerBytes() == Long.BYTES ? X64 : X86;
    }

    /** Reads a pointer. */
    long pointer(Bytes bytes, int at) {
      return pointerSize == Long.BYTES ? bytes.i64(at) : bytes.u32(at);
    }
  }

  /**
   * Reads nothing yet.
   *
   * @param process a handle of the agent
   * @param isEnded whether the process has ended
   * @param layout of the block that is meant: a 32-bit process on 64-bit Windows has two
   */
  ProcessEnvironment(
      WindowsApi calls, long process, TargetMemory memory, BooleanSupplier isEnded, Layout layout) {
    this.calls = calls;
    this.process = process;
    this.memory = memory;
    this.isEnded = isEnded;
    this.layout = layout;
  }

  /** Returns whether the block is that of 32-bit code. */
  boolean is32Bit() {
    return layout.equals(Layout.X86);
  }

  /** Returns the address of the block. */
  long address() {
    boolean isEmulated = layout.pointerSize() < calls.layout().pointerBytes();
    return isEmulated ? address32() : ownAddress();
  }

  /** Returns the address of the block of the side that the system's own programs have. */
  private long ownAddress() {
    SystemLayout its = calls.layout();
    return its.pointer(query(BASIC_INFORMATION, its.processBytes()), its.pointerBytes());
  }

  /** Returns the address of the 32-bit block; 0 if there is none yet. */
  private long address32() {
    long told = query(WOW64_INFORMATION, 8).i64(0);
    if (told >= LOWEST) {
      return told;
    }
    // Wine only says that there is one, which is the next page: it names the same image, then.
    long block = ownAddress();
    byte[] both = memory.readUpTo(block, WOW64_DISTANCE + Layout.X86.imageBase + 4);
    if (block == 0 || both.length < WOW64_DISTANCE + Layout.X86.imageBase + 4) {
      return 0;
    }
    Bytes blocks = Bytes.copyOf(both, "block");
    return blocks.u32(WOW64_DISTANCE + Layout.X86.imageBase) == blocks.i64(Layout.X64.imageBase)
        ? block + WOW64_DISTANCE
        : 0;
  }

  private Bytes query(int kind, int size) {
    long info = calls.put(0, new BytesBuilder(64).zeros(64));
    calls.mustSucceed(
        "query of the target failed",
        "ntdll!NtQueryInformationProcess",
        process,
        kind,
        info,
        size,
        0);
    return calls.get(0, size);
  }

  private long pointer(long address) {
    return layout.pointer(memory.read(address, layout.pointerSize()), 0);
  }

  /** Returns whether the loader has begun. A process that is being created may have no memory. */
  boolean hasLoader() {
    long block = address();
    return block != 0
        && memory.readUpTo(block + layout.loader(), 8).length == 8
        && pointer(block + layout.loader()) != 0;
  }

  /** Returns the base of the program's image. */
  long imageBase() {
    return pointer(address() + layout.imageBase());
  }

  /** Returns the command line; empty if there is none. */
  String commandLine() {
    long parameters = pointer(address() + layout.parameters());
    return parameters == 0 ? "" : text(memory.read(parameters, 0x80), layout.commandLine());
  }

  /**
   * Returns the modules of the loader in the order in which they were loaded.
   *
   * @throws CannotGoOn if they cannot be read: their list changed too often meanwhile
   */
  List<TargetModule> modules() {
    for (int i = 0; i < MAX_READS - 1; i++) {
      try {
        return readModules();
      } catch (CannotGoOn e) {
        // The list may change while it is read.
        if (isEnded.getAsBoolean()) {
          throw e;
        }
      }
    }
    return readModules();
  }

  private List<TargetModule> readModules() {
    long loader = pointer(address() + layout.loader());
    if (loader == 0) {
      return List.of();
    }
    List<Bytes> entries = new ArrayList<>();
    List<Range> names = new ArrayList<>();
    long head = loader + layout.loaderList();
    long at = pointer(head);
    while (at != head && entries.size() < MAX_MODULES) {
      Bytes entry = memory.read(at, layout.entryBytes());
      entries.add(entry);
      names.add(textRange(entry, layout.path()));
      names.add(textRange(entry, layout.name()));
      at = layout.pointer(entry, 0);
    }
    List<byte[]> texts = memory.readUpTo(names);
    List<TargetModule> modules = new ArrayList<>();
    for (int i = 0; i < entries.size(); i++) {
      modules.add(
          new TargetModule(
              layout.pointer(entries.get(i), layout.base()),
              entries.get(i).u32(layout.size()),
              text(names.get(2 * i), texts.get(2 * i)),
              text(names.get(2 * i + 1), texts.get(2 * i + 1))));
    }
    return modules;
  }

  /** Returns the text of a UNICODE_STRING. */
  String text(long address) {
    return text(memory.read(address, 2 * layout.pointerSize()), 0);
  }

  private String text(Bytes structure, int at) {
    Range range = textRange(structure, at);
    return text(range, memory.readUpTo(range.address(), range.length()));
  }

  /** Returns where the letters of a UNICODE_STRING are. */
  private Range textRange(Bytes structure, int at) {
    return new Range(layout.pointer(structure, at + layout.pointerSize()), structure.u16(at) & ~1);
  }

  private static String text(Range range, byte[] bytes) {
    if (bytes.length < range.length()) {
      throw new CannotGoOn(
          "memory of the target could not be read (%d bytes at 0x%x)"
              .formatted(range.length(), range.address()),
          "");
    }
    return new String(bytes, StandardCharsets.UTF_16LE);
  }
}
