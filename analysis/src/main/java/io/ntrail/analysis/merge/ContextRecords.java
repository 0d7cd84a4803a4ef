package io.ntrail.analysis.merge;

import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelEvent.Group;
import io.ntrail.formats.etl.KernelEvent.Life;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.identity.Guid;

/**
 * Records that give other records their meaning, whenever they were written: lives of processes,
 * threads, images and methods, names of files, the machine's configuration, sampling intervals,
 * descriptions of events. Every part of a recording needs them.
 */
final class ContextRecords {
  private static final Guid RUNTIME = Guid.parse("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4");
  private static final Guid RUNDOWN = Guid.parse("a669021c-c450-4609-a035-5af59af4df18");

  /** Id of the events that hold pieces of manifests. */
  private static final int MANIFEST = 0xFFFE;

  private static final int FIRST_METHOD = 135;
  private static final int LAST_METHOD = 146;
  private static final int FIRST_MODULE = 151;
  private static final int LAST_MODULE = 158;

  private final KernelEvents kernel;

  ContextRecords(KernelEvents kernel) {
    this.kernel = kernel;
  }

  /** Returns true for a record that is kept with any part of its recording. */
  boolean isOne(RecordCursor record) {
    if (record.kind().isHook()) {
      return isOne(record.hookId());
    }
    if (record.kind().isEvent()) {
      return record.id() == MANIFEST || isOfMethods(record);
    }
    if (!record.kind().isClassic()) {
      return false;
    }
    int hook = kernel.hookId(record.provider(), record.opcode());
    // What merging adds has classes of its own: images, volumes, descriptions.
    return hook < 0 ? MergeRecords.isOne(record) : isOne(hook);
  }

  private static boolean isOne(int hook) {
    int type = KernelEvent.type(hook);
    return switch (KernelEvent.group(hook)) {
      case Group.EVENTTRACE, Group.SYSTEMCONFIG, Group.IMAGE -> true;
      case Group.PROCESS -> isLife(type) || hook == KernelEvent.IMAGE_LOAD;
      case Group.THREAD -> isLife(type) || hook == KernelEvent.THREAD_SETNAME;
      case Group.FILEIO ->
          hook == KernelEvent.FILEIO_NAME
              || hook == KernelEvent.FILEIO_FILECREATE
              || hook == KernelEvent.FILEIO_FILEDELETE
              || hook == KernelEvent.FILEIO_FILERUNDOWN;
      case Group.PERFINFO ->
          hook == KernelEvent.PERFINFO_SETINTERVAL
              || hook == KernelEvent.PERFINFO_COLLECTIONSTART
              || hook == KernelEvent.PERFINFO_COLLECTIONEND;
      default -> false;
    };
  }

  private static boolean isLife(int type) {
    return type >= Life.START && type <= Life.DC_END || type == Life.DEFUNCT;
  }

  /** Returns true for what .NET tells of methods and modules, and their rundown. */
  private static boolean isOfMethods(RecordCursor record) {
    int id = record.id();
    boolean mayBe =
        id >= FIRST_METHOD && id <= LAST_METHOD || id >= FIRST_MODULE && id <= LAST_MODULE;
    return mayBe && (is(record, RUNTIME) || is(record, RUNDOWN));
  }

  private static boolean is(RecordCursor record, Guid provider) {
    return record.providerLow() == provider.low() && record.providerHigh() == provider.high();
  }
}
