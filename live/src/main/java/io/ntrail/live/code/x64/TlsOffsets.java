package io.ntrail.live.code.x64;

/**
 * The two words of each thread's block that the code in the target uses: where they lie from the
 * segment register gs.
 *
 * @param slot code of the next free slot; 0 = the thread is not known yet
 * @param record where the next record goes; 0 = none is written
 */
public record TlsOffsets(int slot, int record) {
  /** TlsSlots of the thread environment block, which can be reached without a call. */
  private static final int SLOTS = 0x1480;

  /** How many those are. */
  public static final int DIRECT = 64;

  /** The words of two numbers that TlsAlloc gave. */
  public static TlsOffsets of(int first, int second) {
    return new TlsOffsets(SLOTS + 8 * first, SLOTS + 8 * second);
  }

  /** The number that TlsAlloc gave for the first. */
  public int slotIndex() {
    return (slot - SLOTS) / 8;
  }

  /** The number that TlsAlloc gave for the second. */
  public int recordIndex() {
    return (record - SLOTS) / 8;
  }
}
