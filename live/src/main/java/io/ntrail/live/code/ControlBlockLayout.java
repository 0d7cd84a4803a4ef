package io.ntrail.live.code;

/** Offsets in the control block that code in the target uses (docs/live.md). */
public final class ControlBlockLayout {
  public static final int ENABLED = 0x40;
  public static final int AREAS_TAKEN = 0x80;
  public static final int AREAS_OFFERED = 0xC0;
  public static final int CHUNKS_TAKEN = 0x100;
  public static final int CHUNKS_OFFERED = 0x140;
  public static final int CHUNKS_FULL = 0x180;
  public static final int LOST = 0x1C0;
  public static final int NO_AREA = 0x200;
  public static final int OVERFLOWS = 0x240;
  public static final int SLOW_PASSES = 0x280;
  public static final int AREA_COUNT = 0x2C0;
  public static final int THREADS = 0x300;
  public static final int REENTRANT = 0x340;
  public static final int SEARCHES = 0x380;
  public static final int HEARTBEAT = 0x3C0;
  public static final int NOTICES = 0x400;
  public static final int NOTICES_MISSED = 0x404;
  public static final int NOTICE_BUSY = 0x408;
  public static final int GIVEN_UP = 0x40C;
  public static final int ANSWERED = 0x440;
  public static final int NOTICE_STATE = 0x480;
  public static final int HOLD = 0x4C0;
  public static final int OFFERED_TABLE = 0x500;
  public static final int OFFERED_ENTRIES = 0x508;
  public static final int OFFERED_BASE = 0x510;
  public static final int OFFERED_END = 0x518;
  public static final int OFFERED_STATUS = 0x540;
  public static final int OFFERED_HANDLE = 0x548;
  public static final int RESUMES = 0x580;
  public static final int RESUMES_GIVEN_UP = 0x584;
  public static final int RESUME_RING = 0x600;
  public static final int NOTICE_RING = 0x800;
  public static final int AREAS = 0x1000;
  public static final int AREA_RING = 0x9000;
  public static final int CHUNK_RING = 0xD000;
  public static final int AREA_MASK = 4095;
  public static final int CHUNK_MASK = 2047;
  public static final int CHUNK = 0x1_0000;

  // A notice of a module.
  public static final int NOTICE_PLACES = 64;
  public static final int NOTICE_BYTES = 32;
  public static final int NOTICE_REASON = 0;
  public static final int NOTICE_SIZE = 4;
  public static final int NOTICE_BASE = 8;
  public static final int NOTICE_NAME = 16;
  public static final int NOTICE_TICKS = 24;
  public static final int WAITS = 1;
  public static final int TABLE_OFFERED = 2;
  public static final int TABLE_TAKEN = 3;

  // A thread that is about to resume one of another process.
  public static final int RESUME_PLACES = 16;
  public static final int RESUME_BYTES = 32;
  public static final int RESUME_STATE = 0;
  public static final int RESUME_PROCESS = 4;
  public static final int RESUME_THREAD = 8;
  public static final int RESUME_TICKS = 16;
  public static final int CLAIMED = 1;
  public static final int ASKED = 2;
  static final int LET_GO = 3;

  // Head of a chunk.
  static final int STATE = 0;
  public static final int TID = 4;
  public static final int SEQUENCE = 8;
  public static final int BEGAN = 16;
  public static final int LOST_BEFORE = 24;
  public static final int IN_USE = 1;
  public static final int FULL = 2;

  // A record.
  static final int TICKS = 0;
  public static final int FUNCTION = 8;
  public static final int META = 12;
  public static final int VALUE = 16;
  public static final int KEY = 24;
  public static final int ARGUMENTS = 32;
  public static final int STACK_ARGUMENTS = 64;
  public static final int ENTRY = 2;
  public static final int ENTRY_ONLY = 10;

  private ControlBlockLayout() {}
}
