package io.ntrail.analysis.etw.machine;

import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.schema.Payload;
import io.ntrail.formats.schema.Schema;
import io.ntrail.formats.schema.SchemaTable;
import org.jspecify.annotations.Nullable;

/** The payload of one kernel or merge record after the other, by the built-in table. */
final class KernelPayload {
  private final SchemaTable table;
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
    Schema schema = table.schema(provider, id, record.version());
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
