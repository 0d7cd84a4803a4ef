package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.profile.Metric;
import io.ntrail.analysis.profile.ProfileDiagnostics;
import io.ntrail.analysis.profile.WeightUnit;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.etl.RecordCursor;

/** Page faults, counted, or the bytes that hard ones read: see docs/profile.md. */
final class PageFaults implements WeightVisitor {
  private static final int TRANSITION = 0x020A;
  private static final int DEMAND_ZERO = 0x020B;
  private static final int COPY_ON_WRITE = 0x020C;
  private static final int GUARD_PAGE = 0x020D;
  private static final int HARD_PAGE_FAULT = 0x020E;
  private static final int ACCESS_VIOLATION = 0x020F;
  private static final int HARD_FAULT = 0x0220;

  /** Source of weights: page faults. */
  static final WeightSource SOURCE =
      new WeightSource(
          Metric.of("fault", "page faults", WeightUnit.COUNT, WeightUnit.BYTES)
              .recordedBy(
                  "xperf -on PROC_THREAD+LOADER+ALL_FAULTS+HARD_FAULTS"
                      + " -stackwalk PagefaultHard+PagefaultDemandZero"
                      + " (WPR: a .wprp with the keywords AllFaults and HardFaults)"),
          TRANSITION,
          DEMAND_ZERO,
          COPY_ON_WRITE,
          GUARD_PAGE,
          HARD_PAGE_FAULT,
          ACCESS_VIOLATION,
          HARD_FAULT) {
        @Override
        WeightVisitor start(
            Profiler.Request request, MetricInventory inventory, ProfileDiagnostics diagnostics) {
          return new PageFaults(
              request.unit() == WeightUnit.BYTES, inventory.count(HARD_PAGE_FAULT) == 0);
        }
      };

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
  public void visit(EventContext event) {
    int hook = event.hook();
    if (hook >>> 8 != 0x02 || !event.passesEvent()) {
      return;
    }
    RecordCursor record = event.record();
    Bytes payload = record.bytes();
    int pointer = record.pointerBytes();
    int at = record.payloadOffset();
    int length = record.payloadLength();
    if (hook >= TRANSITION && hook <= ACCESS_VIOLATION) {
      if (length >= 2 * pointer) {
        int thread = event.thread();
        event.ownStack(payload.pointer(at + pointer, pointer));
        event.give(event.process(thread), thread, bytes ? 0 : 1);
      }
    } else if (hook == HARD_FAULT && length >= 24 + 2 * pointer) {
      int thread = payload.i32(at + 16 + 2 * pointer);
      event.ownStack();
      long count = countHardFaults ? 1 : 0;
      event.give(event.process(thread), thread, bytes ? payload.u32(at + 20 + 2 * pointer) : count);
    }
  }
}
