package io.ntrail.analysis.etw.weights;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.identity.Guid;

/** Allocations of one of the kinds that contain each other: see docs/profile.md. */
final class Allocations implements WeightSource {
  private static final Guid RUNTIME = Guid.parse("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4");
  private static final int TICK = 10;
  private static final int TICK_AMOUNT_64 = 10;
  private static final int COMMIT = 0x1000;

  static final int HEAP_ALLOC = 0x1021;
  static final int HEAP_REALLOC = 0x1022;
  static final int VIRTUAL_ALLOC = 0x0262;
  static final int POOL_ALLOC = 0x0E20;
  static final int SESSION_POOL_ALLOC = 0x0E21;

  private final String kind;
  private final boolean bytes;

  /**
   * @param kind one of {@link Metric#ALLOCATION_KINDS}
   * @param bytes whether to add bytes, or else to count
   */
  Allocations(String kind, boolean bytes) {
    this.kind = kind;
    this.bytes = bytes;
  }

  /** Whether a record samples the allocations of the managed heap. */
  static boolean isTick(RecordCursor record) {
    return record.id() == TICK
        && record.providerLow() == RUNTIME.low()
        && record.providerHigh() == RUNTIME.high();
  }

  /** Whether a VirtualAlloc gives memory; others only keep addresses free. */
  static boolean isCommit(RecordCursor record) {
    int flagsAt = 2 * record.pointerBytes() + 4;
    return record.payloadLength() >= flagsAt + 4
        && (record.bytes().i32(record.payloadOffset() + flagsAt) & COMMIT) != 0;
  }

  @Override
  public void visit(EventContext moment) {
    RecordCursor record = moment.record();
    Bytes payload = record.bytes();
    int at = record.payloadOffset();
    int length = record.payloadLength();
    int pointer = record.pointerBytes();
    switch (kind) {
      case "gc" -> {
        if (moment.hook() < 0 && record.kind().isEvent() && isTick(record) && length >= 4) {
          // u32 amount, u32 kind, u16 CLR instance, then since version 2 u64 amount.
          boolean wide = record.version() >= 2 && length >= TICK_AMOUNT_64 + 8;
          long amount = wide ? payload.i64(at + TICK_AMOUNT_64) : payload.u32(at);
          if (moment.passesEvent()) {
            moment.giveWhole(bytes ? amount : 1);
          }
        }
      }
      case "heap" -> {
        if (moment.hook() == HEAP_ALLOC && length >= 2 * pointer) {
          give(moment, payload.pointer(at + pointer, pointer));
        } else if (moment.hook() == HEAP_REALLOC && length >= 4 * pointer) {
          give(moment, payload.pointer(at + 3 * pointer, pointer));
        }
      }
      case "virtual" -> {
        if (moment.hook() == VIRTUAL_ALLOC && isCommit(record)) {
          int process = payload.i32(at + 2 * pointer);
          long size = payload.pointer(at + pointer, pointer);
          give(moment, process, size);
        }
      }
      default -> {
        boolean pool = moment.hook() == POOL_ALLOC || moment.hook() == SESSION_POOL_ALLOC;
        if (pool && length >= 8 + pointer) {
          give(moment, payload.pointer(at + 8, pointer));
        }
      }
    }
  }

  private void give(EventContext moment, long size) {
    give(moment, moment.process(moment.thread()), size);
  }

  private void give(EventContext moment, int process, long size) {
    if (moment.passesEvent()) {
      moment.ownStack();
      moment.give(process, moment.thread(), bytes ? size : 1);
    }
  }
}
