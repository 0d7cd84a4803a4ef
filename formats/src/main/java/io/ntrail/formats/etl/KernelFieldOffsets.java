package io.ntrail.formats.etl;

import org.jspecify.annotations.Nullable;

/**
 * Places of fields in the payloads of kernel events, in bytes from the start of the payload: for
 * what is read of every record, where reading by the table of kernel events (kernel.txt) would cost
 * too much. The table has the same offsets: a test compares each place with it for every version
 * that the table has, in both widths of pointers.
 *
 * <p>A place is to be read only after comparing it with the length of the payload: older versions
 * and cut records end before it.
 */
public final class KernelFieldOffsets {
  private KernelFieldOffsets() {}

  /** Thread/CSwitch. */
  public static final class CSwitch {
    /** u32: the thread that runs from now on. */
    public static final int NEW_THREAD_ID = 0;

    /** u32: the thread that ran until now. */
    public static final int OLD_THREAD_ID = 4;

    /** u8: KTHREAD_STATE of the old thread. */
    public static final int OLD_THREAD_STATE = 14;

    private CSwitch() {}
  }

  /** Thread/ReadyThread. */
  public static final class ReadyThread {
    /** u32: the thread that may run from now on. */
    public static final int THREAD_ID = 0;

    private ReadyThread() {}
  }

  /** Thread/Start, End, DCStart, DCEnd. */
  public static final class ThreadLife {
    private ThreadLife() {}

    /**
     * Returns the place of the thread's id (u32): version 0 has it first, later ones the process.
     */
    public static int threadId(int version) {
      return version == 0 ? 0 : 4;
    }
  }

  /** PerfInfo/SampleProf, SampledProfileNmi, and each entry of SampledProfileCache. */
  public static final class Sample {
    /** pointer: the address that ran. */
    public static final int INSTRUCTION_POINTER = 0;

    private Sample() {}

    /** Returns the place of the thread (u32). */
    public static int threadId(int pointerBytes) {
      return pointerBytes;
    }

    /** Returns the place of the number of samples (u16). */
    public static int count(int pointerBytes) {
      return pointerBytes + 4;
    }

    /** Returns the place of the profile source (u16) of PmcCounterProf. */
    public static int profileSource(int pointerBytes) {
      return pointerBytes + 4;
    }

    /** Returns the place of the flags (u8), which version 1 lacks. */
    public static int flags(int pointerBytes) {
      return pointerBytes + 6;
    }

    /** Returns the size of an entry of SampledProfileCache. */
    public static int entryBytes(int pointerBytes) {
      return pointerBytes + 8;
    }

    /** Returns the place of the first entry of SampledProfileCache, after their number (u32). */
    public static int firstEntry(int pointerBytes) {
      return pointerBytes;
    }
  }

  /** PerfInfo/SetInterval, CollectionStart and CollectionEnd of profile sources. */
  public static final class SampleInterval {
    /** u32: the profile source; 0 is the timer. */
    public static final int SOURCE = 0;

    /** u32: the interval from now on; in 100 ns for the timer, else in events. */
    public static final int NEW_INTERVAL = 4;

    /** UTF-16, closed by a zero: the source's name, which version 2 lacks. */
    public static final int SOURCE_NAME = 12;

    private SampleInterval() {}
  }

  /** PageFault/TransitionFault to AccessViolation. */
  public static final class SoftFault {
    private SoftFault() {}

    /** Returns the place of the program counter (pointer). */
    public static int programCounter(int pointerBytes) {
      return pointerBytes;
    }
  }

  /** PageFault/HardFault. */
  public static final class HardFault {
    private HardFault() {}

    /** Returns the place of the thread (u32). */
    public static int threadId(int pointerBytes) {
      return 16 + 2 * pointerBytes;
    }

    /** Returns the place of the number of bytes read (u32). */
    public static int byteCount(int pointerBytes) {
      return 20 + 2 * pointerBytes;
    }
  }

  /** PageFault/VirtualAlloc. */
  public static final class VirtualAlloc {
    /** Flag of winnt.h: memory is given; without it, addresses are only reserved. */
    public static final int MEM_COMMIT = 0x1000;

    private VirtualAlloc() {}

    /** Returns the place of the region's size (pointer). */
    public static int regionSize(int pointerBytes) {
      return pointerBytes;
    }

    /** Returns the place of the process (u32). */
    public static int processId(int pointerBytes) {
      return 2 * pointerBytes;
    }

    /** Returns the place of the flags (u32), MEM_COMMIT among them. */
    public static int flags(int pointerBytes) {
      return 2 * pointerBytes + 4;
    }
  }

  /** Heap/HeapAlloc and HeapRealloc. */
  public static final class Heap {
    private Heap() {}

    /** Returns the place of HeapAlloc's size (pointer). */
    public static int size(int pointerBytes) {
      return pointerBytes;
    }

    /** Returns the place of HeapRealloc's new size (pointer). */
    public static int newSize(int pointerBytes) {
      return 3 * pointerBytes;
    }
  }

  /** Pool/PoolAllocation and SessionPoolAllocation. */
  public static final class Pool {
    /** pointer: bytes that were allocated. */
    public static final int NUMBER_OF_BYTES = 8;

    private Pool() {}
  }

  /** DiskIo/ReadInit, WriteInit, FlushInit and their optical counterparts. */
  public static final class DiskInit {
    /** pointer: the request. */
    public static final int IRP = 0;

    private DiskInit() {}

    /** Returns the place of the issuing thread (u32), since version 3. */
    public static int threadId(int pointerBytes) {
      return pointerBytes;
    }
  }

  /** DiskIo/Read, Write and their optical counterparts. */
  public static final class DiskTransfer {
    /** u32: bytes that were transferred. */
    public static final int TRANSFER_SIZE = 8;

    private DiskTransfer() {}

    /** Returns the place of the request (pointer), since version 2. */
    public static int irp(int pointerBytes) {
      return 24 + pointerBytes;
    }

    /** Returns the place of the duration in ticks (u64), since version 1. */
    public static int responseTime(int version, int pointerBytes) {
      return irp(pointerBytes) + (version >= 2 ? pointerBytes : 0);
    }

    /** Returns the place of the issuing thread (u32), since version 3. */
    public static int threadId(int version, int pointerBytes) {
      return responseTime(version, pointerBytes) + 8;
    }
  }

  /** DiskIo/FlushBuffers and OpticalFlushBuffers. */
  public static final class DiskFlush {
    /** u64: the duration in ticks. */
    public static final int RESPONSE_TIME = 8;

    /** pointer: the request. */
    public static final int IRP = 16;

    private DiskFlush() {}

    /** Returns the place of the issuing thread (u32), since version 3. */
    public static int threadId(int pointerBytes) {
      return IRP + pointerBytes;
    }
  }

  /**
   * FileIo operations: what is common to those that begin. In version 2 the thread (pointer) is
   * after the request, in version 3 (u32) after the other pointers.
   */
  public enum FileOperation {
    /** FileIo/Create. */
    CREATE(0, 1, -1),

    /** FileIo/Read and Write. */
    TRANSFER(8, 2, 0),

    /** FileIo/Cleanup, Close, Flush, DirEnum, DirNotify. */
    SIMPLE(0, 2, -1),

    /** FileIo/SetInfo, Delete, Rename, QueryInfo, FSControl, DletePath, RenamePath, SetLinkPath. */
    INFORMATION(0, 3, -1);

    /** pointer, FileIo/OperationEnd: the request that ends. */
    public static final int END_IRP = 0;

    private final int irp;
    private final int pointers;
    private final int size;

    FileOperation(int irp, int pointers, int size) {
      this.irp = irp;
      this.pointers = pointers;
      this.size = size;
    }

    /** Returns the operation that an event begins; null if it begins none. */
    public static @Nullable FileOperation of(int hookId) {
      return switch (hookId) {
        case KernelEvent.FILEIO_CREATE -> CREATE;
        case KernelEvent.FILEIO_READ, KernelEvent.FILEIO_WRITE -> TRANSFER;
        case KernelEvent.FILEIO_CLEANUP,
            KernelEvent.FILEIO_CLOSE,
            KernelEvent.FILEIO_FLUSH,
            KernelEvent.FILEIO_DIRENUM,
            KernelEvent.FILEIO_DIRNOTIFY ->
            SIMPLE;
        case KernelEvent.FILEIO_SETINFO,
            KernelEvent.FILEIO_DELETE,
            KernelEvent.FILEIO_RENAME,
            KernelEvent.FILEIO_QUERYINFO,
            KernelEvent.FILEIO_FSCONTROL,
            KernelEvent.FILEIO_DLETEPATH,
            KernelEvent.FILEIO_RENAMEPATH,
            KernelEvent.FILEIO_SETLINKPATH ->
            INFORMATION;
        default -> null;
      };
    }

    /** Returns the place of the request (pointer). */
    public int irp() {
      return irp;
    }

    /** Returns the place of the thread; its first 4 bytes count. */
    public int threadId(int version, int pointerBytes) {
      return irp + pointerBytes * (version < 3 ? 1 : 1 + pointers);
    }

    /** Returns the place of the transfer's size (u32); -1 for operations without. */
    public int size(int version, int pointerBytes) {
      int behind = irp + pointerBytes * (1 + pointers) + (version < 3 ? pointerBytes : 4);
      return size < 0 ? -1 : behind + size;
    }
  }

  /** StackWalk/Stack, StackKeyKernel and StackKeyUser. */
  public static final class Stack {
    /** u64: raw time of the event whose stack it is. */
    public static final int EVENT_TIME_STAMP = 0;

    /** u32: its process. */
    public static final int PROCESS_ID = 8;

    /** u32: its thread. */
    public static final int THREAD_ID = 12;

    /** Pointers: the frames of Stack; one pointer: the key of the others. */
    public static final int FRAMES = 16;

    private Stack() {}
  }
}
