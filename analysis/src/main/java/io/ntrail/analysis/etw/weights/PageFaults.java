package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.profile.Metric;
import io.ntrail.analysis.profile.ProfileDiagnostics;
import io.ntrail.analysis.profile.WeightUnit;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelEvent.Group;
import io.ntrail.formats.etl.KernelFieldOffsets.HardFault;
import io.ntrail.formats.etl.KernelFieldOffsets.SoftFault;
import io.ntrail.formats.etl.RecordCursor;

/** Page faults, counted, or the bytes that hard ones read: see docs/profile.md. */
final class PageFaults implements WeightVisitor {

  /** Source of weights: page faults. */
  static final WeightSource SOURCE =
      new WeightSource(
          Metric.of("fault", "page faults", WeightUnit.COUNT, WeightUnit.BYTES)
              .recordedBy(
                  "xperf -on PROC_THREAD+LOADER+ALL_FAULTS+HARD_FAULTS"
                      + " -stackwalk PagefaultHard+PagefaultDemandZero"
                      + " (WPR: a .wprp with the keywords AllFaults and HardFaults)")
              .with(Metric.Trait.OF_FILES),
          KernelEvent.PAGEFAULT_TRANSITIONFAULT,
          KernelEvent.PAGEFAULT_DEMANDZEROFAULT,
          KernelEvent.PAGEFAULT_COPYONWRITE,
          KernelEvent.PAGEFAULT_GUARDPAGEFAULT,
          KernelEvent.PAGEFAULT_HARDPAGEFAULT,
          KernelEvent.PAGEFAULT_ACCESSVIOLATION,
          KernelEvent.PAGEFAULT_HARDFAULT) {
        @Override
        WeightVisitor start(
            Profiler.Request request, MetricInventory inventory, ProfileDiagnostics diagnostics) {
          return new PageFaults(
              request.unit() == WeightUnit.BYTES,
              inventory.count(KernelEvent.PAGEFAULT_HARDPAGEFAULT) == 0);
        }
      };

  private final boolean bytes;
  private final boolean countHardFaults;

  /**
   * @param bytes whether to add bytes, or else to count
   * @param countHardFaults whether the recording has no other events of hard faults
   */
  PageFaults(boolean bytes, boolean countHardFaults) {
    this.bytes = bytes;
    this.countHardFaults = countHardFaults;
  }

  @Override
  public void visit(EventContext event) {
    int hook = event.hook();
    if (KernelEvent.group(hook) != Group.PAGEFAULT || !event.passesEvent()) {
      return;
    }
    RecordCursor record = event.record();
    Bytes payload = record.bytes();
    int pointer = record.pointerBytes();
    int at = record.payloadOffset();
    int length = record.payloadLength();
    if (hook >= KernelEvent.PAGEFAULT_TRANSITIONFAULT
        && hook <= KernelEvent.PAGEFAULT_ACCESSVIOLATION) {
      if (length >= SoftFault.programCounter(pointer) + pointer) {
        event.ownStack(payload.pointer(at + SoftFault.programCounter(pointer), pointer));
        event.give(event.process(), event.thread(), bytes ? 0 : 1);
      } else {
        event.tooShort();
      }
    } else if (hook == KernelEvent.PAGEFAULT_HARDFAULT) {
      if (length < HardFault.byteCount(pointer) + 4) {
        event.tooShort();
        return;
      }
      event.ownStack();
      long count = countHardFaults ? 1 : 0;
      event.give(
          event.process(),
          event.thread(),
          bytes ? payload.u32(at + HardFault.byteCount(pointer)) : count);
    }
  }
}
