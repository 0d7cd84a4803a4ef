package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.profile.StackSnapshot;
import io.ntrail.analysis.profile.WeightUnit;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.etl.RecordCursor;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Transfers of disks, with the stacks of those who asked for them: see docs/profile.md. */
final class DiskTransfers implements WeightSource {
  static final int READ = 0x010A;
  static final int WRITE = 0x010B;
  static final int FLUSH = 0x010E;

  /** Requests that are on their way at one time. */
  private static final int MOST = 1 << 18;

  private record Request(int thread, StackSnapshot stack) {}

  private final WeightUnit unit;
  private final Map<Long, Request> requests = new HashMap<>();

  DiskTransfers(WeightUnit unit) {
    this.unit = unit;
  }

  @Override
  public void visit(EventContext moment) {
    int hook = moment.hook();
    if (hook >>> 8 != 0x01) {
      return;
    }
    switch (hook & 0xFF) {
      case 0x0C, 0x0D, 0x0F, 0x3A, 0x3B, 0x3C -> begin(moment);
      case 0x0A, 0x0B, 0x37, 0x38 -> transferred(moment);
      case 0x0E, 0x39 -> flushed(moment);
      default -> {
        // Of drivers.
      }
    }
  }

  /** p Irp; since version 3 u32 thread. */
  private void begin(EventContext moment) {
    RecordCursor record = moment.record();
    int pointer = record.pointerBytes();
    int at = record.payloadOffset();
    if (record.payloadLength() < pointer) {
      return;
    }
    boolean told = record.version() >= 3 && record.payloadLength() >= pointer + 4;
    int thread = told ? record.bytes().i32(at + pointer) : moment.thread();
    moment.ownStack();
    StackSnapshot stack = moment.keep(moment.processOfThread(thread));
    if (requests.size() >= MOST) {
      requests.clear();
    }
    requests.put(record.bytes().pointer(at, pointer), new Request(thread, stack));
  }

  /**
   * u32 disk, flags, size, reserved; u64 offset; p file; since version 2 p Irp; u64 time; since
   * version 3 u32 thread. Version 1 has the time behind the file, version 0 none.
   */
  private void transferred(EventContext moment) {
    RecordCursor record = moment.record();
    Bytes payload = record.bytes();
    int pointer = record.pointerBytes();
    int at = record.payloadOffset();
    int length = record.payloadLength();
    int version = record.version();
    int irpAt = 24 + pointer;
    int timeAt = version >= 2 ? irpAt + pointer : irpAt;
    if (length < irpAt) {
      return;
    }
    long ticks = version >= 1 && length >= timeAt + 8 ? payload.i64(at + timeAt) : 0;
    boolean hasIrp = version >= 2 && length >= timeAt;
    completed(
        moment,
        hasIrp ? requests.remove(payload.pointer(at + irpAt, pointer)) : null,
        version >= 3 && length >= timeAt + 12 ? payload.i32(at + timeAt + 8) : RecordCursor.NO_ID,
        ticks,
        payload.u32(at + 8));
  }

  /** u32 disk, flags; u64 time; p Irp; since version 3 u32 thread. */
  private void flushed(EventContext moment) {
    RecordCursor record = moment.record();
    Bytes payload = record.bytes();
    int pointer = record.pointerBytes();
    int at = record.payloadOffset();
    int length = record.payloadLength();
    if (length < 16 + pointer) {
      return;
    }
    boolean told = record.version() >= 3 && length >= 20 + pointer;
    completed(
        moment,
        requests.remove(payload.pointer(at + 16, pointer)),
        told ? payload.i32(at + 16 + pointer) : RecordCursor.NO_ID,
        payload.i64(at + 8),
        0);
  }

  private void completed(
      EventContext moment, @Nullable Request request, int issuer, long ticks, long bytes) {
    if (!moment.passesEvent()) {
      return;
    }
    long weight =
        switch (unit) {
          case NANOS -> moment.file().clock().nanosOfSpan(ticks);
          case BYTES -> bytes;
          default -> 1;
        };
    int thread = issuer;
    if (thread == RecordCursor.NO_ID && request != null) {
      thread = request.thread;
    }
    int process = moment.processOfThread(thread);
    if (request != null) {
      moment.give(moment.key(), process, thread, request.stack, weight);
    } else {
      moment.ownStack();
      moment.give(process, thread, weight);
    }
  }
}
