package io.ntrail.formats.dump.streams;

/**
 * A range of pages with equal state (MINIDUMP_MEMORY_INFO, as VirtualQuery reports it).
 *
 * @param base first address
 * @param size bytes, from 1
 * @param allocationBase first address of the allocation that it is part of; 0 if it is free
 * @param allocationProtect protection with which that was made
 * @param state {@link #COMMIT}, {@link #RESERVE} or {@link #FREE}
 * @param protect protection of the pages: PAGE_ of winnt.h
 * @param type {@link #PRIVATE}, {@link #MAPPED} or {@link #IMAGE}; 0 if it is free
 */
public record MemoryInfo(
    long base,
    long size,
    long allocationBase,
    int allocationProtect,
    int state,
    int protect,
    int type) {
  /** MEM_COMMIT. */
  public static final int COMMIT = 0x1000;

  /** MEM_RESERVE. */
  public static final int RESERVE = 0x2000;

  /** MEM_FREE. */
  public static final int FREE = 0x1_0000;

  /** MEM_PRIVATE. */
  public static final int PRIVATE = 0x2_0000;

  /** MEM_MAPPED. */
  public static final int MAPPED = 0x4_0000;

  /** MEM_IMAGE. */
  public static final int IMAGE = 0x100_0000;

  private static final int PAGE_READONLY = 0x02;
  private static final int PAGE_READWRITE = 0x04;
  private static final int PAGE_WRITECOPY = 0x08;
  private static final int PAGE_EXECUTE = 0x10;
  private static final int PAGE_EXECUTE_READ = 0x20;
  private static final int PAGE_EXECUTE_READWRITE = 0x40;
  private static final int PAGE_EXECUTE_WRITECOPY = 0x80;
  private static final int PAGE_GUARD = 0x100;

  /** Returns true if memory stands behind the pages. */
  public boolean isCommitted() {
    return state == COMMIT;
  }

  /** Returns true if nothing is there. */
  public boolean isFree() {
    return state == FREE;
  }

  /** Returns true if the first access to a page raises an exception. */
  public boolean isGuard() {
    return (protect & PAGE_GUARD) != 0;
  }

  /** Returns true if the pages can be read, their guard aside. */
  public boolean isReadable() {
    return isCommitted()
        && (protect
                & (PAGE_READONLY
                    | PAGE_READWRITE
                    | PAGE_WRITECOPY
                    | PAGE_EXECUTE_READ
                    | PAGE_EXECUTE_READWRITE
                    | PAGE_EXECUTE_WRITECOPY))
            != 0;
  }

  /** Returns true if the pages can be written, their guard aside. */
  public boolean isWritable() {
    return isCommitted()
        && (protect
                & (PAGE_READWRITE
                    | PAGE_WRITECOPY
                    | PAGE_EXECUTE_READWRITE
                    | PAGE_EXECUTE_WRITECOPY))
            != 0;
  }

  /** Returns true if the pages can be executed. */
  public boolean isExecutable() {
    return isCommitted()
        && (protect
                & (PAGE_EXECUTE
                    | PAGE_EXECUTE_READ
                    | PAGE_EXECUTE_READWRITE
                    | PAGE_EXECUTE_WRITECOPY))
            != 0;
  }

  /** Returns true if an address is in the range. */
  public boolean contains(long address) {
    return Long.compareUnsigned(address - base, size) < 0;
  }
}
