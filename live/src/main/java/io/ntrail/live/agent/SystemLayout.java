package io.ntrail.live.agent;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.pe.MachineType;

/**
 * Sizes and offsets of the structures of the system's interface, as the agent's code has them; they
 * depend on the size of a pointer (winternl.h, ntddk.h, winnt.h).
 *
 * @param pointerBytes bytes of a pointer or handle
 * @param memoryBytes size of MEMORY_BASIC_INFORMATION
 * @param processBytes size of PROCESS_BASIC_INFORMATION, whose second pointer is the address of the
 *     process environment block
 * @param threadBytes size of THREAD_BASIC_INFORMATION, whose second pointer is the address of the
 *     thread environment block
 * @param affinity offset of the processors in THREAD_BASIC_INFORMATION
 * @param listedProcess size of SYSTEM_PROCESS_INFORMATION without its threads
 * @param listedPid offset of the process id in it
 * @param listedParent offset of the id of the parent in it
 * @param listedThread size of SYSTEM_THREAD_INFORMATION
 * @param listedTid offset of the thread id in it
 * @param startupBytes size of STARTUPINFOW, which ends with the three standard handles
 * @param startupFlags offset of the flags in it
 */
public record SystemLayout(
    int pointerBytes,
    int memoryBytes,
    int processBytes,
    int threadBytes,
    int affinity,
    int listedProcess,
    int listedPid,
    int listedParent,
    int listedThread,
    int listedTid,
    int startupBytes,
    int startupFlags) {
  /** Layout for 64-bit code. */
  public static final SystemLayout X64 =
      new SystemLayout(8, 48, 48, 48, 32, 0x100, 0x50, 0x58, 0x50, 0x30, 104, 60);

  /** Layout for 32-bit code. */
  public static final SystemLayout X86 =
      new SystemLayout(4, 28, 24, 28, 16, 0xB8, 0x44, 0x48, 0x40, 0x24, 68, 44);

  /** Returns the layout for code of a machine type. */
  static SystemLayout of(int machine) {
    return machine == MachineType.I386 ? X86 : X64;
  }

  /** Reads a pointer. */
  public long pointer(Bytes bytes, int at) {
    return pointerBytes == Long.BYTES ? bytes.i64(at) : bytes.u32(at);
  }

  /** Returns pointers or handles one after the other. */
  public byte[] array(long... pointers) {
    BytesBuilder out = new BytesBuilder(Long.BYTES * pointers.length);
    for (long pointer : pointers) {
      if (pointerBytes == Long.BYTES) {
        out.u64(pointer);
      } else {
        out.u32((int) pointer);
      }
    }
    return out.toArray();
  }
}
