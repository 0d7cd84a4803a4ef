package io.ntrail.live.target;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.target.TargetMemory.Range;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** The process environment block of a process: its image, command line and loaded modules. */
final class ProcessEnvironment {
  private static final int MAX_MODULES = 10_000;
  private static final int MAX_READS = 10;

  // Of the process environment block.
  private static final int IMAGE_BASE = 0x10;
  private static final int LOADER = 0x18;
  private static final int PARAMETERS = 0x20;
  private static final int PARAMETERS_COMMAND_LINE = 0x70;
  private static final int LOADER_LIST = 0x10;

  private final WindowsApi calls;
  private final long process;
  private final TargetMemory memory;
  private final BooleanSupplier isEnded;

  /**
   * Reads nothing yet.
   *
   * @param process a handle of the agent
   * @param isEnded whether the process has ended
   */
  ProcessEnvironment(WindowsApi calls, long process, TargetMemory memory, BooleanSupplier isEnded) {
    this.calls = calls;
    this.process = process;
    this.memory = memory;
    this.isEnded = isEnded;
  }

  /** Returns the address of the block. */
  long address() {
    long info = calls.put(0, new BytesBuilder(64).zeros(64));
    calls.mustSucceed(
        "query of the target failed", "ntdll!NtQueryInformationProcess", process, 0, info, 48, 0);
    return calls.get(0, 48).i64(8);
  }

  private long pointer(long address) {
    return memory.read(address, 8).i64(0);
  }

  /** Returns whether the loader has begun. A process that is being created may have no memory. */
  boolean hasLoader() {
    long block = address();
    return block != 0
        && memory.readUpTo(block + LOADER, 8).length == 8
        && pointer(block + LOADER) != 0;
  }

  /** Returns the base of the program's image. */
  long imageBase() {
    return pointer(address() + IMAGE_BASE);
  }

  /** Returns the command line; empty if there is none. */
  String commandLine() {
    long parameters = pointer(address() + PARAMETERS);
    return parameters == 0 ? "" : text(memory.read(parameters, 0x80), PARAMETERS_COMMAND_LINE);
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
    long loader = pointer(address() + LOADER);
    if (loader == 0) {
      return List.of();
    }
    List<Bytes> entries = new ArrayList<>();
    List<Range> names = new ArrayList<>();
    long head = loader + LOADER_LIST;
    long at = pointer(head);
    while (at != head && entries.size() < MAX_MODULES) {
      Bytes entry = memory.read(at, 0x68);
      entries.add(entry);
      names.add(textRange(entry, 0x48));
      names.add(textRange(entry, 0x58));
      at = entry.i64(0);
    }
    List<byte[]> texts = memory.readUpTo(names);
    List<TargetModule> modules = new ArrayList<>();
    for (int i = 0; i < entries.size(); i++) {
      modules.add(
          new TargetModule(
              entries.get(i).i64(0x30),
              entries.get(i).u32(0x40),
              text(names.get(2 * i), texts.get(2 * i)),
              text(names.get(2 * i + 1), texts.get(2 * i + 1))));
    }
    return modules;
  }

  /** Returns the text of a UNICODE_STRING. */
  String text(long address) {
    return text(memory.read(address, 16), 0);
  }

  private String text(Bytes structure, int at) {
    Range range = textRange(structure, at);
    return text(range, memory.readUpTo(range.address(), range.length()));
  }

  /** Returns where the letters of a UNICODE_STRING are. */
  private static Range textRange(Bytes structure, int at) {
    return new Range(structure.i64(at + 8), structure.u16(at) & ~1);
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
