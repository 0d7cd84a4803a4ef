package io.ntrail.programs.unwind.x86;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.programs.memory.AddressSpace;

/** Reads 32-bit words of an address space; keeps the bytes that it read last. */
final class Words {
  /** Result for a word that cannot be read. */
  static final long MISSING = -1;

  private static final int WINDOW = 4096;

  private final AddressSpace memory;
  private Bytes window;
  private long start;

  Words(AddressSpace memory) {
    this.memory = memory;
    this.window = memory.readUpTo(0, 0);
  }

  /** Returns the word at an address, zero-extended, or {@link #MISSING}. */
  long at(long address) {
    if (address < 0 || address > 0xFFFF_FFFCL) {
      return MISSING;
    }
    long offset = address - start;
    if (offset < 0 || offset > window.length() - 4) {
      Bytes read = memory.readUpTo(address, WINDOW);
      if (read.length() < 4) {
        return MISSING;
      }
      window = read;
      start = address;
      offset = 0;
    }
    return window.u32((int) offset);
  }
}
