package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.profile.Metric;
import io.ntrail.analysis.profile.ProfileDiagnostics;
import io.ntrail.analysis.profile.StackSnapshot;
import io.ntrail.analysis.profile.WeightUnit;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.etl.RecordCursor;
import java.util.HashMap;
import java.util.Map;

/** File operations from their beginning to their end: see docs/profile.md. */
final class FileOperations implements WeightVisitor {
  private static final int END = 0x044C;
  private static final int END_TYPE = 0x4C;

  /** Source of weights: file operations. */
  static final WeightSource SOURCE =
      new WeightSource(
          Metric.of("file", "file operations", WeightUnit.NANOS, WeightUnit.BYTES, WeightUnit.COUNT)
              .withNouns("file operations", "file operations")
              .recordedBy(
                  "wpr -start FileIO, or: xperf -on"
                      + " PROC_THREAD+LOADER+FILE_IO+FILE_IO_INIT+FILENAME"
                      + " -stackwalk FileRead+FileWrite+FileCreate"),
          END) {
        @Override
        WeightVisitor start(
            Profiler.Request request, MetricInventory inventory, ProfileDiagnostics diagnostics) {
          return new FileOperations(request.unit(), diagnostics);
        }
      };

  /** Operations that are on their way at one time. */
  private static final int MOST = 1 << 18;

  private record Operation(long since, int process, int thread, long bytes, StackSnapshot stack) {}

  private final WeightUnit unit;
  private final ProfileDiagnostics diagnostics;
  private final Map<Long, Operation> operations = new HashMap<>();

  FileOperations(WeightUnit unit, ProfileDiagnostics diagnostics) {
    this.unit = unit;
    this.diagnostics = diagnostics;
  }

  @Override
  public void visit(EventContext event) {
    if (event.hook() >>> 8 != 0x04) {
      return;
    }
    int type = event.hook() & 0xFF;
    switch (type) {
      case 0x40 -> begin(event, 0, 1, -1);
      case 0x43, 0x44 -> begin(event, 8, 2, 0);
      case 0x41, 0x42, 0x48, 0x49, 0x4D -> begin(event, 0, 2, -1);
      case 0x45, 0x46, 0x47, 0x4A, 0x4B, 0x4F, 0x50, 0x51 -> begin(event, 0, 3, -1);
      case END_TYPE -> end(event);
      default -> {
        // Names, mappings, filters.
      }
    }
  }

  /**
   * In version 2 the thread (p) stands behind the Irp, in version 3 (u32) behind the other
   * pointers.
   *
   * @param irpAt place of the Irp
   * @param pointers pointers between Irp and thread in version 3
   * @param sizeAfter place of the size behind thread and pointers; negative if there is none
   */
  private void begin(EventContext event, int irpAt, int pointers, int sizeAfter) {
    RecordCursor record = event.record();
    Bytes payload = record.bytes();
    int pointer = record.pointerBytes();
    int at = record.payloadOffset();
    int length = record.payloadLength();
    boolean wide = record.version() < 3;
    int threadAt = wide ? irpAt + pointer : irpAt + pointer * (1 + pointers);
    int behind = irpAt + pointer * (1 + pointers) + (wide ? pointer : 4);
    if (length < irpAt + pointer || !event.passesEvent()) {
      return;
    }
    int thread = length >= threadAt + 4 ? payload.i32(at + threadAt) : event.thread();
    boolean sized = sizeAfter >= 0 && length >= behind + sizeAfter + 4;
    int process = event.process(thread);
    event.ownStack();
    StackSnapshot stack = event.keep(process);
    if (operations.size() >= MOST) {
      diagnostics.addUnfinished(operations.size());
      operations.clear();
    }
    Operation before =
        operations.put(
            payload.pointer(at + irpAt, pointer),
            new Operation(
                event.key(),
                process,
                thread,
                sized ? payload.u32(at + behind + sizeAfter) : 0,
                stack));
    if (before != null) {
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
        operations.remove(record.bytes().pointer(record.payloadOffset(), pointer));
    if (operation == null) {
      diagnostics.addBroken();
      return;
    }
    long weight =
        switch (unit) {
          case NANOS -> event.nanosBetween(operation.since, event.key());
          case BYTES -> operation.bytes;
          default -> 1;
        };
    event.give(operation.since, operation.process, operation.thread, operation.stack, weight);
  }

  @Override
  public void finish(ProfileDiagnostics into) {
    into.addUnfinished(operations.size());
    operations.clear();
  }
}
