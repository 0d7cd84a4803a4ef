package io.ntrail.testkit.etl;

import io.ntrail.testkit.LittleEndian;
import java.util.UUID;

/**
 * Payloads of kernel records in the layouts of Windows 10 and 11, pointers of 8 bytes, and of the
 * records that mergers add. Field order and names as in dissect.etl's manifests; times in ticks of
 * the session's clock, sizes in bytes.
 */
public final class KernelPayloads {
  private static final int P = 8;

  private KernelPayloads() {}

  /** A well-known SID: S-1-5-18 (system) or S-1-5-21-x-y-z-1001 (a user). */
  private static LittleEndian sid(LittleEndian out, boolean system) {
    // TOKEN_USER: a pointer and the attributes are before the SID itself.
    out.u64(0xFFFF_BD0A_31C4_0060L).u64(0);
    if (system) {
      return out.u8(1).u8(1).bytes(new byte[] {0, 0, 0, 0, 0, 5}).u32(18);
    }
    out.u8(1).u8(5).bytes(new byte[] {0, 0, 0, 0, 0, 5}).u32(21);
    return out.u32(1_004_336_348).u32(1_177_238_915).u32(682_003_330).u32(1001);
  }

  /** Process Start, End, DCStart, DCEnd, version 4. */
  public static LittleEndian process(
      int pid, int parent, int session, int exitStatus, String image, String commandLine) {
    LittleEndian out = new LittleEndian();
    out.u64(0xFFFF_9A0B_4E00_0000L + pid * 0x400L).u32(pid).u32(parent).u32(session);
    out.u32(exitStatus).u64(0x1_0000_0000L + pid * 0x1000L).u32(0);
    return sid(out, session == 0).utf8z(image).utf16z(commandLine).utf16z("").utf16z("");
  }

  /** Thread Start, End, DCStart, DCEnd, version 3 with the name that Windows 10 appends. */
  public static LittleEndian thread(int pid, int tid, long start, int priority, String name) {
    LittleEndian out = new LittleEndian().u32(pid).u32(tid);
    out.u64(0xFFFF_9A0B_5000_0000L + tid * 0x8000L).u64(0xFFFF_9A0B_4FFF_9000L + tid * 0x8000L);
    out.u64(pid <= 4 ? 0 : 0xC1_F380_0000L + tid * 0x10_0000L);
    out.u64(pid <= 4 ? 0 : 0xC1_F370_0000L + tid * 0x10_0000L);
    out.u64(0xFF).u64(start).u64(pid <= 4 ? 0 : 0xC1_F300_0000L + tid * 0x2000L).u32(0);
    return out.u8(priority).u8(5).u8(2).u8(0).utf16z(name);
  }

  /** Image Load, UnLoad, DCStart, DCEnd, version 3. */
  public static LittleEndian image(
      long base, long size, int pid, int checksum, int timeDateStamp, String file) {
    LittleEndian out = new LittleEndian().u64(base).u64(size).u32(pid).u32(checksum);
    out.u32(timeDateStamp).u8(12).u8(6).u16(0).u64(base).u32(0).u32(0).u32(0).u32(0);
    return out.utf16z(file);
  }

  /** CSwitch, version 4. */
  public static LittleEndian cswitch(
      int newThread, int oldThread, int newPriority, int oldPriority, int reason, int state) {
    LittleEndian out = new LittleEndian().u32(newThread).u32(oldThread);
    out.u8(newPriority).u8(oldPriority).u8(newThread == 0 ? 0 : 1).u8(0);
    return out.u8(reason).u8(oldThread == 0 ? 0 : 1).u8(state).u8(0).u32(0).u32(0);
  }

  /** ReadyThread, version 2. */
  public static LittleEndian readyThread(int thread, int adjustReason, int increment, int flag) {
    return new LittleEndian().u32(thread).u8(adjustReason).u8(increment).u8(flag).u8(0);
  }

  /** SampleProf, version 2; flags: 1 in DPC, 2 in ISR. */
  public static LittleEndian sample(long instructionPointer, int thread, int flags) {
    return new LittleEndian().u64(instructionPointer).u32(thread).u16(1).u8(flags).u8(0);
  }

  /** Stack (1820): frames innermost first. */
  public static LittleEndian stack(long eventTime, int pid, int tid, long... frames) {
    LittleEndian out = new LittleEndian().u64(eventTime).u32(pid).u32(tid);
    for (long frame : frames) {
      out.u64(frame);
    }
    return out;
  }

  /** SetInterval, CollectionStart, CollectionEnd, version 3; interval in 100 ns. */
  public static LittleEndian interval(int source, int interval, String sourceName) {
    return new LittleEndian().u32(source).u32(interval).u32(interval).utf16z(sourceName);
  }

  /** DiskIo Read, Write, version 3; response in ticks. */
  public static LittleEndian disk(
      int disk,
      int irpFlags,
      int size,
      long offset,
      long fileKey,
      long irp,
      long response,
      int tid) {
    LittleEndian out = new LittleEndian().u32(disk).u32(irpFlags).u32(size).u32(0).u64(offset);
    return out.u64(fileKey).u64(irp).u64(response).u32(tid);
  }

  /** DiskIo ReadInit, WriteInit, FlushInit, version 3. */
  public static LittleEndian diskInit(long irp, int tid) {
    return new LittleEndian().u64(irp).u32(tid);
  }

  /** FileIo Name, FileCreate, FileDelete, FileRundown. */
  public static LittleEndian fileName(long fileKey, String name) {
    return new LittleEndian().u64(fileKey).utf16z(name);
  }

  /** FileIo Create, version 3. */
  public static LittleEndian fileCreate(long irp, long fileObject, int tid, String path) {
    LittleEndian out = new LittleEndian().u64(irp).u64(fileObject).u32(tid);
    return out.u32(0x0100_0060).u32(0x80).u32(3).utf16z(path);
  }

  /** FileIo Read, Write, version 3. */
  public static LittleEndian fileTransfer(
      long offset, long irp, long fileObject, long fileKey, int tid, int size) {
    LittleEndian out = new LittleEndian().u64(offset).u64(irp).u64(fileObject).u64(fileKey);
    return out.u32(tid).u32(size).u32(0x0006_0900).u32(0);
  }

  /** FileIo Cleanup, Close, Flush, version 3. */
  public static LittleEndian fileSimple(long irp, long fileObject, long fileKey, int tid) {
    return new LittleEndian().u64(irp).u64(fileObject).u64(fileKey).u32(tid);
  }

  /** FileIo OperationEnd. */
  public static LittleEndian operationEnd(long irp, long extra, int status) {
    return new LittleEndian().u64(irp).u64(extra).u32(status);
  }

  /** SystemConfig CPU, version 3: 828 bytes; memory in MB. */
  public static LittleEndian cpu(int mhz, int processors, int memory, String computer) {
    LittleEndian out = new LittleEndian(828).u32(mhz).u32(processors).u32(memory).u32(4096);
    out.u32(65536).utf16(computer, 256).utf16("WORKGROUP", 134).pointer(P, 0xFF);
    out.u64(0x7FFF_FFFE_FFFFL).u16(9).u16(6).u16(0x9A03).u8(1).u8(1).u32(4800);
    return out;
  }

  /** SystemConfig Processors. */
  public static LittleEndian processor(int index, int mhz, String name) {
    LittleEndian out = new LittleEndian(428).u32(index).u32(0x3D1B_3FFF).u32(mhz).utf16(name, 64);
    return out.utf16("Intel64 Family 6 Model 154 Stepping 3", 128).utf16("GenuineIntel", 16);
  }

  /** SystemConfig PhyDisk. */
  public static LittleEndian physicalDisk(int number, String maker) {
    LittleEndian out = new LittleEndian(568).u32(number).u32(512).u32(63).u32(255).u64(62_260);
    out.u32(0).u32(0).u32(0).u32(0).utf16(maker, 256).u32(3).u8(1).u8(0).utf16("C", 3);
    return out.utf16("", 2);
  }

  /** SystemConfig LogDisk. */
  public static LittleEndian logicalDisk(String letter) {
    LittleEndian out = new LittleEndian(112).u64(0x1050_0000L).u64(0x77_0000_0000L).u32(0).u32(0);
    out.u32(3).utf16(letter, 4).u32(0).u32(3).u32(8).u32(512).u32(0).u64(60_404_481L);
    return out.u64(124_780_543L).utf16("NTFS", 16).u32(0).u32(0);
  }

  /** SystemConfig Platform. */
  public static LittleEndian platform(String maker, String product) {
    LittleEndian out = new LittleEndian().utf16z(maker).utf16z(product);
    return out.utf16z("02/10/2026").utf16z("1.14.0");
  }

  /** EventTraceEvent Extension and EndExtension: 8 group masks and KernelEventVersion. */
  public static LittleEndian groupMasks(long... masks) {
    LittleEndian out = new LittleEndian();
    for (int i = 0; i < 8; i++) {
      out.u32(i < masks.length ? masks[i] : 0);
    }
    return out.u32(0x5B);
  }

  /** EventTraceEvent PartitionInfoExtension of the root partition. */
  public static LittleEndian partitionInfo() {
    return new LittleEndian().u16(1).u16(0).u32(0).u64(0).zeros(32);
  }

  /** ImageID RSDS. */
  public static LittleEndian rsds(long base, int pid, UUID signature, int age, String pdb) {
    return new LittleEndian().u64(base).u32(pid).guid(signature).u32(age).utf8z(pdb);
  }

  /** ImageID Info. */
  public static LittleEndian imageInfo(long base, long size, int timeDateStamp, String file) {
    return new LittleEndian().u64(base).u64(size).u32(0).u32(timeDateStamp).utf16z(file);
  }

  /** SystemConfigEx VolumeMapping, SystemPaths: two texts. */
  public static LittleEndian twoTexts(String first, String second) {
    return new LittleEndian().utf16z(first).utf16z(second);
  }
}
