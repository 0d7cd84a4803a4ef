package io.ntrail.testkit.etl;

import io.ntrail.testkit.LittleEndian;
import java.util.UUID;

/**
 * A recording of the kernel logger with Processor Trace: processes, threads, images, and pieces,
 * each behind an event of its thread. Times are ticks since the start, 100 ns each.
 */
public final class TraceRecording {
  private static final int POINTER = 8;
  private static final int SYSTEM_CALL_EXIT = 0x0F34;
  private static final int PAGE = 4096;

  private final EtlSettings settings;
  private final EtlWriter writer;

  /** A recording of Windows 11, without events yet. */
  public TraceRecording() {
    this(EtlSettings.windows11());
  }

  /** A recording without events yet. */
  public TraceRecording(EtlSettings settings) {
    this.settings = settings;
    this.writer = new EtlWriter(settings);
  }

  /** The number of the next buffer, for recordings that are written in parts. */
  public TraceRecording nextSequence(long number) {
    writer.nextSequence(number);
    return this;
  }

  private long at(long ticks) {
    return settings.startTicks() + ticks;
  }

  /** A process that was there when the recording began, with a thread. */
  public TraceRecording process(int pid, int tid, String image) {
    writer.log(
        0,
        EtlRecords.system(POINTER, 0x0303)
            .version(4)
            .time(at(0))
            .payload(KernelPayloads.process(pid, 1000, 1, 0, image, image))
            .build());
    writer.log(
        0,
        EtlRecords.system(POINTER, 0x0503)
            .version(3)
            .time(at(0))
            .payload(KernelPayloads.thread(pid, tid, 0, 8, ""))
            .build());
    return this;
  }

  /**
   * An image that is loaded.
   *
   * @param pid process; 0 for an image of the kernel
   */
  public TraceRecording load(long ticks, int pid, long base, long size, int stamp, String path) {
    return image(ticks, 0x030A, pid, base, size, stamp, path);
  }

  /** An image that is unloaded. */
  public TraceRecording unload(long ticks, int pid, long base, long size, int stamp, String path) {
    return image(ticks, 0x1402, pid, base, size, stamp, path);
  }

  /** An image that was there when the recording began. */
  public TraceRecording found(int pid, long base, long size, int stamp, String path) {
    return image(0, 0x1403, pid, base, size, stamp, path);
  }

  private TraceRecording image(
      long ticks, int hook, int pid, long base, long size, int stamp, String path) {
    writer.log(
        0,
        EtlRecords.system(POINTER, hook)
            .version(3)
            .time(at(ticks))
            .thread(pid, 8)
            .payload(KernelPayloads.image(base, size, pid, 0, stamp, path))
            .build());
    return this;
  }

  /** A method that a runtime compiled, as MethodLoadVerbose has it. */
  public TraceRecording method(long ticks, int pid, long address, int size, String name) {
    LittleEndian payload = new LittleEndian().u64(7).u64(8).u64(address).u32(size).u32(0x600_0001);
    payload.u32(0).utf16z("Shop.Cart").utf16z(name).utf16z("void ()").u16(9).u64(0);
    writer.log(
        0,
        EtlRecords.event(POINTER, UUID.fromString("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4"), 143)
            .version(2)
            .time(at(ticks))
            .thread(pid, 8)
            .payload(payload)
            .build());
    return this;
  }

  /** A thread comes onto a CPU. */
  public TraceRecording onto(long ticks, int cpu, int tid, int before) {
    writer.log(
        cpu,
        EtlRecords.perfInfo(POINTER, 0x0524)
            .version(4)
            .time(at(ticks))
            .payload(KernelPayloads.cswitch(tid, before, 8, 8, 0, 0))
            .build());
    return this;
  }

  /** A call of the system ends, on a CPU. */
  public TraceRecording event(long ticks, int cpu) {
    writer.log(
        cpu,
        EtlRecords.perfInfo(POINTER, SYSTEM_CALL_EXIT)
            .time(at(ticks))
            .payload(new LittleEndian().u32(0))
            .build());
    return this;
  }

  /**
   * A piece that names the time of an event.
   *
   * @param trace as it lies in the ring
   */
  public TraceRecording piece(
      long ticks, int cpu, int pid, int tid, long options, int position, byte[] trace) {
    writer.log(
        cpu,
        ProcessorTraceEvents.classic()
            .time(at(ticks) + 1)
            .thread(pid, tid)
            .payload(ProcessorTraceEvents.payload(at(ticks), pid, tid, options, position, trace))
            .build());
    return this;
  }

  /**
   * A call of the system ends, and a piece follows: the stream, if it is smaller than the ring of
   * the options, else what is left of it in the ring.
   */
  public TraceRecording traced(long ticks, int cpu, int pid, int tid, long options, byte[] stream) {
    event(ticks, cpu);
    int size = PAGE << (options >>> 16 & 15);
    if (stream.length < size) {
      return piece(ticks, cpu, pid, tid, options, stream.length, stream);
    }
    int start = 977 % size;
    byte[] ring = ProcessorTraceEvents.ring(size, start, stream);
    return piece(ticks, cpu, pid, tid, options, (start + stream.length) % size, ring);
  }

  /** Returns the file. */
  public byte[] toByteArray() {
    return writer.toByteArray();
  }

  /** Returns the settings. */
  public EtlSettings settings() {
    return settings;
  }

  /** Returns a path of the kernel for a file of the system. */
  public static String systemPath(String name) {
    return "\\Device\\HarddiskVolume3\\Windows\\System32\\" + name;
  }
}
