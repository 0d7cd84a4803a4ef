package io.ntrail.analysis.etw.machine;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.KernelFieldOffsets.Sample;
import io.ntrail.formats.etl.RecordCursor;
import java.util.List;

/**
 * The samples that the kernel's profiling timer took. A record stands for as many samples as its
 * count says (SampleProf, and each entry of SampledProfileCache); a sample is idle if its thread is
 * 0 and neither a deferred nor an interrupt routine ran, and busy otherwise.
 *
 * @param intervals times between two samples of a CPU in 100 ns, as records about the timer
 *     (SetInterval, CollectionStart, CollectionEnd of source 0) name them, smallest first; empty if
 *     none does
 * @param samples number of samples
 * @param busy how many of them are busy
 * @param busyWithStack how many busy ones have a stack
 */
public record Sampling(List<Long> intervals, long samples, long busy, long busyWithStack) {
  private static final int IN_DPC_OR_ISR = 3;

  /**
   * Returns the number of busy samples that a record stands for; 0 if it is not a sample or an idle
   * one.
   */
  public static long busy(RecordCursor record, KernelEvents kernel) {
    int hook =
        record.kind().isHook()
            ? record.hookId()
            : record.kind().isClassic() ? kernel.hookId(record.provider(), record.opcode()) : -1;
    if (hook != KernelEvent.PERFINFO_SAMPLEPROF) {
      return 0;
    }
    int at = record.payloadOffset();
    int end = record.offset() + record.size();
    return busy(record.bytes(), at, end, record.pointerBytes());
  }

  /** Reason of the gap that an event is whose weight is not known. */
  public static final String SHORT = "it ends before the fields that the event's weight is made of";

  /** Returns the number of samples that the entry at {@code at} stands for; 0 if it is cut. */
  static long weight(Bytes bytes, int at, int end, int pointerBytes) {
    int count = at + Sample.count(pointerBytes);
    return count + 2 > end ? 0 : Math.max(1, bytes.u16(count));
  }

  /** Returns the number of busy samples that the entry at {@code at} stands for. */
  private static long busy(Bytes bytes, int at, int end, int pointerBytes) {
    long weight = weight(bytes, at, end, pointerBytes);
    return isBusy(bytes, at, end, pointerBytes, weight) ? weight : 0;
  }

  /** Returns true if the samples that the entry at {@code at} stands for, if any, are busy. */
  static boolean isBusy(Bytes bytes, int at, int end, int pointerBytes, long weight) {
    int flags = at + Sample.flags(pointerBytes);
    return flags < end && (bytes.u8(flags) & IN_DPC_OR_ISR) != 0
        || weight > 0 && bytes.i32(at + Sample.threadId(pointerBytes)) != 0;
  }
}
