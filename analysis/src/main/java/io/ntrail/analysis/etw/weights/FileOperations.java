package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.profile.ProfileDiagnostics;
import io.ntrail.analysis.profile.StackSnapshot;
import io.ntrail.analysis.profile.WeightUnit;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.etl.RecordCursor;
import java.util.HashMap;
import java.util.Map;

/** File operations from their beginning to their end: see docs/profile.md. */
final class FileOperations implements WeightSource {
  static final int CREATE = 0x0440;
  static final int END = 0x044C;
  private static final int END_TYPE = 0x4C;

  /** Operations that are on their way at one time. */
  private static final int MOST = 1 << 18;

  private record Operation(long since, int process, int thread, long bytes, StackSnapshot stack) {}

  private final WeightUnit unit;
  private final ProfileDiagnostics remarks;
  private final Map<Long, Operation> operations = new HashMap<>();

  FileOperations(WeightUnit unit, ProfileDiagnostics remarks) {
    this.unit = unit;
    this.remarks = remarks;
  }

  @Override
  public void visit(EventContext moment) {
    if (moment.hook() >>> 8 != 0x04) {
      return;
    }
    int type = moment.hook() & 0xFF;
    switch (type) {
      case 0x40 -> begin(moment, 0, 1, -1);
      case 0x43, 0x44 -> begin(moment, 8, 2, 0);
      case 0x41, 0x42, 0x48, 0x49, 0x4D -> begin(moment, 0, 2, -1);
      case 0x45, 0x46, 0x47, 0x4A, 0x4B, 0x4F, 0x50, 0x51 -> begin(moment, 0, 3, -1);
      case END_TYPE -> end(moment);
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
  private void begin(EventContext moment, int irpAt, int pointers, int sizeAfter) {
    RecordCursor record = moment.record();
    Bytes payload = record.bytes();
    int pointer = record.pointerBytes();
    int at = record.payloadOffset();
    int length = record.payloadLength();
    boolean wide = record.version() < 3;
    int threadAt = wide ? irpAt + pointer : irpAt + pointer * (1 + pointers);
    int behind = irpAt + pointer * (1 + pointers) + (wide ? pointer : 4);
    if (length < irpAt + pointer || !moment.passesEvent()) {
      return;
    }
    int thread = length >= threadAt + 4 ? payload.i32(at + threadAt) : moment.thread();
    boolean sized = sizeAfter >= 0 && length >= behind + sizeAfter + 4;
    int process = moment.process(thread);
    moment.ownStack();
    StackSnapshot stack = moment.keep(process);
    if (operations.size() >= MOST) {
      remarks.addUnfinished(operations.size());
      operations.clear();
    }
    Operation before =
        operations.put(
            payload.pointer(at + irpAt, pointer),
            new Operation(
                moment.key(),
                process,
                thread,
                sized ? payload.u32(at + behind + sizeAfter) : 0,
                stack));
    if (before != null) {
      remarks.addUnfinished(1);
    }
  }

  private void end(EventContext moment) {
    RecordCursor record = moment.record();
    int pointer = record.pointerBytes();
    if (record.payloadLength() < pointer) {
      return;
    }
    Operation operation =
        operations.remove(record.bytes().pointer(record.payloadOffset(), pointer));
    if (operation == null) {
      remarks.addBroken();
      return;
    }
    long weight =
        switch (unit) {
          case NANOS -> moment.nanosBetween(operation.since, moment.key());
          case BYTES -> operation.bytes;
          default -> 1;
        };
    moment.give(operation.since, operation.process, operation.thread, operation.stack, weight);
  }

  @Override
  public void finish(ProfileDiagnostics into) {
    into.addUnfinished(operations.size());
    operations.clear();
  }
}
