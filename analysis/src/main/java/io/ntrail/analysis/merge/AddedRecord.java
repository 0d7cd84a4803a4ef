package io.ntrail.analysis.merge;

import java.util.Comparator;
import java.util.List;

/**
 * Record that a merge adds to what the files have.
 *
 * @param ticks raw time stamp
 * @param bytes of the record, padded to 8
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record AddedRecord(long ticks, byte[] bytes) {
  /** Returns the records by time; those of one time stamp stay in their order. */
  static List<AddedRecord> inOrder(List<AddedRecord> records) {
    return records.stream().sorted(Comparator.comparingLong(AddedRecord::ticks)).toList();
  }
}
