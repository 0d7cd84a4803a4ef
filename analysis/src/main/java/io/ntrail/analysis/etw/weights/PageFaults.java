package io.ntrail.analysis.etw.weights;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.etl.RecordCursor;

/** Page faults, counted, or the bytes that hard ones read: see docs/profile.md. */
final class PageFaults implements WeightSource {
  static final int TRANSITION = 0x020A;
  static final int HARD_PAGE_FAULT = 0x020E;
  static final int ACCESS_VIOLATION = 0x020F;
  static final int HARD_FAULT = 0x0220;

  private final boolean bytes;
  private final boolean countHardFaults;

  /**
   * @param bytes whether to add bytes, or else to count
   * @param countHardFaults whether nothing else in the recording tells of hard faults
   */
  PageFaults(boolean bytes, boolean countHardFaults) {
    this.bytes = bytes;
    this.countHardFaults = countHardFaults;
  }

  @Override
  public void visit(EventContext moment) {
    int hook = moment.hook();
    if (hook >>> 8 != 0x02 || !moment.passesEvent()) {
      return;
    }
    RecordCursor record = moment.record();
    Bytes payload = record.bytes();
    int pointer = record.pointerBytes();
    int at = record.payloadOffset();
    int length = record.payloadLength();
    if (hook >= TRANSITION && hook <= ACCESS_VIOLATION) {
      if (length >= 2 * pointer) {
        int thread = moment.thread();
        moment.ownStack(payload.pointer(at + pointer, pointer));
        moment.give(moment.process(thread), thread, bytes ? 0 : 1);
      }
    } else if (hook == HARD_FAULT && length >= 24 + 2 * pointer) {
      int thread = payload.i32(at + 16 + 2 * pointer);
      moment.ownStack();
      long count = countHardFaults ? 1 : 0;
      moment.give(
          moment.process(thread), thread, bytes ? payload.u32(at + 20 + 2 * pointer) : count);
    }
  }
}
