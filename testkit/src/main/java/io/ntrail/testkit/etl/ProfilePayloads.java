package io.ntrail.testkit.etl;

import io.ntrail.testkit.LittleEndian;
import java.util.UUID;

/**
 * Payloads of the records that a profile is made of, with pointers of {@code p} = 4 or 8 bytes.
 * Field order and names as in dissect.etl's manifests, phnt ntwmi.h and TraceEvent; sizes in bytes,
 * times in ticks of the session's clock.
 */
public final class ProfilePayloads {
  /** Microsoft-Windows-DotNETRuntime. */
  public static final UUID CLR = UUID.fromString("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4");

  /** Microsoft-Windows-DotNETRuntimeRundown. */
  public static final UUID CLR_RUNDOWN = UUID.fromString("a669021c-c450-4609-a035-5af59af4df18");

  /** Microsoft-Windows-DotNETRuntimePrivate. */
  public static final UUID CLR_PRIVATE = UUID.fromString("763fd754-7086-4dfe-95eb-c01a46faf4ca");

  private ProfilePayloads() {}

  /** Process Start, End, DCStart, DCEnd, version 4, without a SID. */
  public static LittleEndian process(int p, int pid, int parent, String image) {
    LittleEndian out = new LittleEndian().pointer(p, 0x9000L + pid).u32(pid).u32(parent).u32(1);
    out.u32(0x103).pointer(p, 0x1000L * pid).u32(0).u32(0);
    return out.utf8z(image).utf16z(image).utf16z("").utf16z("");
  }

  /** Thread Start, End, DCStart, DCEnd, version 3. */
  public static LittleEndian thread(int p, int pid, int tid) {
    LittleEndian out = new LittleEndian().u32(pid).u32(tid);
    for (int i = 0; i < 7; i++) {
      out.pointer(p, 0x1000L * tid + i);
    }
    return out.u32(0).u8(8).u8(5).u8(2).u8(0).utf16z("");
  }

  /** Image Load, UnLoad, DCStart, DCEnd, version 3. */
  public static LittleEndian image(int p, long base, long size, int pid, String file) {
    LittleEndian out = new LittleEndian().pointer(p, base).pointer(p, size).u32(pid).u32(0);
    out.u32(file.hashCode()).u8(12).u8(6).u16(0).pointer(p, base).u32(0).u32(0).u32(0).u32(0);
    return out.utf16z(file);
  }

  /** SampledProfile, version 2, or an entry of {@link #batch}. */
  public static LittleEndian sample(int p, long ip, int tid, int count, int flags) {
    return new LittleEndian().pointer(p, ip).u32(tid).u16(count).u8(flags).u8(0);
  }

  /** SampledProfile, version 1: without flags. */
  public static LittleEndian sampleV1(int p, long ip, int tid, int count) {
    return new LittleEndian().pointer(p, ip).u32(tid).u16(count);
  }

  /** Batched samples (0F37). */
  public static LittleEndian batch(int p, LittleEndian... samples) {
    LittleEndian out = new LittleEndian().u32(samples.length).align(p);
    for (LittleEndian sample : samples) {
      out.bytes(sample.toByteArray());
    }
    return out;
  }

  /** PmcCounterProf (0F2F). */
  public static LittleEndian pmc(int p, long ip, int tid, int source) {
    return new LittleEndian().pointer(p, ip).u32(tid).u16(source).u16(0);
  }

  /** StackWalk (1820): frames innermost first. */
  public static LittleEndian stack(int p, long eventTime, int pid, int tid, long... frames) {
    LittleEndian out = new LittleEndian().u64(eventTime).u32(pid).u32(tid);
    for (long frame : frames) {
      out.pointer(p, frame);
    }
    return out;
  }

  /** A reference to a stack by its key: kernel (1825) or user (1826). */
  public static LittleEndian stackKey(int p, long eventTime, int pid, int tid, long key) {
    return new LittleEndian().u64(eventTime).u32(pid).u32(tid).pointer(p, key);
  }

  /** The definition of a key: create (1822), delete (1823), rundown (1824). */
  public static LittleEndian keyDefinition(int p, long key, long... frames) {
    LittleEndian out = new LittleEndian().pointer(p, key);
    for (long frame : frames) {
      out.pointer(p, frame);
    }
    return out;
  }

  /** DiskIo Read and Write, version 2 (without thread) or 3. */
  public static LittleEndian disk(
      int p, int version, int size, long irp, long response, int issuingThread) {
    LittleEndian out = new LittleEndian().u32(0).u32(0).u32(size).u32(0).u64(4096);
    out.pointer(p, 0xFEED).pointer(p, irp).u64(response);
    return version < 3 ? out : out.u32(issuingThread);
  }

  /** DiskIo FlushBuffers, version 2 (without thread) or 3. */
  public static LittleEndian diskFlush(
      int p, int version, long irp, long response, int issuingThread) {
    LittleEndian out = new LittleEndian().u32(0).u32(0).u64(response).pointer(p, irp);
    return version < 3 ? out : out.u32(issuingThread);
  }

  /** DiskIo init records, version 2 (without thread) or 3. */
  public static LittleEndian diskInit(int p, int version, long irp, int issuingThread) {
    LittleEndian out = new LittleEndian().pointer(p, irp);
    return version < 3 ? out : out.u32(issuingThread);
  }

  /** FileIo Read and Write, version 2 or 3. */
  public static LittleEndian fileTransfer(int p, int version, long irp, int tid, int size) {
    LittleEndian out = new LittleEndian().u64(0).pointer(p, irp);
    if (version < 3) {
      return out.pointer(p, tid).pointer(p, 1).pointer(p, 2).u32(size).u32(0);
    }
    return out.pointer(p, 1).pointer(p, 2).u32(tid).u32(size).u32(0).u32(0);
  }

  /** FileIo Create, version 3. */
  public static LittleEndian fileCreate(int p, long irp, int tid, String path) {
    LittleEndian out = new LittleEndian().pointer(p, irp).pointer(p, 1).u32(tid);
    return out.u32(0x0100_0060).u32(0x80).u32(3).utf16z(path);
  }

  /** FileIo Cleanup, Close, Flush, version 2 or 3. */
  public static LittleEndian fileSimple(int p, int version, long irp, int tid) {
    LittleEndian out = new LittleEndian().pointer(p, irp);
    if (version < 3) {
      return out.pointer(p, tid).pointer(p, 1).pointer(p, 2);
    }
    return out.pointer(p, 1).pointer(p, 2).u32(tid);
  }

  /** FileIo SetInfo, Delete, Rename, QueryInfo, FSControl, version 3; with a path: 044F to 0451. */
  public static LittleEndian fileInfo(int p, long irp, int tid, String path) {
    LittleEndian out = new LittleEndian().pointer(p, irp).pointer(p, 1).pointer(p, 2);
    out.pointer(p, 3).u32(tid).u32(4);
    return path.isEmpty() ? out : out.utf16z(path);
  }

  /** FileIo DirEnum and DirNotify, version 3. */
  public static LittleEndian fileDirectory(int p, long irp, int tid, String pattern) {
    LittleEndian out = new LittleEndian().pointer(p, irp).pointer(p, 1).pointer(p, 2);
    return out.u32(tid).u32(600).u32(37).u32(0).utf16z(pattern);
  }

  /** FileIo OperationEnd (044C). */
  public static LittleEndian fileEnd(int p, long irp) {
    return new LittleEndian().pointer(p, irp).pointer(p, 0).u32(0);
  }

  /** Page faults 020A to 020F. */
  public static LittleEndian fault(int p, long address, long programCounter) {
    return new LittleEndian().pointer(p, address).pointer(p, programCounter);
  }

  /** HardFault (0220). */
  public static LittleEndian hardFault(int p, long initialTime, int tid, int bytes) {
    LittleEndian out = new LittleEndian().u64(initialTime).u64(0x4000);
    return out.pointer(p, 0x7_0000).pointer(p, 0xFEED).u32(tid).u32(bytes);
  }

  /** VirtualAlloc and VirtualFree (0262, 0263); flags 0x1000 commit, 0x2000 reserve. */
  public static LittleEndian virtual(int p, long base, long size, int pid, int flags) {
    return new LittleEndian().pointer(p, base).pointer(p, size).u32(pid).u32(flags);
  }

  /** Heap create (1020). */
  public static LittleEndian heapCreate(int p, long heap) {
    return new LittleEndian()
        .pointer(p, heap)
        .u32(2)
        .pointer(p, 65536)
        .pointer(p, 4096)
        .pointer(p, 0);
  }

  /** Heap alloc (1021). */
  public static LittleEndian heapAlloc(int p, long heap, long size, long address) {
    return new LittleEndian().pointer(p, heap).pointer(p, size).pointer(p, address).u32(3);
  }

  /** Heap realloc (1022). */
  public static LittleEndian heapRealloc(int p, long heap, long address, long size, long oldSize) {
    LittleEndian out = new LittleEndian().pointer(p, heap).pointer(p, address);
    return out.pointer(p, address - 64).pointer(p, size).pointer(p, oldSize).u32(3);
  }

  /** Heap free (1024). */
  public static LittleEndian heapFree(int p, long heap, long address) {
    return new LittleEndian().pointer(p, heap).pointer(p, address).u32(3);
  }

  /** Pool allocation (0E20) and, with a session id, session pool allocation (0E21). */
  public static LittleEndian pool(int p, long size, boolean session) {
    LittleEndian out = new LittleEndian().u32(1).u32(0x656C_6946).pointer(p, size);
    out.pointer(p, 0xFACE);
    return session ? out.u32(1) : out;
  }

  /** AllocationTick (id 10), version 1 to 4. */
  public static LittleEndian allocationTick(int p, int version, long amount) {
    LittleEndian out = new LittleEndian().u32(amount).u32(0).u16(9);
    if (version >= 2) {
      out.u64(amount).pointer(p, 0x77).utf16z("System.String").u32(0);
    }
    if (version >= 3) {
      out.pointer(p, 0x1234);
    }
    return version >= 4 ? out.u64(24) : out;
  }

  /** The CLR's own stack event (82; in the rundown 0). */
  public static LittleEndian clrStack(int p, long... frames) {
    LittleEndian out = new LittleEndian().u16(9).u8(0).u8(0).u32(frames.length);
    for (long frame : frames) {
      out.pointer(p, frame);
    }
    return out;
  }

  /** MethodLoadVerbose and its kin (143, 144), version 1. */
  public static LittleEndian method(long start, int size, String namespace, String name) {
    return method(start, size, 5, namespace, name);
  }

  /** Returns the payload of a module's event. */
  public static LittleEndian method(
      long start, int size, long module, String namespace, String name) {
    LittleEndian out = new LittleEndian().u64(start * 3).u64(module).u64(start).u32(size);
    return out.u32(0x0600_0001).u32(8).utf16z(namespace).utf16z(name).utf16z("void ()").u16(9);
  }

  /** ModuleLoad (152), version 1. */
  public static LittleEndian module(long id, String path) {
    LittleEndian out = new LittleEndian().u64(id).u64(id + 1).u32(0).u32(0);
    return out.utf16z(path).utf16z("").u16(9);
  }

  /** The extended items 5 (pointers of 4) and 6 (of 8): a stack. */
  public static LittleEndian stackItem(int p, long matchId, long... frames) {
    LittleEndian out = new LittleEndian().u64(matchId);
    for (long frame : frames) {
      out.pointer(p, frame);
    }
    return out;
  }

  /** The extended items 17 (pointers of 4) and 18 (of 8): the key of a stack. */
  public static LittleEndian stackKeyItem(int p, long matchId, long key) {
    return new LittleEndian().u64(matchId).pointer(p, key).align(8);
  }
}
