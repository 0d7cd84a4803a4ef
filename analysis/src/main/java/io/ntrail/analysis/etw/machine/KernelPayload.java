package io.ntrail.analysis.etw.machine;

import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.schema.Payload;
import io.ntrail.formats.schema.Schema;
import io.ntrail.formats.schema.SchemaTable;
import org.jspecify.annotations.Nullable;

/** The payload of one kernel or merge record after the other, by the built-in table. */
final class KernelPayload {
  /** Schemas that are kept at hand, a power of 2: records of few types come again and again. */
  private static final int KEPT = 16;

  /** Schema of records of a type; null if the table does not know them. */
  private record Known(Guid provider, int id, int version, @Nullable Schema schema) {}

  private final SchemaTable table;
  private final @Nullable Known[] kept = new Known[KEPT];
  private @Nullable Payload payload;

  KernelPayload(SchemaTable table) {
    this.table = table;
  }

  /**
   * Takes a record's payload apart.
   *
   * @param id hook id or opcode, as the table has it
   * @return null if the table does not know the record
   */
  @Nullable Payload read(RecordCursor record, Guid provider, int id) {
    Schema schema = schema(provider, id, record.version());
    if (schema == null) {
      return null;
    }
    Payload known = payload;
    if (known == null) {
      known = new Payload();
      payload = known;
    }
    known.read(
        schema,
        record.bytes(),
        record.payloadOffset(),
        record.payloadLength(),
        record.pointerBytes());
    return known;
  }

  /**
   * Reports that a record does not tell what it is for, if it ends early: fields that its version
   * does not have are none.
   */
  static void tellShort(RecordCursor record, Payload payload) {
    if (payload.isShort()) {
      record.damagedPayload("it ends before the fields that tell about the system");
    }
  }

  private @Nullable Schema schema(Guid provider, int id, int version) {
    int place = id + 7 * version & KEPT - 1;
    Known known = kept[place];
    if (known == null
        || known.id != id
        || known.version != version
        || !known.provider.equals(provider)) {
      known = new Known(provider, id, version, table.schema(provider, id, version));
      kept[place] = known;
    }
    return known.schema;
  }

  /** A number; 0 if the payload ends before it. */
  static long number(Payload payload, String name) {
    int token = payload.find(name);
    return token < 0 ? 0 : payload.integer(token);
  }

  /** A text; empty if the payload ends before it. */
  static String text(Payload payload, String name) {
    int token = payload.find(name);
    return token < 0 ? "" : payload.text(token);
  }
}
