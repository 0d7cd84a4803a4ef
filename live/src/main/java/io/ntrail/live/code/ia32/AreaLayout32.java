package io.ntrail.live.code.ia32;

/**
 * Layout of an area, the memory that one stack uses (docs/live.md).
 *
 * <p>Areas begin at multiples of {@link #ALIGNMENT}, so that the area follows from the address of a
 * slot. All distances are from that beginning. Code and data have the same stride, so that the
 * distance from the return point of a slot to its data is the same for all slots.
 */
final class AreaLayout32 {
  /** Areas begin at multiples of it. */
  static final int ALIGNMENT = 0x8_0000;

  /** Slots of an area. */
  static final int SLOTS = 256;

  /** Distance of one slot's code from the next. */
  static final int STRIDE = 512;

  /** The page with the area's own fields and its spill. */
  static final int HEAD = 0xF000;

  /** Offset in the runtime block alone, a page up to {@link #HEAD}: areas by stack. */
  static final int INDEX = HEAD - 0x1000;

  /** Entries of that table, four bytes each. */
  static final int INDEX_ENTRIES_BITS = 10;

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

  /** End of the area. There is no function table. */
  static final int TABLE = DATA + DELTA;

  // Fields of the head.
  /** fs:[4] of the stack, in 64 bits. */
  static final int STACK_BASE = HEAD;

  /** Negated sum of that and the address of the thread environment block: owner of the area. */
  static final int NEGATED_BASE = HEAD + 8;

  /** Thread that took the area first. */
  static final int THREAD = HEAD + 16;

  /** Size of these fields. */
  static final int FIELDS = 24;

  /** Calls up to the next one whose stack is sampled, in 64 bits. */
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

  /** Number of its next chunk, 64 bits as those that follow. */
  static final int SPILL_SEQUENCE = 8;

  /** Time of the start of recording. */
  static final int SPILL_BEGAN = 16;

  /** Records that it lost since its last chunk. */
  static final int SPILL_LOST = 24;

  // Data of a slot, 32 bits each.
  /** Value that the exit puts back on the stack. */
  static final int RET = 0;

  /** The true return address. */
  static final int TRUE_EIP = 4;

  /** The stack pointer after the return address without arguments, the key of the frame. */
  static final int KEY = 8;

  /**
   * The key of a slot that has no frame, or is at work on taking or leaving one: so much above the
   * stack. 0 is that of a slot that was never used, or whose frame was found to be gone.
   */
  static final int UNKNOWN_KEY = 16;

  /** Body thunk. */
  static final int BODY = 12;

  static final int SAVE_EDX = 16;
  static final int SAVE_EAX = 20;

  /** Number of the area shifted by 20, slot by 8, kind of an entry. */
  static final int META = 24;

  /** Of calls that are added up: flags at the exit. */
  static final int FLAGS = 28;

  /** Of calls that are added up, 64 bits: ticks at the entry; 0 = no call whose end counts. */
  static final int START = 32;

  /** Of calls that are added up, 64 bits: ticks of the traced calls inside. */
  static final int CHILD = 40;

  /** Of calls that are added up: distance of the function's row from the thread's table. */
  static final int ROW = 48;

  static final int SLOT_DATA = 64;

  private AreaLayout32() {}

  /** Returns where the code of a slot begins. */
  static int code(int slot) {
    return FIRST + STRIDE * slot;
  }

  /** Returns where the data of a slot begins; -1 has data, too. */
  static int data(int slot) {
    return code(slot) + DELTA;
  }
}
