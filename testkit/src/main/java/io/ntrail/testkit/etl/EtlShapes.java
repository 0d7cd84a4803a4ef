package io.ntrail.testkit.etl;

import io.ntrail.testkit.LittleEndian;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * Recordings whose buffers lie in the file in the ways that real recorders leave them. Each comes
 * as an {@link EtlWriter}: bytes by {@link EtlWriter#toByteArray}, what a reader must find by
 * {@link EtlWriter#truth}. The payload of every event begins with its serial number, u64, so that a
 * difference names the event.
 */
public final class EtlShapes {
  /** The invented provider of the events of provider kind. */
  public static final UUID PROVIDER = UUID.fromString("0f0e4b1c-51a7-4c53-9a3e-7d2c1b6a9f10");

  private static final int BUFFER = 4096;

  private final SplittableRandom random;
  private long serial;

  private EtlShapes(long seed) {
    random = new SplittableRandom(seed);
  }

  /** An event of a random kind; about one in eight has no payload but the serial number. */
  private EtlRecord event(long time) {
    LittleEndian payload = new LittleEndian().u64(serial++);
    if (random.nextInt(8) != 0) {
      byte[] more = new byte[random.nextInt(120)];
      random.nextBytes(more);
      payload.bytes(more);
    }
    EtlRecords made =
        switch (random.nextInt(6)) {
          case 0 -> EtlRecords.system(8, 0x0501).version(3);
          case 1 -> EtlRecords.perfInfo(8, 0x0FF1);
          case 2 -> EtlRecords.full(8, PROVIDER).opcode(1);
          case 3 -> EtlRecords.event(4, PROVIDER, 2);
          case 4 -> EtlRecords.event(8, PROVIDER, 3).item(9, new byte[8]);
          default -> EtlRecords.event(8, PROVIDER, 4);
        };
    return made.time(time)
        .thread(100 + random.nextInt(4) * 4L, 200 + random.nextInt(9) * 4L)
        .payload(payload)
        .build();
  }

  private static EtlSettings settings(int mode) {
    return EtlSettings.windows11().bufferSize(BUFFER).processors(4).mode(mode);
  }

  /** The buffers of a session in order of sequence number, each full or nearly so. */
  private List<EtlBuffer> session(
      int logger, int cpus, long firstSequence, int events, long start, int step) {
    List<EtlBuffer> done = new ArrayList<>();
    EtlBuffer[] open = new EtlBuffer[cpus];
    long sequence = firstSequence;
    long time = start;
    for (int i = 0; i < events; i++) {
      // Steps of 0 put several events at one time stamp, on one CPU and on several.
      time += random.nextInt(step);
      int cpu = random.nextInt(cpus);
      EtlRecord record = event(time);
      EtlBuffer buffer = open[cpu];
      if (buffer == null || buffer.used() + record.paddedLength() > BUFFER) {
        buffer = EtlBuffer.of(cpu, logger, sequence++);
        open[cpu] = buffer;
        done.add(buffer);
      }
      buffer.add(record);
    }
    return done;
  }

  private static EtlWriter writer(EtlSettings settings, List<EtlBuffer> buffers) {
    EtlWriter writer = new EtlWriter(settings);
    buffers.forEach(writer::buffer);
    return writer;
  }

  private void shuffle(List<EtlBuffer> buffers) {
    for (int i = buffers.size() - 1; i > 0; i--) {
      int j = random.nextInt(i + 1);
      EtlBuffer swap = buffers.get(i);
      buffers.set(i, buffers.get(j));
      buffers.set(j, swap);
    }
  }

  /** A sequential recording of 4 CPUs whose buffers are in the file in no order at all. */
  public static EtlWriter outOfOrder(long seed, int events) {
    EtlShapes s = new EtlShapes(seed);
    EtlSettings settings = settings(EtlSettings.MODE_SEQUENTIAL);
    List<EtlBuffer> buffers = s.session(0x1C, 4, 1, events, settings.startTicks() + 50, 9);
    s.shuffle(buffers);
    return writer(settings, buffers);
  }

  /**
   * A ring that has wrapped: the oldest data buffer is not the first in the file.
   *
   * @param slots data buffers that the ring holds; older ones are overwritten
   */
  public static EtlWriter ring(long seed, int events, int slots) {
    EtlShapes s = new EtlShapes(seed);
    EtlSettings settings = settings(EtlSettings.MODE_CIRCULAR);
    List<EtlBuffer> all = s.session(0x1C, 4, 1, events, settings.startTicks() + 50, 9);
    List<EtlBuffer> ring = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      if (i < slots) {
        ring.add(all.get(i));
      } else {
        ring.set(i % slots, all.get(i));
      }
    }
    return writer(settings, ring);
  }

  /** Append mode: a second session's buffers after the first's, numbered from 1 again. */
  public static EtlWriter append(long seed, int events) {
    EtlShapes s = new EtlShapes(seed);
    EtlSettings settings = settings(EtlSettings.MODE_SEQUENTIAL | EtlSettings.MODE_APPEND);
    long start = settings.startTicks() + 50;
    List<EtlBuffer> buffers = s.session(0x1C, 4, 1, events, start, 9);
    buffers.addAll(s.session(0x1D, 4, 1, events, start + 10_000_000, 9));
    return writer(settings, buffers);
  }

  /** A series of files: each has its own header, the sequence numbers go on. */
  public static List<EtlWriter> newFileSeries(long seed, int events, int files) {
    EtlShapes s = new EtlShapes(seed);
    List<EtlWriter> series = new ArrayList<>();
    long sequence = 1;
    long start = settings(0).startTicks();
    long startTime = settings(0).startTime();
    for (int i = 0; i < files; i++) {
      EtlSettings settings = settings(EtlSettings.MODE_SEQUENTIAL | EtlSettings.MODE_NEW_FILE);
      settings.startTicks(start).startTime(startTime).names("shop", "C:\\shop\\shop" + i + ".etl");
      List<EtlBuffer> buffers = s.session(0x1C, 4, sequence, events, start + 10, 9);
      sequence += buffers.size();
      series.add(writer(settings, buffers));
      // Each file's clock base is its own, taken when the file was begun.
      start += 10_000_000;
      startTime += 10_000_000;
    }
    return series;
  }

  /** One stream for all processors: CPU 0 throughout, NumberOfProcessors 1. */
  public static EtlWriter noPerProcessorBuffering(long seed, int events) {
    EtlShapes s = new EtlShapes(seed);
    EtlSettings settings =
        settings(EtlSettings.MODE_SEQUENTIAL | EtlSettings.MODE_NO_PER_PROCESSOR_BUFFERING);
    settings.processors(1);
    return writer(settings, s.session(0x20, 1, 1, events, settings.startTicks() + 50, 9));
  }

  /** A private in-process recording: provider events with CPU cycles instead of CPU times. */
  public static EtlWriter privateLogger(long seed, int events) {
    EtlShapes s = new EtlShapes(seed);
    EtlSettings settings =
        settings(
            EtlSettings.MODE_CIRCULAR
                | EtlSettings.MODE_PRIVATE
                | EtlSettings.MODE_PRIVATE_IN_PROC
                | EtlSettings.MODE_NO_PER_PROCESSOR_BUFFERING);
    settings.processors(1);
    EtlWriter writer = new EtlWriter(settings);
    for (int i = 0; i < events; i++) {
      long time = settings.startTicks() + 50 + i * 7L;
      writer.log(
          0,
          EtlRecords.event(8, PROVIDER, 5)
              .flags(0x0012)
              .time(time)
              .thread(4312, 4316)
              .cpuTimes(i * 1000L, 0)
              .payload(new LittleEndian().u64(s.serial++))
              .build());
    }
    return writer.flush();
  }

  /** A secure system logger's recording, with lost events counted. */
  public static EtlWriter secure(long seed, int events) {
    EtlShapes s = new EtlShapes(seed);
    EtlSettings settings =
        settings(EtlSettings.MODE_SECURE | EtlSettings.MODE_SYSTEM_LOGGER).lost(41, 2);
    List<EtlBuffer> buffers = s.session(0x05, 4, 1, events, settings.startTicks() + 50, 9);
    buffers.getLast().flags(EtlBuffer.FLAG_EVENTS_LOST | EtlBuffer.FLAG_BUFFER_LOST);
    return writer(settings, buffers);
  }

  /**
   * Two sessions merged: they share the CPU indexes, and buffers of one CPU overlap in time; the
   * merger has numbered all buffers anew.
   *
   * @param compression of the data buffers
   */
  public static EtlWriter merged(long seed, int events, BufferCompression compression) {
    EtlShapes s = new EtlShapes(seed);
    EtlSettings settings =
        compression == BufferCompression.NONE
            ? settings(EtlSettings.MODE_SEQUENTIAL | EtlSettings.MODE_RELOG)
            : EtlSettings.compressed(compression).bufferSize(BUFFER).processors(4);
    long start = settings.startTicks() + 50;
    List<EtlBuffer> buffers = s.session(0x02, 4, 1, events, start, 9);
    // The second session starts before the header's own time, as rundowns of merged inputs do.
    buffers.addAll(s.session(0x1D, 4, 1L + buffers.size(), events, start - 400, 11));
    s.shuffle(buffers);
    return writer(settings, buffers);
  }

  /** A preallocated file that was never finalised: zeros after the last buffer written. */
  public static EtlWriter preallocated(long seed, int events, int zeroBuffers) {
    EtlShapes s = new EtlShapes(seed);
    EtlSettings settings =
        settings(EtlSettings.MODE_SEQUENTIAL | EtlSettings.MODE_PREALLOCATE).neverFinalised();
    List<EtlBuffer> buffers = s.session(0x1C, 4, 1, events, settings.startTicks() + 50, 9);
    return writer(settings, buffers).zeroTail((long) zeroBuffers * BUFFER);
  }

  /** Some records are after ones that are a few ticks later, within one buffer and CPU. */
  public static EtlWriter inversions(long seed, int events) {
    EtlShapes s = new EtlShapes(seed);
    EtlSettings settings = settings(EtlSettings.MODE_SEQUENTIAL);
    EtlWriter writer = new EtlWriter(settings);
    long time = settings.startTicks() + 50;
    for (int i = 0; i < events; i++) {
      time += s.random.nextInt(6);
      long back = s.random.nextInt(10) == 0 ? s.random.nextInt(4) : 0;
      writer.log(s.random.nextInt(4), s.event(time - back));
    }
    return writer.flush();
  }
}
