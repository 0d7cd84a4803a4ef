package io.ntrail.analysis.dumps;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.dump.context.ProcessorArchitecture;
import io.ntrail.formats.dump.context.ProcessorContext;
import io.ntrail.programs.memory.AddressSpace;
import java.util.Optional;

/**
 * Reads what Windows keeps in the memory of a process about itself: the environment blocks of
 * threads and process (TEB, PEB) and the parameters of the process. Places are those of ntdll's
 * public symbols, equal from Windows XP to 11.
 */
final class ProcessBlocks {
  private static final int LONGEST = 0x1_0000;

  /** TlsSlots of a 64-bit TEB; the slot of WOW64_TLS_CPURESERVED. */
  private static final int CPU_RESERVED = 0x1480 + 8;

  /** A 32-bit CONTEXT is this far into what the slot points to. */
  private static final int WOW64_CONTEXT = 4;

  private static final int CONTEXT_BYTES = 0x2CC;

  private final AddressSpace memory;
  private final boolean is64Bit;

  ProcessBlocks(AddressSpace memory, boolean is64Bit) {
    this.memory = memory;
    this.is64Bit = is64Bit;
  }

  /** Reads a pointer; 0 if it is not in the memory. */
  private long pointer(long address) {
    int size = is64Bit ? 8 : 4;
    Bytes bytes = memory.readUpTo(address, size);
    return bytes.length() < size ? 0 : bytes.pointer(0, size);
  }

  private long pointer(long block, int at64, int at32) {
    return block == 0 ? 0 : pointer(block + (is64Bit ? at64 : at32));
  }

  /** Returns the limits of a stack as its TEB has them; empty if they cannot be right. */
  Optional<StackBounds> stack(long teb) {
    long high = pointer(teb, 0x08, 0x04);
    long low = pointer(teb, 0x10, 0x08);
    long reserved = pointer(teb, 0x1478, 0xE0C);
    boolean isOne = low != 0 && Long.compareUnsigned(low, high) < 0;
    if (!isOne) {
      return Optional.empty();
    }
    boolean isReserved = reserved != 0 && Long.compareUnsigned(reserved, low) <= 0;
    return Optional.of(new StackBounds(low, high, isReserved ? reserved : low));
  }

  /** Returns the parameters of the process (RTL_USER_PROCESS_PARAMETERS); 0 if unknown. */
  private long parameters(long teb) {
    return pointer(pointer(teb, 0x60, 0x30), 0x20, 0x10);
  }

  /** Returns the last error of a thread (LastErrorValue); empty if it was not saved. */
  Optional<Integer> lastError(long teb) {
    Bytes bytes =
        teb == 0 ? memory.readUpTo(0, 0) : memory.readUpTo(teb + (is64Bit ? 0x68 : 0x34), 4);
    return bytes.length() == 4 ? Optional.of(bytes.i32(0)) : Optional.empty();
  }

  /** Returns the path of the program; empty if it was not saved. */
  String imagePath(long teb) {
    return text(parameters(teb), 0x60, 0x38);
  }

  /** Returns the command line; empty if it was not saved. */
  String commandLine(long teb) {
    return text(parameters(teb), 0x70, 0x40);
  }

  /** Returns the current folder; empty if it was not saved. */
  String currentDirectory(long teb) {
    return text(parameters(teb), 0x38, 0x24);
  }

  /** Reads a UNICODE_STRING. */
  private String text(long block, int at64, int at32) {
    if (block == 0) {
      return "";
    }
    long at = block + (is64Bit ? at64 : at32);
    Bytes head = memory.readUpTo(at, 2);
    long place = pointer(at + (is64Bit ? 8 : 4));
    if (head.length() < 2 || place == 0) {
      return "";
    }
    int length = Math.min(head.u16(0), LONGEST) & ~1;
    Bytes text = memory.readUpTo(place, length);
    return text.length() < length ? "" : text.utf16z(0, length);
  }

  /**
   * Returns the 32-bit registers of a thread of a 32-bit process on 64-bit Windows: those with
   * which it left 32-bit code.
   *
   * @param teb of the 64-bit side
   */
  Optional<ProcessorContext> wow64Context(long teb) {
    long block = teb == 0 ? 0 : pointer(teb + CPU_RESERVED);
    if (block == 0) {
      return Optional.empty();
    }
    Bytes context = memory.readUpTo(block + WOW64_CONTEXT, CONTEXT_BYTES);
    return context.length() < CONTEXT_BYTES
        ? Optional.empty()
        : ProcessorContext.read(context, ProcessorArchitecture.X86);
  }

  /** Returns the TEB of the 32-bit side: the 64-bit one begins with a pointer to it. */
  long wow64Teb(long teb) {
    long pointed = teb == 0 ? 0 : pointer(teb);
    return pointed != 0 ? pointed : teb == 0 ? 0 : teb + 0x2000;
  }
}
