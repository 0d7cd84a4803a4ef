package io.ntrail.analysis.merge;

import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.identity.Guid;
import java.util.List;

/**
 * Classes of the records that are added to a recording when it is merged.
 *
 * <p>Source: facts on the events of the kernel, records that are added by merging.
 */
final class MergeRecords {
  private static final List<Guid> CLASSES =
      List.of(
          // ImageID, SystemConfigEx, EventMetadata (TRACE_EVENT_INFO and maps).
          Guid.parse("b3e675d7-2554-4f18-830b-2762732560de"),
          Guid.parse("9b79ee91-b5fd-41c0-a243-4248e266e9d0"),
          Guid.parse("bbccf6c1-6cd1-48c4-80ff-839482e37671"));

  private MergeRecords() {}

  /** Returns true if a classic record is one of these. */
  static boolean isOne(RecordCursor record) {
    for (Guid known : CLASSES) {
      if (record.providerLow() == known.low() && record.providerHigh() == known.high()) {
        return true;
      }
    }
    return false;
  }
}
