package io.ntrail.testkit.etl;

import io.ntrail.testkit.Property.Gen;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Supplier;

/** Recordings whose every choice is drawn from a {@link Gen}: for property tests of readers. */
public final class RandomRecordings {
  private static final int[] HOOKS = {
    0x0005, 0x0301, 0x030A, 0x0501, 0x0524, 0x0F2E, 0x1402, 0x1820, 0x1825, 0x1D01, 0xFF07,
  };

  private RandomRecordings() {}

  /**
   * Buffers and the settings of the file that they belong to, from which writers are made that
   * differ only in what the caller changes.
   *
   * @param settings makes equal settings on every call
   * @param buffers in file order
   */
  public record Content(Supplier<EtlSettings> settings, List<EtlBuffer> buffers) {
    /** A writer of this content with other settings. */
    public EtlWriter writer(EtlSettings changed) {
      EtlWriter writer = new EtlWriter(changed);
      buffers.forEach(writer::buffer);
      return writer;
    }

    /** A writer of this content as it is. */
    public EtlWriter writer() {
      return writer(settings.get());
    }

    /** A writer of this content whose data buffers are compressed. */
    public EtlWriter compressed(BufferCompression compression) {
      EtlSettings changed = settings.get().compression(compression);
      changed.mode(changed.mode | EtlSettings.MODE_COMPRESSED);
      return writer(changed.version(10, 0, 26100, 2, 0));
    }

    /** Returns the buffers in another order. */
    public Content shuffled(Gen g) {
      List<EtlBuffer> other = new ArrayList<>(buffers);
      for (int i = other.size() - 1; i > 0; i--) {
        java.util.Collections.swap(other, i, g.below(i + 1));
      }
      return new Content(settings, List.copyOf(other));
    }
  }

  /** Settings with any clock, pointer size and buffer size that a recording can have. */
  public static Supplier<EtlSettings> settings(Gen g) {
    int pointer = g.oneOf(8, 4);
    int bufferSize = g.oneOf(4096, 1024, 65536, 1024 + 8 * g.below(4000));
    int clock = g.oneOf(1, 2, 3, 0);
    long frequency = g.oneOf(10_000_000L, 2_533_281L, 3_579_545L, g.between(1, 5_000_000_000L));
    int megahertz = (int) g.between(1, 6_000);
    int system = g.below(3);
    int slack = g.oneOf(0xFF, 0, 0xC0, g.below(256));
    boolean finalised = !g.flag();
    return () -> {
      EtlSettings made =
          switch (system) {
            case 0 -> EtlSettings.windows11().pointerSize(pointer);
            case 1 -> EtlSettings.windows7(pointer);
            default -> EtlSettings.vista(pointer);
          };
      made.bufferSize(bufferSize).clock(clock).perfFreq(frequency).cpuMhz(megahertz).slack(slack);
      if (clock == 2) {
        made.startTicks(made.startTime());
      }
      return finalised ? made : made.neverFinalised();
    };
  }

  /** A recording of several CPUs; records are mostly in order of time within their buffers. */
  public static Content content(Gen g) {
    Supplier<EtlSettings> settings = settings(g);
    EtlSettings made = settings.get();
    int cpus = (int) g.between(1, g.oneOf(1, 4, 64));
    long step = g.oneOf(3L, 1L, 1000L, 1L << 30);
    long time = made.startTicks() + g.between(-50, 50);
    int inversions = g.oneOf(0, 0, 10);
    List<EtlBuffer> buffers = new ArrayList<>();
    EtlBuffer[] open = new EtlBuffer[cpus];
    long sequence = g.oneOf(1L, 908L, g.between(0, 1L << 40));
    int records = g.length(300);
    for (int i = 0; i < records; i++) {
      time += g.between(0, step - 1);
      long back = inversions > 0 && g.below(inversions) == 0 ? g.between(0, 3 * step) : 0;
      int cpu = g.below(cpus);
      EtlRecord record = record(g, time - back, made.bufferSize() - EtlBuffer.HEADER_BYTES);
      EtlBuffer buffer = open[cpu];
      if (buffer == null
          || buffer.used() + record.paddedLength() > made.bufferSize()
          || g.below(40) == 39) {
        buffer = EtlBuffer.of(cpu, g.oneOf(0x1C, 0x1D, 0), sequence++);
        open[cpu] = buffer;
        buffers.add(buffer);
      }
      buffer.add(record).timeStamp(time);
    }
    Content content = new Content(settings, List.copyOf(buffers));
    return g.flag() ? content.shuffled(g) : content;
  }

  /**
   * One record of any kind.
   *
   * @param room bytes that it may take with its padding, at least 900
   */
  public static EtlRecord record(Gen g, long time, int room) {
    int pointer = g.oneOf(8, 4);
    UUID guid = g.oneOf(EtlShapes.PROVIDER, ClassGuids.IMAGE, new UUID(g.bits(), g.bits()));
    int hook = HOOKS[g.below(HOOKS.length)];
    EtlRecords made =
        switch (g.below(12)) {
          case 0 -> EtlRecords.event(pointer, guid, g.below(0x10000));
          case 1 -> EtlRecords.system(pointer, hook).version(g.below(0x10000));
          case 2 -> EtlRecords.compact(pointer, hook).version(g.below(0x10000));
          case 3 -> perfInfo(g, pointer, hook);
          case 4 -> EtlRecords.full(pointer, guid).version(g.below(0x10000));
          case 5 -> EtlRecords.instance(pointer, guid).instanceOf(g.below(9), 7, guid);
          case 6 -> EtlRecords.timed(g.below(1 << 20));
          case 7 -> EtlRecords.time32(g.below(1 << 20)).flags(g.below(256));
          case 8 -> EtlRecords.error(guid);
          case 9 -> EtlRecords.wnode(guid);
          case 10 -> message(g, EtlRecords.message(g.below(0x10000), g.below(256)), guid);
          default -> message(g, EtlRecords.framedMessage(g.below(0x10000), g.below(256)), guid);
        };
    boolean event = made.kind == EtlKind.EVENT32 || made.kind == EtlKind.EVENT64;
    if (event) {
      made.version(g.below(256)).descriptor(g.below(256), g.below(0x10000), g.bits());
      made.level(g.below(256)).property(g.below(16)).activity(new UUID(g.bits(), g.bits()));
      made.flags(2 * g.below(32));
      for (int i = g.oneOf(0, 0, 1, g.below(5)); i > 0; i--) {
        made.item(1 + g.below(18), bytes(g, g.oneOf(8, 16, g.below(61))));
      }
    }
    boolean classic =
        switch (made.kind) {
          case FULL32, FULL64, INSTANCE32, INSTANCE64, ERROR, EVENT32, EVENT64 -> true;
          default -> false;
        };
    if (classic) {
      made.opcode(g.below(256));
    }
    made.cpuTimes(g.below(1 << 20), g.below(1 << 20));
    int most = g.flag() ? Math.min(room - 640, 60_000) : 100;
    return made.time(time)
        .thread(g.below(5000) * 4L, g.below(5000) * 4L)
        .payload(bytes(g, Math.max(least(hook), g.length(most))))
        .build();
  }

  /** Returns the bytes without which a stack record is a gap. */
  private static int least(int hook) {
    return hook == 0x1825 || hook == 0x1820 ? 24 : 0;
  }

  /** Two choices for all of them, so that failures of large recordings can be made small. */
  private static byte[] bytes(Gen g, int length) {
    byte[] out = new byte[length];
    SplittableRandom random = new SplittableRandom(g.bits());
    int values = 1 << g.below(9);
    for (int i = 0; i < length; i++) {
      out[i] = (byte) random.nextInt(values);
    }
    return out;
  }

  private static EtlRecords perfInfo(Gen g, int pointer, int hook) {
    EtlRecords made = EtlRecords.perfInfo(pointer, hook).version(g.below(256));
    if (g.flag()) {
      made.pebsIndex(g.bits());
    }
    long[] counters = new long[g.below(8)];
    Arrays.setAll(counters, i -> g.bits());
    return made.counters(counters);
  }

  private static EtlRecords message(Gen g, EtlRecords made, UUID guid) {
    return made.messageGuid(guid).sequence(g.below(1 << 30)).component(g.below(1 << 30));
  }
}
