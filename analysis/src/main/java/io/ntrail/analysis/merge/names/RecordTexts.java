package io.ntrail.analysis.merge.names;

import io.ntrail.analysis.etw.events.EventType;
import io.ntrail.analysis.etw.events.SchemaIndex;
import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.ObjectColumn;
import io.ntrail.formats.etl.ExtendedItem;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.schema.Field;
import io.ntrail.formats.schema.InType;
import io.ntrail.formats.schema.LengthSpec;
import io.ntrail.formats.schema.OutType;
import io.ntrail.formats.schema.Payload;
import io.ntrail.formats.schema.Schema;
import java.util.IdentityHashMap;
import java.util.List;

/**
 * Places of a record that may hold text. Headers, and numbers of a described payload, hold none: a
 * search through a recording for texts passes over them, so that it never takes a number for a text
 * and is not slowed by them. Moved from one record to the next; one thread at a time.
 */
final class RecordTexts {
  /** Kinds of places. */
  enum Kind {
    /** A described text in UTF-16. */
    UTF16,
    /** A described text of bytes: UTF-8, or the code page of the machine. */
    BYTES,
    /** Bytes that nothing describes, or of which only the number is known. */
    UNKNOWN,
    /** Names of providers, events and fields. */
    DESCRIPTION
  }

  /** Types of events that are remembered. */
  private static final int MOST_SCHEMAS = 1 << 16;

  /** Bytes between fields that are too few for a text. */
  private static final int LEAST = 4;

  private static final int NEWEST_ITEM = ExtendedItem.STACK_KEY64.number();
  private static final int NEEDS_DECODING = -1;

  private final SchemaIndex schemas;
  private final Payload payload = new Payload();
  private final IdentityHashMap<Schema, Integer> fixed4 = new IdentityHashMap<>();
  private final IdentityHashMap<Schema, Integer> fixed8 = new IdentityHashMap<>();
  private final Columns places = new Columns(16);
  private final IntColumn starts = places.ints();
  private final IntColumn ends = places.ints();
  private final ObjectColumn<Kind> kinds = places.objects();
  private int origin;

  RecordTexts(SchemaIndex schemas) {
    this.schemas = schemas;
  }

  /** Looks for the places of a record. */
  void moveTo(RecordCursor record) {
    places.clear();
    origin = record.offset();
    for (int item = record.firstItem(); item != 0; item = record.nextItem(item)) {
      item(record, item);
    }
    int from = record.payloadOffset();
    int to = origin + record.size();
    EventType type = schemas.type(record);
    Schema schema = type.schema();
    if (SchemaIndex.isDescription(record)) {
      add(from, to, Kind.DESCRIPTION);
    } else if (schema == null) {
      add(from, to, Kind.UNKNOWN);
    } else if (!type.isStackRecord()) {
      described(record, schema, from, to);
    }
  }

  private void item(RecordCursor record, int item) {
    int type = record.itemType(item);
    int from = record.itemData(item);
    int to = from + record.itemLength(item);
    if (type == ExtendedItem.EVENT_SCHEMA_TL.number()
        || type == ExtendedItem.PROV_TRAITS.number()) {
      add(from, to, Kind.DESCRIPTION);
    } else if (type == ExtendedItem.SID.number() || type > NEWEST_ITEM) {
      add(from, to, Kind.UNKNOWN);
    }
  }

  private void described(RecordCursor record, Schema schema, int from, int to) {
    int size = fixedSize(schema, record.pointerBytes());
    if (size != NEEDS_DECODING) {
      add(Math.min(from + size, to), to, Kind.UNKNOWN);
      return;
    }
    payload.read(schema, record.bytes(), from, to - from, record.pointerBytes());
    int at = from;
    for (int i = 0; i < payload.size(); ) {
      Payload.Token token = payload.token(i);
      Field field = payload.field(i);
      boolean isWhole = token == Payload.Token.ARRAY && isText(field);
      if (token != Payload.Token.VALUE && !isWhole) {
        i++;
        continue;
      }
      int start = payload.offset(i);
      add(at, start, Kind.UNKNOWN);
      at = start + payload.length(i);
      if (isText(field)) {
        add(start, at, kind(field.in()));
      }
      i = isWhole ? payload.after(i) : i + 1;
    }
    add(at, to, Kind.UNKNOWN);
  }

  /** Bytes of a payload without texts; {@link #NEEDS_DECODING} if it has some, or none can tell. */
  private int fixedSize(Schema schema, int pointerBytes) {
    IdentityHashMap<Schema, Integer> known = pointerBytes == 4 ? fixed4 : fixed8;
    if (known.size() > MOST_SCHEMAS) {
      known.clear();
    }
    return known.computeIfAbsent(schema, its -> fixedSize(its.fields(), pointerBytes));
  }

  private static int fixedSize(List<Field> fields, int pointerBytes) {
    long sum = 0;
    for (Field field : fields) {
      int one =
          field.in() == InType.STRUCT
              ? fixedSize(field.members(), pointerBytes)
              : isText(field) ? NEEDS_DECODING : field.in().size(pointerBytes);
      boolean isOpen = field.isArray() && field.count().kind() != LengthSpec.Kind.FIXED;
      if (one < 0 || isOpen) {
        return NEEDS_DECODING;
      }
      sum += (long) one * (field.isArray() ? field.count().value() : 1);
    }
    return (int) Math.min(sum, 1 << 16);
  }

  private static boolean isText(Field field) {
    return switch (field.in()) {
      case UNICODE_STRING, COUNTED_STRING, REVERSED_COUNTED_STRING, UNTERMINATED_STRING -> true;
      case ANSI_STRING, COUNTED_ANSI, REVERSED_COUNTED_ANSI, UNTERMINATED_ANSI -> true;
      case UNICODE_CHAR, ANSI_CHAR -> true;
      case INT8, UINT8 -> field.isArray() || field.out() == OutType.STRING;
      case BINARY, COUNTED_BINARY, HEX_DUMP, SID, WBEM_SID -> true;
      default -> false;
    };
  }

  private static Kind kind(InType in) {
    return switch (in) {
      case UNICODE_STRING, COUNTED_STRING, REVERSED_COUNTED_STRING, UNTERMINATED_STRING ->
          Kind.UTF16;
      case UNICODE_CHAR -> Kind.UTF16;
      case ANSI_STRING, COUNTED_ANSI, REVERSED_COUNTED_ANSI, UNTERMINATED_ANSI -> Kind.BYTES;
      case ANSI_CHAR -> Kind.BYTES;
      default -> Kind.UNKNOWN;
    };
  }

  private void add(int from, int to, Kind kind) {
    if (to - from >= (kind == Kind.UNKNOWN ? LEAST : 2)) {
      int row = places.add();
      starts.set(row, from - origin);
      ends.set(row, to - origin);
      kinds.set(row, kind);
    }
  }

  /** Number of places. */
  int count() {
    return places.rows();
  }

  /** Returns the start of place {@code i}, in bytes from the start of the record. */
  int from(int i) {
    return starts.get(i);
  }

  /** Returns the end of place {@code i}, in bytes from the start of the record. */
  int to(int i) {
    return ends.get(i);
  }

  /** Returns the kind of place {@code i}. */
  Kind kind(int i) {
    return kinds.get(i);
  }
}
