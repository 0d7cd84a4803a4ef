package io.ntrail.testkit.etl;

import io.ntrail.testkit.LittleEndian;
import java.util.Arrays;
import java.util.UUID;

/**
 * Events of Processor Trace as the kernel logger writes them behind others, and files of ipt.sys.
 *
 * <p>Source: the MOF class IPT_V2 (event type 32, version 2), the option word of ipt.sys, the
 * structures of winipt's header.
 */
public final class ProcessorTraceEvents {
  /** The event class. */
  public static final UUID CLASS = UUID.fromString("ff1fd2fd-6008-42bb-9e75-00a20051f3be");

  /** Option word: version 1, no timing, ring of 4 KiB, any program, kernel code. */
  public static final long KERNEL = 0x0100_0001L;

  /** Option word: KERNEL with MTC every 8 ticks. */
  public static final long KERNEL_MTC = 0x0100_0311L;

  /** Option word: KERNEL with MTC every 8 ticks, and CYC. */
  public static final long KERNEL_CYC = 0x0100_0321L;

  /** Type 32 in a group of hook ids of which no class is known. */
  private static final int HOOK = 0x2020;

  private static final int PAGE = 4096;

  private ProcessorTraceEvents() {}

  /**
   * A payload.
   *
   * @param eventTime raw time stamp of the event before it
   * @param position where the next packet would be written
   * @param trace bytes as they are in the ring
   */
  public static LittleEndian payload(
      long eventTime, int pid, int tid, long options, int position, byte[] trace) {
    LittleEndian out = new LittleEndian(32 + trace.length).u64(eventTime).u32(pid).u32(tid);
    return out.u64(options).u32(trace.length).u32(position).bytes(trace);
  }

  /** A record that names its class; thread and time are set by the caller. */
  public static EtlRecords classic() {
    return EtlRecords.full(8, CLASS).opcode(32).version(2);
  }

  /** A record that names a hook id; the group is invented. */
  public static EtlRecords hooked() {
    return EtlRecords.perfInfo(8, HOOK).version(2);
  }

  /**
   * Lays a stream into a ring as a processor does that writes it from {@code start} on, over and
   * over: what is older than the ring is overwritten.
   *
   * @param size bytes of the ring, a multiple of 4 KiB
   * @param stream at least {@code size} bytes
   * @return the ring; the next byte would go to {@code (start + stream.length) % size}
   */
  public static byte[] ring(int size, int start, byte[] stream) {
    if (size % PAGE != 0 || stream.length < size) {
      throw new IllegalArgumentException(stream.length + " bytes in a ring of " + size);
    }
    byte[] ring = new byte[size];
    for (int i = 0; i < stream.length; i++) {
      ring[(start + i) % size] = stream[i];
    }
    return ring;
  }

  /**
   * One thread of a file of ipt.sys.
   *
   * @param timing 0 none, 1 MTC, 2 CYC
   * @param ratio ticks of the time stamp counter to one of the crystal
   * @param offset where the next packet would be written
   */
  public static LittleEndian thread(
      long tid, int timing, int mtcFrequency, int ratio, int offset, byte[] ring) {
    LittleEndian out = new LittleEndian(28 + ring.length).u64(tid).u32(timing).u32(mtcFrequency);
    return out.u32(ratio).u32(offset).u32(ring.length).bytes(ring);
  }

  /** A file without head, as ipttool writes it: threads one behind the other. */
  public static byte[] file(LittleEndian... threads) {
    LittleEndian out = new LittleEndian();
    Arrays.stream(threads).forEach(thread -> out.bytes(thread.toByteArray()));
    return out.toByteArray();
  }

  /** A file with the head that the driver gives: version, validity, bytes that follow. */
  public static byte[] fileWithHead(boolean isValid, LittleEndian... threads) {
    byte[] rest = file(threads);
    LittleEndian out = new LittleEndian(8 + rest.length).u16(1).u16(isValid ? 1 : 0);
    return out.u32(rest.length).bytes(rest).toByteArray();
  }
}
