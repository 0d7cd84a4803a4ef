package io.ntrail.analysis.etw.machine;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.etl.KernelFieldOffsets.Sample;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordTable;
import io.ntrail.formats.schema.Payload;
import java.util.List;
import java.util.TreeSet;

/** Collects {@link Sampling}. */
final class SamplingCollector {
  /** Intervals that are kept; a recording has one or two. */
  private static final int MOST = 64;

  private final TreeSet<Long> intervals = new TreeSet<>();
  private long samples;
  private long busy;

  /** A record of one sample. */
  void sample(RecordCursor record) {
    int end = record.offset() + record.size();
    if (count(record.bytes(), record.payloadOffset(), end, record.pointerBytes()) == 0) {
      record.damagedPayload(Sampling.SHORT);
    }
  }

  /** Record {@code row} of a table, which is one of one sample. */
  void sample(RecordCursor record, RecordTable table, int row) {
    if (table.isPlain(row)) {
      int at = table.offset(row);
      int end = at + table.size(row);
      if (count(record.bytes(), at + RecordTable.PLAIN_HEADER, end, Long.BYTES) == 0) {
        record.moveTo(table, row);
        record.damagedPayload(Sampling.SHORT);
      }
    } else {
      record.moveTo(table, row);
      sample(record);
    }
  }

  /** A record of several: their number, aligned to a pointer, then the samples. */
  void batch(RecordCursor record) {
    int from = record.payloadOffset();
    int end = record.offset() + record.size();
    int pointer = record.pointerBytes();
    if (from + pointer > end) {
      record.damagedPayload(Sampling.SHORT);
      return;
    }
    long entries = record.bytes().u32(from);
    int at = from + Sample.firstEntry(pointer);
    boolean isWhole = true;
    long told = 0;
    while (told < entries && at < end && isWhole) {
      isWhole = count(record.bytes(), at, end, pointer) > 0;
      at += Sample.entryBytes(pointer);
      told++;
    }
    if (told < entries || !isWhole) {
      record.damagedPayload(Sampling.SHORT);
    }
  }

  /** Counts an entry; returns the number of its samples, 0 if it is cut. */
  private long count(Bytes bytes, int at, int end, int pointerBytes) {
    long weight = Sampling.weight(bytes, at, end, pointerBytes);
    samples += weight;
    busy += Sampling.isBusy(bytes, at, end, pointerBytes, weight) ? weight : 0;
    return weight;
  }

  /** A record about the profiling timer or another source of samples. */
  void interval(Payload payload) {
    int source = payload.find("Source");
    long interval = KernelPayload.number(payload, "NewInterval");
    if (source >= 0 && payload.integer(source) == 0 && interval > 0 && intervals.size() < MOST) {
      intervals.add(interval);
    }
  }

  void merge(SamplingCollector other) {
    intervals.addAll(other.intervals);
    samples += other.samples;
    busy += other.busy;
  }

  Sampling result(long busyWithStack) {
    return new Sampling(List.copyOf(intervals), samples, busy, busyWithStack);
  }
}
