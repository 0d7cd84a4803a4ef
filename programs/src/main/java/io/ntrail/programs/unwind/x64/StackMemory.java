package io.ntrail.programs.unwind.x64;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.programs.memory.AddressSpace;

/**
 * Words of the stack, read through a window that moves up with the walk. For one thread and one
 * instant: bytes in the window are not read again.
 */
public final class StackMemory {
  /** Bytes of a window: most stacks are smaller, and a live target is asked seldom. */
  private static final int WINDOW = 1 << 14;

  private static final int WORD = 8;

  private static final Bytes NOTHING = Bytes.copyOf(new byte[0], "");

  private final AddressSpace space;
  private Bytes window = NOTHING;
  private long start;

  /** Offset of the last whole word of the window; negative if there is none. */
  private int last = -WORD;

  /** Makes a reader of memory. */
  public StackMemory(AddressSpace space) {
    this.space = space;
  }

  /**
   * Reads a 64-bit word.
   *
   * @throws io.ntrail.formats.bytes.DamagedInput if it cannot be read
   */
  public long word(long address) {
    long at = address - start;
    return at >= 0 && at <= last ? window.i64((int) at) : moved(address);
  }

  private long moved(long address) {
    Bytes read = space.readUpTo(address, WINDOW);
    if (read.length() < WORD) {
      return space.read(address, WORD).i64(0);
    }
    window = read;
    start = address;
    last = read.length() - WORD;
    return read.i64(0);
  }

  /** Returns true if a 64-bit word can be read. */
  boolean has(long address) {
    long at = address - start;
    return at >= 0 && at <= last || space.readUpTo(address, WORD).length() == WORD;
  }
}
