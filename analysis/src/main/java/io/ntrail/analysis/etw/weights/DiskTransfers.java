package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.profile.Metric;
import io.ntrail.analysis.profile.ProfileDiagnostics;
import io.ntrail.analysis.profile.StackSnapshot;
import io.ntrail.analysis.profile.WeightUnit;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelEvent.Group;
import io.ntrail.formats.etl.KernelFieldOffsets.DiskFlush;
import io.ntrail.formats.etl.KernelFieldOffsets.DiskInit;
import io.ntrail.formats.etl.KernelFieldOffsets.DiskTransfer;
import io.ntrail.formats.etl.RecordCursor;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Transfers of disks, with the stacks of the threads that requested them: see docs/profile.md. */
final class DiskTransfers implements WeightVisitor {

  /** Source of weights: transfers of disks. */
  static final WeightSource SOURCE =
      new WeightSource(
          Metric.of("disk", "disk transfers", WeightUnit.NANOS, WeightUnit.BYTES, WeightUnit.COUNT)
              .withNouns("disk I/O time", "disk transfers")
              .withStacksOf("the requests (ReadInit, WriteInit, FlushInit)")
              .recordedBy(
                  "wpr -start DiskIO, or: xperf -on PROC_THREAD+LOADER+DISK_IO+DISK_IO_INIT"
                      + " -stackwalk DiskReadInit+DiskWriteInit+DiskFlushInit")
              .with(Metric.Trait.OF_FILES),
          KernelEvent.DISKIO_READ,
          KernelEvent.DISKIO_WRITE,
          KernelEvent.DISKIO_FLUSHBUFFERS,
          KernelEvent.DISKIO_OPTICALREAD,
          KernelEvent.DISKIO_OPTICALWRITE,
          KernelEvent.DISKIO_OPTICALFLUSHBUFFERS) {
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
    if (KernelEvent.group(hook) != Group.DISKIO) {
      return;
    }
    if (KernelEvent.isDiskRequest(hook)) {
      begin(event);
      return;
    }
    switch (hook) {
      case KernelEvent.DISKIO_READ,
          KernelEvent.DISKIO_WRITE,
          KernelEvent.DISKIO_OPTICALREAD,
          KernelEvent.DISKIO_OPTICALWRITE ->
          transferred(event);
      case KernelEvent.DISKIO_FLUSHBUFFERS, KernelEvent.DISKIO_OPTICALFLUSHBUFFERS ->
          flushed(event);
      default -> {
        // Of drivers.
      }
    }
  }

  private void begin(EventContext event) {
    RecordCursor record = event.record();
    int pointer = record.pointerBytes();
    int at = record.payloadOffset();
    if (record.payloadLength() < pointer) {
      return;
    }
    StackSnapshot stack = event.keepOwnStack();
    if (requests.size() >= MOST) {
      requests.clear();
    }
    requests.put(
        record.bytes().pointer(at + DiskInit.IRP, pointer), new Request(event.thread(), stack));
  }

  /**
   * u32 disk, flags, size, reserved; u64 offset; p file; since version 2 p Irp; u64 time; since
   * version 3 u32 thread. Version 1 has the time after the file, version 0 none.
   */
  private void transferred(EventContext event) {
    RecordCursor record = event.record();
    Bytes payload = record.bytes();
    int pointer = record.pointerBytes();
    int at = record.payloadOffset();
    int length = record.payloadLength();
    int version = record.version();
    int irpAt = DiskTransfer.irp(pointer);
    int timeAt = DiskTransfer.responseTime(version, pointer);
    int threadAt = DiskTransfer.threadId(version, pointer);
    boolean hasTime = version >= 1 && length >= timeAt + 8;
    if (length < irpAt || version >= 1 && !hasTime && unit == WeightUnit.NANOS) {
      event.tooShort();
      return;
    }
    long ticks = hasTime ? payload.i64(at + timeAt) : 0;
    boolean hasIrp = version >= 2 && length >= timeAt;
    completed(
        event,
        hasIrp ? requests.remove(payload.pointer(at + irpAt, pointer)) : null,
        version >= 3 && length >= threadAt + 4 ? payload.i32(at + threadAt) : RecordCursor.NO_ID,
        ticks,
        payload.u32(at + DiskTransfer.TRANSFER_SIZE));
  }

  /** u32 disk, flags; u64 time; p Irp; since version 3 u32 thread. */
  private void flushed(EventContext event) {
    RecordCursor record = event.record();
    Bytes payload = record.bytes();
    int pointer = record.pointerBytes();
    int at = record.payloadOffset();
    int length = record.payloadLength();
    if (length < DiskFlush.IRP + pointer) {
      event.tooShort();
      return;
    }
    boolean told = record.version() >= 3 && length >= DiskFlush.threadId(pointer) + 4;
    completed(
        event,
        requests.remove(payload.pointer(at + DiskFlush.IRP, pointer)),
        told ? payload.i32(at + DiskFlush.threadId(pointer)) : RecordCursor.NO_ID,
        payload.i64(at + DiskFlush.RESPONSE_TIME),
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
      event.give(event.key(), process, thread, request.stack, event.subject(), weight);
    } else {
      event.ownStack();
      event.give(process, thread, weight);
    }
  }
}
