package io.ntrail.live.code;

/**
 * Layout of the session file (docs/live.md section 1): control block, chunks, records. Code in the
 * target writes it, the controller reads it.
 */
public final class SessionLayout {
  /** The bytes {@code NTRL}. */
  public static final int MAGIC = 0x4C52_544E;

  /** The version of the layout. */
  public static final int VERSION = 2;

  /** Size of a chunk. */
  public static final int CHUNK_BYTES = 1 << 16;

  /** Place of the first chunk in units of {@link #CHUNK_BYTES}: after control block and ring. */
  public static final int FIRST_CHUNK = 5;

  /** The fewest chunks. */
  public static final int FEWEST_CHUNKS = 2;

  /** The most chunks, and places in the chunk ring. */
  public static final int CHUNK_RING = 1 << 16;

  /** Takes a count to its place in the chunk ring. */
  public static final int CHUNK_MASK = CHUNK_RING - 1;

  /** The most areas, and places in the area ring. */
  public static final int AREAS = 4096;

  /** Takes a count to its place in the area ring. */
  public static final int AREA_MASK = AREAS - 1;

  // Places in the control block.

  /** u32: {@link #MAGIC}. */
  public static final int AT_MAGIC = 0;

  /** u32: {@link #VERSION}. */
  public static final int AT_VERSION = 4;

  /** u32: bytes of a record. */
  public static final int AT_RECORD_BYTES = 8;

  /** u32: number of chunks so far. */
  public static final int AT_CHUNKS = 12;

  /** u32: whether threads that are not known yet begin to be recorded. */
  public static final int AT_ENABLED = 0x40;

  /** u32: areas taken, by the target. */
  public static final int AT_AREAS_TAKEN = 0x80;

  /** u32: areas offered. */
  public static final int AT_AREAS_OFFERED = 0xC0;

  /** u32: chunks taken, by the target. */
  public static final int AT_CHUNKS_TAKEN = 0x100;

  /** u32: chunks offered. */
  public static final int AT_CHUNKS_OFFERED = 0x140;

  /** u64: chunks that became full, by the target. */
  public static final int AT_FULL = 0x180;

  /** u64: records lost because no chunk was free, by the target. */
  public static final int AT_LOST = 0x1C0;

  /** u64: how often a thread waited for a free chunk, by the target. */
  public static final int AT_WAITS = 0x1C8;

  /** u64: ticks of all these waits, by the target. */
  public static final int AT_WAIT_TICKS = 0x1D0;

  /** u64: ticks of the longest of them, by the target. */
  public static final int AT_LONGEST_WAIT = 0x1D8;

  /** u64: calls not counted because no table was free, by the target. */
  public static final int AT_NO_TABLE = 0x200;

  /**
   * u64: calls for which no slot of the stack was free, by the target: their entries alone are
   * recorded, or counted.
   */
  public static final int AT_DEEP_ENTRIES = 0x240;

  /**
   * u64: calls on stacks without an area, by the target: their entries alone are recorded, or
   * counted.
   */
  public static final int AT_ENTRIES_WITHOUT_AREA = 0x248;

  /** u64: passes through the slow routine, by the target. */
  public static final int AT_SLOW_PASSES = 0x280;

  /** u32: number of areas that exist. */
  public static final int AT_AREAS = 0x2C0;

  /** u32: tables of calls taken, by the target. */
  public static final int AT_TABLES_TAKEN = 0x2C8;

  /** u32: tables of calls offered. */
  public static final int AT_TABLES_OFFERED = 0x2CC;

  /** u64: threads that began to be recorded, by the target. */
  public static final int AT_THREADS = 0x300;

  /**
   * Offset in the control block, u64: calls not recorded because the thread was just being given an
   * area.
   */
  public static final int AT_REENTRANT = 0x340;

  /** u64: how often all areas were looked through for a stack, by the target. */
  public static final int AT_SEARCHES = 0x380;

  /** u32: grows every 50 ms as long as the controller lives; never 0 then. */
  public static final int AT_HEARTBEAT = 0x3C0;

  /** u32: notices of modules published, by the target. */
  public static final int AT_NOTICES = 0x400;

  /** u32: notices that could not be published, by the target. */
  public static final int AT_NOTICES_MISSED = 0x404;

  /** u32: notices of modules answered. */
  public static final int AT_ANSWERED = 0x440;

  /** u32: not 0 while a thread reports a module or waits, by the target. */
  public static final int AT_NOTICE_BUSY = 0x408;

  /** u32: notices whose thread did not wait for the answer any longer, by the target. */
  public static final int AT_NOTICES_GIVEN_UP = 0x40C;

  /** u32, by both: count of the notice whose thread waits, times 4, and what is waited for. */
  public static final int AT_NOTICE_STATE = 0x480;

  /** u32: whether modules must not go now. */
  public static final int AT_HOLD = 0x4C0;

  /** u64: address of the function table that is offered. */
  public static final int AT_OFFERED = 0x500;

  /** u64: number of its entries. */
  public static final int AT_OFFERED_ENTRIES = 0x508;

  /** u64: start of the code that it describes. */
  public static final int AT_OFFERED_BASE = 0x510;

  /** u64: end of that code. */
  public static final int AT_OFFERED_END = 0x518;

  /** u32: status of registering it, by the target. */
  public static final int AT_OFFERED_STATUS = 0x540;

  /** u64: handle for deleting it, by the target. */
  public static final int AT_OFFERED_HANDLE = 0x548;

  /** u32: how often a thread was about to resume one of another process, by the target. */
  public static final int AT_RESUMES = 0x580;

  /** u32: resumes whose thread did not wait for the controller any longer, by the target. */
  public static final int AT_RESUMES_GIVEN_UP = 0x584;

  /** u32: whether threads wait where no chunk is free; else they lose records. */
  public static final int AT_WHEN_FULL = 0x5C0;

  /** u32: grows with each look for full chunks as long as the recorder lives; never 0 then. */
  public static final int AT_DRAINS = 0x5C4;

  /** u32: value of {@link #AT_DRAINS} for which threads wait no more, by the target. */
  public static final int AT_DRAINS_GIVEN_UP = 0x5C8;

  /** u64: value of {@link #AT_FULL} up to which all chunks were read and offered again. */
  public static final int AT_FULL_READ = 0x5D0;

  /** u32: whether there may be more chunks: threads wait for them, too. */
  public static final int AT_GROWS = 0x5D8;

  /** u64: stacks that were not sampled because no place was free, by the target. */
  public static final int AT_SAMPLES_MISSED = 0x5E0;

  /** u64: stacks that were not sampled because the system does not know them, by the target. */
  public static final int AT_SAMPLES_UNKNOWN = 0x5E8;

  /**
   * Threads of the target that are about to resume one of another process, and wait for the
   * controller.
   */
  public static final int AT_RESUME_RING = 0x600;

  /** Maximum number of such threads. */
  public static final int RESUME_PLACES = 16;

  /** Size of the request of one. */
  public static final int RESUME_BYTES = 32;

  /** u32, by both: count of the request times 4, and one of the states that follow. */
  public static final int RESUME_STATE = 0;

  /** u32: process whose thread is resumed. */
  public static final int RESUME_PROCESS = 4;

  /** u32: thread that is resumed. */
  public static final int RESUME_THREAD = 8;

  /** u64: time stamp counter when the wait began. */
  public static final int RESUME_TICKS = 16;

  /** Bits of {@link #RESUME_STATE} that are the state. */
  public static final int RESUME_STATE_MASK = 3;

  /** State of a request that is being written. */
  public static final int RESUME_CLAIMED = 1;

  /** State of a request that waits. */
  public static final int RESUME_ASKED = 2;

  /** State of a request that the controller has granted. */
  public static final int RESUME_LET_GO = 3;

  /** Notices of modules, by the target. */
  public static final int AT_NOTICE_RING = 0x800;

  /** Places in the ring of notices. */
  public static final int NOTICE_PLACES = 64;

  /** Size of a notice. */
  public static final int NOTICE_BYTES = 32;

  /** u32: {@link #NOTICE_LOADED}, or another value for an unload. */
  public static final int NOTICE_REASON = 0;

  /** u32: size of the module's image. */
  public static final int NOTICE_SIZE = 4;

  /** u64: base address of the module. */
  public static final int NOTICE_BASE = 8;

  /** u64: address of the module's name. */
  public static final int NOTICE_NAME = 16;

  /** u64: time stamp counter. */
  public static final int NOTICE_TICKS = 24;

  /** Reason of a notice: LDR_DLL_NOTIFICATION_REASON_LOADED. */
  public static final int NOTICE_LOADED = 1;

  /** {@link #AT_NOTICE_STATE}: a thread waits for the answer. */
  public static final int NOTICE_WAITS = 1;

  /** {@link #AT_NOTICE_STATE}: a function table is offered to the thread. */
  public static final int TABLE_OFFERED = 2;

  /** {@link #AT_NOTICE_STATE}: the thread has registered the table, or was refused. */
  public static final int TABLE_TAKEN = 3;

  /** u64 each: addresses of areas by their number. */
  public static final int AT_AREA_ADDRESSES = 0x1000;

  /** u32 each: numbers of free areas. */
  public static final int AT_AREA_RING = 0x9000;

  /** u32 each: numbers of free tables of calls. */
  public static final int AT_TABLE_RING = 0xD000;

  /** u32 each: numbers of free chunks. */
  public static final int AT_CHUNK_RING = 0x1_0000;

  /**
   * Distance from one cell to the next. A cell is a u64 for each function, where functions may be
   * throttled: 0 = its calls are recorded; else one more than the number of calls that were counted
   * only. A line of the processor's cache each, as many threads may write it.
   */
  public static final int CELL_BYTES = 64;

  /** The most cells. */
  public static final int MOST_CELLS = 1 << 18;

  // Heads of chunks.

  /** u32: {@link #FREE}, {@link #IN_USE}, {@link #FULL}. */
  public static final int CHUNK_STATE = 0;

  /** u32: id of the thread. */
  public static final int CHUNK_THREAD = 4;

  /** u64: number among the chunks of the thread. */
  public static final int CHUNK_NUMBER = 8;

  /** u64: time stamp counter when the thread began to be recorded. */
  public static final int CHUNK_BEGAN = 16;

  /** u64: records of the thread lost between the chunk before and this one. */
  public static final int CHUNK_LOST = 24;

  /** State of a free chunk. */
  public static final int FREE = 0;

  /** State of a chunk that a thread writes into. */
  public static final int IN_USE = 1;

  /** State of a chunk that a thread handed over. */
  public static final int FULL = 2;

  // Records.

  /** u64: time stamp counter. */
  public static final int RECORD_TICKS = 0;

  /** u32: low half of the address of the body thunk. */
  public static final int RECORD_FUNCTION = 8;

  /** u32, written last: kind in bits 0 to 7, slot in bits 8 to 19, area in bits 20 to 31. */
  public static final int RECORD_META = 12;

  /**
   * Offset in a record, u64: return address, result or exception code. Entries of IA-32 have ecx in
   * the upper half, exits edx.
   */
  public static final int RECORD_VALUE = 16;

  /**
   * Offset in a record, u64: the address above the return address. Entries of IA-32 have edx in the
   * upper half, exits the stack pointer after the return.
   */
  public static final int RECORD_KEY = 24;

  /** u64 each: arguments of entries, where records have 64 bytes or more. */
  public static final int RECORD_ARGUMENTS = 32;

  /** u64 each: arguments after those in registers, where records have 128 bytes or more. */
  public static final int RECORD_STACK_ARGUMENTS = 64;

  /**
   * Copies of memory that arguments point to, of entries of larger records: for each a u32 with the
   * bytes that could be read, a u32 that is 0, and room for all that were asked for, to a multiple
   * of 8.
   */
  public static final int RECORD_COPIES = 128;

  /** Bytes in front of a copy. */
  public static final int COPY_HEAD = 8;

  /** Bytes of a record at most: a thread that waits for a chunk has room for one. */
  public static final int MOST_RECORD_BYTES = 1024;

  /** Kind of a record: a function was entered. */
  public static final int ENTRY = 2;

  /** Kind of a record: a function was left. */
  public static final int EXIT = 3;

  /** Kind of a record: an exception left a frame. */
  public static final int UNWIND = 4;

  /**
   * Kind of a record of IA-32: frames up to the key are about to be left, those of its area with
   * lower slots than its own; key 0 = all. Its function is the address of the unwinder.
   */
  public static final int UNWIND_TARGET = 5;

  /** Kind of a record: a function was entered whose exits are not recorded. */
  public static final int ENTRY_ONLY = 10;

  private SessionLayout() {}
}
