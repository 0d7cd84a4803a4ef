package io.ntrail.live.code;

/**
 * Layout of the places in which a target leaves copies of stacks, one of each so many calls
 * (docs/live.md section 1). They end the session file. All numbers are little-endian.
 *
 * @param at offset of the first place in the session file
 * @param every of so many calls of a stack, the first is sampled; 0: there are no places
 */
public record SamplePlaces(long at, int every) {
  /** The layout of a session that samples no stacks. */
  public static final SamplePlaces NONE = new SamplePlaces(0, 0);

  /** Number of places. */
  public static final int PLACES = 64;

  /** Size of a place. */
  public static final int PLACE_BYTES = 0x4000;

  /** Size of all places. */
  public static final int BYTES = PLACES * PLACE_BYTES;

  // Fields of a place.

  /** u32: {@link #FREE}, {@link #CLAIMED} or {@link #WRITTEN}. */
  public static final int STATE = 0;

  /** u32: id of the thread. */
  public static final int THREAD = 4;

  /** u64: time stamp counter, the same number as in the record of the entry. */
  public static final int TICKS = 8;

  /** u64: the address above the return address, as in the record of the entry. */
  public static final int KEY = 16;

  /** u64: end of the stack, as the system has it. */
  public static final int STACK_BASE = 24;

  /** u64: address of the area; 0 = none is known. */
  public static final int AREA = 32;

  /** u32: offset in the place of the copied stack, after the frames. */
  public static final int STACK_AT = 40;

  /** u32: bytes of the copied stack, which begins with the return address. */
  public static final int STACK_BYTES = 44;

  /** u64 each: the nonvolatile registers rbx, rbp, rsi, rdi, r12 to r15; of x86 the first four. */
  public static final int REGISTERS = 48;

  /** Of x86, u32: the function, as in the record of the entry. */
  public static final int FUNCTION = 80;

  /**
   * Traced frames of the stack, from the slot of this call outwards: two u64 each, the key and the
   * value that the exit puts back on the stack. They end where the stack begins.
   */
  public static final int FRAMES = 112;

  /** Size of a traced frame. */
  public static final int FRAME_BYTES = 16;

  /** State of a free place. */
  public static final int FREE = 0;

  /** State of a place that a thread writes into. */
  public static final int CLAIMED = 1;

  /** State of a place that is to be read. */
  public static final int WRITTEN = 2;

  /** Returns whether stacks are sampled. */
  public boolean exist() {
    return every > 0;
  }

  /** Returns the offset of a place in the session file. */
  public long place(int number) {
    return at + (long) number * PLACE_BYTES;
  }
}
