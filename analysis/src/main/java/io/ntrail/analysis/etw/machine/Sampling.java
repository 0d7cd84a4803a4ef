package io.ntrail.analysis.etw.machine;

import io.ntrail.formats.etl.KernelEvents;
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
  static final int SAMPLE = 0x0F2E;
  static final int BATCH = 0x0F37;

  private static final int IN_DPC_OR_ISR = 3;

  /**
   * How many busy samples a record stands for; 0 if it is no sample or an idle one. Layouts are
   * those of the table of kernel events: this is read for every sample of a recording.
   */
  public static long busy(RecordCursor record, KernelEvents kernel) {
    int hook =
        record.kind().isHook()
            ? record.hookId()
            : record.kind().isClassic() ? kernel.hookId(record.provider(), record.opcode()) : -1;
    return hook == SAMPLE
        ? busy(record, record.payloadOffset(), record.offset() + record.size())
        : 0;
  }

  /** Samples that the entry at {@code at} stands for; 0 if it is cut. */
  static long weight(RecordCursor record, int at, int end) {
    int pointer = record.pointerBytes();
    if (at + pointer + 6 > end) {
      return 0;
    }
    return Math.max(1, record.bytes().u16(at + pointer + 4));
  }

  /** Busy samples that the entry at {@code at} stands for. */
  static long busy(RecordCursor record, int at, int end) {
    int pointer = record.pointerBytes();
    long weight = weight(record, at, end);
    boolean flagged =
        at + pointer + 7 <= end && (record.bytes().u8(at + pointer + 6) & IN_DPC_OR_ISR) != 0;
    return weight == 0 || flagged || record.bytes().i32(at + pointer) != 0 ? weight : 0;
  }
}
