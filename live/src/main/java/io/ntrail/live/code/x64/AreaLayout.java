package io.ntrail.live.code.x64;

/**
 * Layout of an area, the memory that one stack uses (docs/live.md).
 *
 * <p>Areas begin at multiples of {@link #ALIGNMENT}, so that the area follows from the address of a
 * slot. All distances are from that beginning.
 */
final class AreaLayout {
  /** Areas begin at multiples of it. */
  static final int ALIGNMENT = 0x8_0000;

  /** Slots of an area. */
  static final int SLOTS = 256;

  /** Distance of one slot's code from the next. */
  static final int STRIDE = 640;

  /** The page with the area's own fields and its spill. */
  static final int HEAD = 0xF000;

  /** Offset in the runtime block alone, up to {@link #HEAD}: the cache of areas by stack. */
  static final int INDEX = HEAD - StackAreaCache.BYTES;

  /** Begin of the spill; it ends at {@link #CODE}, where a chunk would end, too. */
  static final int SPILL = 0xFC00;

  /** Bytes of the spill. */
  static final int SPILL_BYTES = 0x400;

  /** Code of slots; the first stretch belongs to index -1, which has only data. */
  static final int CODE = 0x1_0000;

  /** Code of slot 0. */
  static final int FIRST = CODE + STRIDE;

  /** Distance from the code of a slot to its data. */
  static final int DELTA = STRIDE * (SLOTS + 2) + 0xFFF & ~0xFFF;

  /** Data of slots. */
  static final int DATA = CODE + DELTA;

  /** Function table, unwind data and handler. */
  static final int TABLE = DATA + DELTA;

  // Fields of the head.
  /** gs:[8] of the stack. */
  static final int STACK_BASE = HEAD;

  /** Negated sum of that and the address of the thread environment block: owner of the area. */
  static final int NEGATED_BASE = HEAD + 8;

  /** Thread that took the area first. */
  static final int THREAD = HEAD + 16;

  /** Calls up to the next one whose stack is sampled. */
  static final int COUNTDOWN = HEAD + 24;

  /**
   * State of threads that spill here, up to {@link #SPILL}: of a fiber's area there may be several
   * at a time, since each returns to its spill wherever it runs then.
   */
  static final int SPILLS = HEAD + 64;

  /** Size of such a state. */
  static final int SPILL_KEPT = 32;

  // What is kept there.
  /** The thread's block; 0 = free. */
  static final int SPILL_OWNER = 0;

  /** Number of its next chunk. */
  static final int SPILL_SEQUENCE = 8;

  /** Time of the start of recording. */
  static final int SPILL_BEGAN = 16;

  /** Records that it lost since its last chunk. */
  static final int SPILL_LOST = 24;

  // Data of a slot.
  /** Value that the exit puts back on the stack. */
  static final int RET = 0;

  /** Machine frame: the true return address. */
  static final int TRUE_RIP = 8;

  static final int TRUE_CS = 16;
  static final int TRUE_FLAGS = 24;

  /** Machine frame: the stack pointer after the return address, the key of the frame. */
  static final int KEY = 32;

  /**
   * The key of a slot that has no frame, or is at work on taking or leaving one: so much above the
   * stack. 0 is that of a slot that was never used, or whose frame was found to be gone.
   */
  static final int UNKNOWN_KEY = 16;

  static final int TRUE_SS = 40;

  /** Body thunk. */
  static final int BODY = 48;

  static final int SAVE_RDX = 56;
  static final int SAVE_RAX = 64;

  /** Number of the area shifted by 20, slot by 8, kind of an entry. */
  static final int META = 72;

  static final int SLOW = 80;
  static final int FULL = 88;

  /** Routine that reads arguments on the stack, where records have them. */
  static final int STACK_ARGUMENTS = 96;

  /** Of calls that are added up: ticks at the entry; 0 = there is no call whose end counts. */
  static final int START = 104;

  /** Routine that samples stacks, where that is done; never where calls are added up. */
  static final int SAMPLING = START;

  /** Of calls that are added up: ticks of the traced calls inside. */
  static final int CHILD = 112;

  /** Of calls that are added up, u32: distance of the function's row from the thread's table. */
  static final int ROW = 120;

  /** Of calls that are added up, u32: flags at the exit. */
  static final int FLAGS = 124;

  static final int SLOT_DATA = 128;

  private AreaLayout() {}

  /** Returns where the code of a slot begins. */
  static int code(int slot) {
    return FIRST + STRIDE * slot;
  }

  /** Returns where the data of a slot begins; -1 has data, too. */
  static int data(int slot) {
    return code(slot) + DELTA;
  }
}
