package io.ntrail.analysis.etw.ipt;

import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelEvent.Group;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.pt.IptRecord;

/** Recognises events of Processor Trace among the records. */
public final class IptEvents {
  private static final Guid CLASS = Guid.parse("ff1fd2fd-6008-42bb-9e75-00a20051f3be");

  /** Type of the event in its class, and of all hook ids that it may have. */
  static final int TYPE = 32;

  /** Groups from this one on have no class that is known. */
  private static final int FIRST_UNKNOWN = 0x1F;

  private IptEvents() {}

  /**
   * Returns true for such an event. Which group of hook ids the class has is not known: a record
   * that names its event by one has to look like such an event in every field.
   */
  public static boolean is(RecordCursor record) {
    if (record.kind().isHook()) {
      return mayBe(record.hookId()) && looksLike(record);
    }
    return record.kind().isClassic()
        && record.providerLow() == CLASS.low()
        && record.providerHigh() == CLASS.high()
        && record.opcode() == TYPE;
  }

  /** Returns false for hook ids of other records: for nearly all. */
  static boolean mayBe(int hook) {
    int group = KernelEvent.group(hook);
    return KernelEvent.type(hook) == TYPE && (group == Group.LASTBRANCH || group >= FIRST_UNKNOWN);
  }

  private static boolean looksLike(RecordCursor record) {
    return IptRecord.looksLike(record.bytes(), record.payloadOffset(), record.payloadLength());
  }
}
