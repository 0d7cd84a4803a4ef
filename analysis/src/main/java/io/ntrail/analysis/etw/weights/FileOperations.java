package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.profile.Metric;
import io.ntrail.analysis.profile.ProfileDiagnostics;
import io.ntrail.analysis.profile.StackSnapshot;
import io.ntrail.analysis.profile.WeightUnit;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelFieldOffsets.FileOperation;
import io.ntrail.formats.etl.RecordCursor;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** File operations from their beginning to their end: see docs/profile.md. */
final class FileOperations implements WeightVisitor {

  /** Source of weights: file operations. */
  static final WeightSource SOURCE =
      new WeightSource(
          Metric.of("file", "file operations", WeightUnit.NANOS, WeightUnit.BYTES, WeightUnit.COUNT)
              .withNouns("file I/O time", "file operations")
              .withStacksOf("the events that begin the operations")
              .recordedBy(
                  "wpr -start FileIO, or: xperf -on"
                      + " PROC_THREAD+LOADER+FILE_IO+FILE_IO_INIT+FILENAME"
                      + " -stackwalk FileRead+FileWrite+FileCreate")
              .with(Metric.Trait.OF_FILES),
          KernelEvent.FILEIO_OPERATIONEND) {
        @Override
        WeightVisitor start(
            Profiler.Request request, MetricInventory inventory, ProfileDiagnostics diagnostics) {
          return new FileOperations(request.unit(), diagnostics);
        }
      };

  /** Operations that are on their way at one time. */
  private static final int MOST = 1 << 18;

  private record Operation(
      long since,
      int process,
      int thread,
      long bytes,
      StackSnapshot stack,
      @Nullable String file) {}

  private final WeightUnit unit;
  private final ProfileDiagnostics diagnostics;
  private final Map<Long, Operation> operations = new HashMap<>();
  private @Nullable EventContext last;

  FileOperations(WeightUnit unit, ProfileDiagnostics diagnostics) {
    this.unit = unit;
    this.diagnostics = diagnostics;
  }

  @Override
  public void visit(EventContext event) {
    last = event;
    FileOperation operation = FileOperation.of(event.hook());
    if (operation != null) {
      begin(event, operation);
    } else if (event.hook() == KernelEvent.FILEIO_OPERATIONEND) {
      end(event);
    }
  }

  private void begin(EventContext event, FileOperation operation) {
    RecordCursor record = event.record();
    Bytes payload = record.bytes();
    int pointer = record.pointerBytes();
    int at = record.payloadOffset();
    int length = record.payloadLength();
    int irpAt = operation.irp();
    int sizeAt = operation.size(record.version(), pointer);
    if (!event.passesEvent()) {
      return;
    }
    boolean sized = sizeAt >= 0 && length >= sizeAt + 4;
    if (length < irpAt + pointer || sizeAt >= 0 && !sized && unit == WeightUnit.BYTES) {
      event.tooShort();
      return;
    }
    StackSnapshot stack = event.keepOwnStack();
    if (operations.size() >= MOST) {
      diagnostics.addUnfinished(operations.size());
      operations.clear();
    }
    Operation before =
        operations.put(
            payload.pointer(at + irpAt, pointer),
            new Operation(
                event.key(),
                event.process(),
                event.thread(),
                sized ? payload.u32(at + sizeAt) : 0,
                stack,
                event.subject()));
    if (before != null && event.isInScope(before.since, before.process, before.thread)) {
      diagnostics.addUnfinished(1);
    }
  }

  private void end(EventContext event) {
    RecordCursor record = event.record();
    int pointer = record.pointerBytes();
    if (record.payloadLength() < pointer) {
      return;
    }
    Operation operation =
        operations.remove(
            record.bytes().pointer(record.payloadOffset() + FileOperation.END_IRP, pointer));
    if (operation == null) {
      if (event.passesEvent() && event.isInScope(event.process(), event.thread())) {
        diagnostics.addBroken();
      }
      return;
    }
    long weight =
        switch (unit) {
          case NANOS -> event.nanosBetween(operation.since, event.key());
          case BYTES -> operation.bytes;
          default -> 1;
        };
    event.give(
        operation.since,
        operation.process,
        operation.thread,
        operation.stack,
        operation.file,
        weight);
  }

  @Override
  public void finish(ProfileDiagnostics into) {
    for (Operation operation : operations.values()) {
      if (last == null || last.isOurs(operation.since, operation.process, operation.thread)) {
        into.addUnfinished(1);
      }
    }
    operations.clear();
  }
}
