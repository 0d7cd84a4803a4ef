package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.profile.ProfileDiagnostics;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.etl.RecordCursor;

/** Samples of the timer, in samples or nanoseconds; also those of the processor's counters. */
final class CpuSamples implements WeightSource {
  static final int SAMPLE = 0x0F2E;
  static final int BATCH = 0x0F37;
  static final int PMC_SAMPLE = 0x0F2F;

  private static final long DEFAULT_INTERVAL = 10_000;
  private static final int TIMER = 0;

  private final MetricInventory inventory;
  private final ProfileDiagnostics remarks;
  private final boolean idleToo;

  /** The source of the counter; negative for the timer. */
  private final int counter;

  private final boolean counted;

  private CpuSamples(
      MetricInventory inventory,
      ProfileDiagnostics remarks,
      boolean idleToo,
      int counter,
      boolean counted) {
    this.inventory = inventory;
    this.remarks = remarks;
    this.idleToo = idleToo;
    this.counter = counter;
    this.counted = counted;
  }

  /**
   * Samples of the timer.
   *
   * @param counted whether to count samples, or else to add nanoseconds
   */
  static CpuSamples ofTimer(
      MetricInventory inventory, ProfileDiagnostics remarks, boolean idleToo, boolean counted) {
    return new CpuSamples(inventory, remarks, idleToo, -1, counted);
  }

  /**
   * Samples of a counter.
   *
   * @param counted whether to count samples, or else to add events of the counter
   */
  static CpuSamples ofCounter(
      MetricInventory inventory,
      ProfileDiagnostics remarks,
      boolean idleToo,
      int source,
      boolean counted) {
    return new CpuSamples(inventory, remarks, idleToo, source, counted);
  }

  @Override
  public void visit(EventContext moment) {
    switch (moment.hook()) {
      case SAMPLE -> {
        if (counter < 0) {
          sample(moment, moment.record().payloadOffset(), moment.record().payloadLength());
        }
      }
      case BATCH -> {
        if (counter < 0) {
          batch(moment);
        }
      }
      case PMC_SAMPLE -> {
        if (counter >= 0) {
          counterSample(moment);
        }
      }
      default -> {
        // Another kind of event.
      }
    }
  }

  @Override
  public boolean followsThreads() {
    return false;
  }

  private void sample(EventContext moment, int at, int length) {
    RecordCursor record = moment.record();
    Bytes payload = record.bytes();
    int pointer = record.pointerBytes();
    if (length < pointer + 6) {
      return;
    }
    int thread = payload.i32(at + pointer);
    int count = Math.max(1, payload.u16(at + pointer + 4));
    boolean flagged =
        record.version() >= 2 && length > pointer + 6 && (payload.u8(at + pointer + 6) & 3) != 0;
    give(moment, thread, payload.pointer(at, pointer), thread != 0 || flagged, count, TIMER);
  }

  /** u32 count, padded to a pointer, then samples of p + 4 + 4 bytes. */
  private void batch(EventContext moment) {
    RecordCursor record = moment.record();
    int pointer = record.pointerBytes();
    int length = record.payloadLength();
    if (length < 4) {
      return;
    }
    int size = pointer + 8;
    long told = record.bytes().u32(record.payloadOffset());
    long samples = Math.min(told, (length - pointer) / size);
    for (int i = 0; i < samples; i++) {
      sample(moment, record.payloadOffset() + pointer + i * size, size);
    }
  }

  private void counterSample(EventContext moment) {
    RecordCursor record = moment.record();
    Bytes payload = record.bytes();
    int pointer = record.pointerBytes();
    int at = record.payloadOffset();
    if (record.payloadLength() < pointer + 6 || payload.u16(at + pointer + 4) != counter) {
      return;
    }
    int thread = payload.i32(at + pointer);
    give(moment, thread, payload.pointer(at, pointer), thread != 0, 1, counter);
  }

  private void give(
      EventContext moment, int thread, long address, boolean busy, int count, int source) {
    if (!moment.passesEvent()) {
      return;
    }
    long weight = counted ? count : weight(moment, source) * count;
    if (!busy) {
      moment.idle(weight);
      if (!idleToo) {
        return;
      }
    }
    moment.sampledStack(thread, address);
    moment.give(moment.process(thread), thread, weight);
  }

  private long weight(EventContext moment, int source) {
    long interval = inventory.interval(source, moment.key());
    if (source == TIMER) {
      remarks.noteInterval(interval < 0);
      return 100 * (interval < 0 ? DEFAULT_INTERVAL : interval);
    }
    remarks.noteInterval(interval <= 0);
    return interval <= 0 ? 1 : interval;
  }
}
