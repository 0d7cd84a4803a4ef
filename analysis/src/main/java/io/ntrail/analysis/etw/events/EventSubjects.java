package io.ntrail.analysis.etw.events;

import io.ntrail.analysis.etw.machine.Machine;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.schema.Field;
import io.ntrail.formats.schema.OutType;
import io.ntrail.formats.schema.Payload;
import io.ntrail.formats.schema.Schema;
import io.ntrail.formats.schema.StatusCodes;
import io.ntrail.formats.schema.ValueKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads what records are about: a file, or the value of a field. One thread at a time. */
public final class EventSubjects {
  /** Names of fields in which events that others described have the path of their file. */
  private static final List<String> NAMES = List.of("FileName", "FilePath", "FullPath");

  private final SchemaIndex schemas;
  private final ValueDescriptions meanings;
  private final Payload payload = new Payload();

  /** Creates a reader that knows the names of a machine's files. */
  public EventSubjects(Machine machine, SchemaIndex schemas, StatusCodes codes) {
    this.schemas = schemas;
    this.meanings = new ValueDescriptions(machine, codes);
  }

  /**
   * Returns the file that a record is about; null if it is about none.
   *
   * @param key the time of the record
   */
  public @Nullable String file(RecordCursor record, long key) {
    Schema schema = read(record);
    return schema == null ? null : file(schema, payload, meanings, key);
  }

  /** Returns the text of a field; null if the record has none of this name. */
  public @Nullable String text(RecordCursor record, String field) {
    Schema schema = read(record);
    int token = schema == null ? -1 : payload.find(field);
    return schema == null || token < 0 ? null : meanings.text(schema, payload, token);
  }

  private @Nullable Schema read(RecordCursor record) {
    Schema schema = schemas.type(record).schema();
    if (schema != null) {
      payload.read(
          schema,
          record.bytes(),
          record.payloadOffset(),
          record.payloadLength(),
          record.pointerBytes());
    }
    return schema;
  }

  /**
   * Returns the path of the file that an event names or has the key of; of a key without a name the
   * key in hexadecimal. Null if the event is about no file.
   *
   * @param key the time of the event
   */
  static @Nullable String file(
      Schema schema, Payload payload, ValueDescriptions meanings, long key) {
    String named = null;
    String unnamed = null;
    for (int i = 0; i < payload.size(); i = payload.after(i)) {
      if (payload.token(i) != Payload.Token.VALUE) {
        continue;
      }
      Field field = payload.field(i);
      if (field.out() == OutType.PATH) {
        return meanings.text(schema, payload, i);
      }
      if (field.out() == OutType.FILE_KEY) {
        String name = meanings.of(payload, i, key);
        if (name != null) {
          return name;
        }
        unnamed = payload.text(i);
      } else if (named == null
          && field.kind() == ValueKind.TEXT
          && NAMES.stream().anyMatch(field.name()::equalsIgnoreCase)) {
        named = meanings.text(schema, payload, i);
      }
    }
    return unnamed == null ? named : "(key " + unnamed + ")";
  }
}
