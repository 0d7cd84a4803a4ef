package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.profile.Metric;
import io.ntrail.analysis.profile.ProfileDiagnostics;
import io.ntrail.analysis.profile.StackSnapshot;
import io.ntrail.analysis.profile.WeightUnit;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.etl.RecordCursor;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Transfers of disks, with the stacks of the threads that asked for them: see docs/profile.md. */
final class DiskTransfers implements WeightVisitor {
  private static final int READ = 0x010A;
  private static final int WRITE = 0x010B;
  private static final int FLUSH = 0x010E;
  private static final int OPTICAL_READ = 0x0137;
  private static final int OPTICAL_WRITE = 0x0138;
  private static final int OPTICAL_FLUSH = 0x0139;

  /** Source of weights: transfers of disks. */
  static final WeightSource SOURCE =
      new WeightSource(
          Metric.of("disk", "disk transfers", WeightUnit.NANOS, WeightUnit.BYTES, WeightUnit.COUNT)
              .withNouns("disk transfers", "disk transfers")
              .recordedBy(
                  "wpr -start DiskIO, or: xperf -on PROC_THREAD+LOADER+DISK_IO+DISK_IO_INIT"
                      + " -stackwalk DiskReadInit+DiskWriteInit+DiskFlushInit"),
          READ,
          WRITE,
          FLUSH,
          OPTICAL_READ,
          OPTICAL_WRITE,
          OPTICAL_FLUSH) {
        @Override
        WeightVisitor start(
            Profiler.Request request, MetricInventory inventory, ProfileDiagnostics diagnostics) {
          return new DiskTransfers(request.unit());
        }
      };

  /** Requests that are on their way at one time. */
  private static final int MOST = 1 << 18;

  private record Request(int thread, StackSnapshot stack) {}

  private final WeightUnit unit;
  private final Map<Long, Request> requests = new HashMap<>();

  DiskTransfers(WeightUnit unit) {
    this.unit = unit;
  }

  @Override
  public void visit(EventContext event) {
    int hook = event.hook();
    if (hook >>> 8 != 0x01) {
      return;
    }
    switch (hook & 0xFF) {
      case 0x0C, 0x0D, 0x0F, 0x3A, 0x3B, 0x3C -> begin(event);
      case 0x0A, 0x0B, 0x37, 0x38 -> transferred(event);
      case 0x0E, 0x39 -> flushed(event);
      default -> {
        // Of drivers.
      }
    }
  }

  /** p Irp; since version 3 u32 thread. */
  private void begin(EventContext event) {
    RecordCursor record = event.record();
    int pointer = record.pointerBytes();
    int at = record.payloadOffset();
    if (record.payloadLength() < pointer) {
      return;
    }
    boolean told = record.version() >= 3 && record.payloadLength() >= pointer + 4;
    int thread = told ? record.bytes().i32(at + pointer) : event.thread();
    event.ownStack();
    StackSnapshot stack = event.keep(event.processOfThread(thread));
    if (requests.size() >= MOST) {
      requests.clear();
    }
    requests.put(record.bytes().pointer(at, pointer), new Request(thread, stack));
  }

  /**
   * u32 disk, flags, size, reserved; u64 offset; p file; since version 2 p Irp; u64 time; since
   * version 3 u32 thread. Version 1 has the time behind the file, version 0 none.
   */
  private void transferred(EventContext event) {
    RecordCursor record = event.record();
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
        event,
        hasIrp ? requests.remove(payload.pointer(at + irpAt, pointer)) : null,
        version >= 3 && length >= timeAt + 12 ? payload.i32(at + timeAt + 8) : RecordCursor.NO_ID,
        ticks,
        payload.u32(at + 8));
  }

  /** u32 disk, flags; u64 time; p Irp; since version 3 u32 thread. */
  private void flushed(EventContext event) {
    RecordCursor record = event.record();
    Bytes payload = record.bytes();
    int pointer = record.pointerBytes();
    int at = record.payloadOffset();
    int length = record.payloadLength();
    if (length < 16 + pointer) {
      return;
    }
    boolean told = record.version() >= 3 && length >= 20 + pointer;
    completed(
        event,
        requests.remove(payload.pointer(at + 16, pointer)),
        told ? payload.i32(at + 16 + pointer) : RecordCursor.NO_ID,
        payload.i64(at + 8),
        0);
  }

  private void completed(
      EventContext event, @Nullable Request request, int issuer, long ticks, long bytes) {
    if (!event.passesEvent()) {
      return;
    }
    long weight =
        switch (unit) {
          case NANOS -> event.file().clock().nanosOfSpan(ticks);
          case BYTES -> bytes;
          default -> 1;
        };
    int thread = issuer;
    if (thread == RecordCursor.NO_ID && request != null) {
      thread = request.thread;
    }
    int process = event.processOfThread(thread);
    if (request != null) {
      event.give(event.key(), process, thread, request.stack, weight);
    } else {
      event.ownStack();
      event.give(process, thread, weight);
    }
  }
}
