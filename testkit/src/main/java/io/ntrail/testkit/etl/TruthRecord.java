package io.ntrail.testkit.etl;

import java.util.Comparator;

/**
 * Expected result of a reader: one record and where it stands.
 *
 * @param record the record
 * @param time raw ticks by which it is sorted: its own time stamp; a record without one takes that
 *     of the nearest one before it in its buffer, else of the nearest after it, else the buffer's
 * @param cpu ProcessorIndex of its buffer
 * @param logger LoggerId of its buffer
 * @param sequence SequenceNumber of its buffer
 * @param buffer index of the buffer in the file, the header buffer being 0
 * @param offset of the record in its (uncompressed) buffer, the header included: 72 for the first
 */
public record TruthRecord(
    EtlRecord record, long time, int cpu, int logger, long sequence, int buffer, int offset) {
  /** The order in which a reader has to hand out records: time, CPU, sequence, buffer, offset. */
  public static final Comparator<TruthRecord> ORDER =
      Comparator.comparingLong(TruthRecord::time)
          .thenComparingInt(TruthRecord::cpu)
          .thenComparingLong(TruthRecord::sequence)
          .thenComparingInt(TruthRecord::buffer)
          .thenComparingInt(TruthRecord::offset);
}
