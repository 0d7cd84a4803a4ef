package io.ntrail.formats.etl;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.Omission;
import io.ntrail.formats.identity.Guid;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * Gaps of the files that a recording was made of, and what was left out of them. That is not in the
 * recording, and nothing in its bytes would show it: so each gap and each omission is an event of
 * provider {@code ntrail} that describes itself (TraceLogging), in buffers of their own at the end
 * of the file. Whoever opens the file finds them.
 */
public final class CopiedGaps {
  /** Provider of the events: the hash of its name, as TraceLogging makes it. */
  public static final Guid PROVIDER = Guid.parse("e147b84d-c85f-54a5-6295-fa68dbe10dc5");

  private static final int HEADER = 80;
  private static final int ITEM = 8;
  private static final int MOST_TEXTS = 12_288;

  /** Characters of the text of an omission. */
  private static final int MOST_WHAT = 200;

  /** A character of UTF-16 takes no more bytes of UTF-8. */
  private static final int MOST_OF_CHARACTER = 3;

  /** Bytes of a record without its texts, and a little more. */
  private static final int FIXED_BYTES = 240;

  /** TlgInUINT64. */
  private static final int UNSIGNED = 10;

  /** TlgInINT64. */
  private static final int SIGNED = 9;

  private static final int WARNING = 3;
  private static final int SELF_DESCRIBING = 11;

  /** EVENT_HEADER_FLAG_EXTENDED_INFO, EVENT_HEADER_FLAG_64_BIT_HEADER. */
  private static final int FLAGS = 0x41;

  private static final byte[] NAME = text("ntrail");
  private static final byte[] GAP = gapSchema();
  private static final byte[] CUT = cutSchema();

  /** Buffers that are looked at, from the last one on: more than gaps can fill. */
  private static final int MOST_BUFFERS = 1 << 12;

  private CopiedGaps() {}

  private static byte[] text(String text) {
    return (text + "\0").getBytes(StandardCharsets.UTF_8);
  }

  /** Returns the description of the event of a gap: names with their types. */
  private static byte[] gapSchema() {
    BytesBuilder fields = new BytesBuilder(64);
    fields.u16(0).u8(0).bytes(text("Gap"));
    utf8(fields, "File").bytes(text("Offset")).u8(UNSIGNED).bytes(text("Bytes")).u8(SIGNED);
    utf8(utf8(fields, "What"), "Why");
    return fields.setU16(0, fields.size()).toArray();
  }

  /** Returns the description of the event of an omission. */
  private static byte[] cutSchema() {
    BytesBuilder fields = new BytesBuilder(64);
    fields.u16(0).u8(0).bytes(text("Cut"));
    utf8(fields, "What").bytes(text("Records")).u8(SIGNED);
    return fields.setU16(0, fields.size()).toArray();
  }

  /** Adds a field of 8-bit text up to a NUL that is UTF-8. */
  private static BytesBuilder utf8(BytesBuilder fields, String name) {
    return fields.bytes(text(name)).u8(0x82).u8(35);
  }

  /**
   * Returns the record of a gap, padded to 8 bytes.
   *
   * @param ticks raw time stamp of the file's header record
   * @param room bytes of it at most, at least 900: texts are cut
   */
  public static byte[] record(Gap gap, long ticks, int room) {
    int most = Math.min(MOST_TEXTS, room - FIXED_BYTES);
    boolean isLong =
        text(gap.file()).length + text(gap.what()).length + text(gap.why()).length > most;
    int each = isLong ? most / 3 / MOST_OF_CHARACTER : MOST_TEXTS;
    BytesBuilder record = begin(ticks, GAP);
    record.bytes(cut(gap.file(), each)).u64(gap.offset()).u64(gap.bytes());
    record.bytes(cut(gap.what(), each)).bytes(cut(gap.why(), each));
    return end(record);
  }

  /**
   * Returns the record of an omission, padded to 8 bytes: at most 900 bytes, a longer text is cut.
   *
   * @param ticks raw time stamp of the file's header record
   */
  public static byte[] record(Omission omission, long ticks) {
    BytesBuilder record = begin(ticks, CUT);
    record.bytes(cut(omission.what(), MOST_WHAT)).u64(omission.records());
    return end(record);
  }

  private static BytesBuilder begin(long ticks, byte[] schema) {
    BytesBuilder record = new BytesBuilder(512);
    record.u16(0).u8(RecordKind.EVENT64.headerType()).u8(0xC0).u16(FLAGS).u16(0);
    // No process and no thread wrote it.
    record.u32(-1).u32(-1).u64(ticks).u64(PROVIDER.low()).u64(PROVIDER.high());
    record.u16(0).u8(0).u8(SELF_DESCRIBING).u8(WARNING).u8(0).u16(0).u64(0);
    record.zeros(HEADER - record.size());
    byte[] traits = new BytesBuilder(16).u16(NAME.length + 2).bytes(NAME).toArray();
    item(record, ExtendedItem.PROV_TRAITS, traits, true);
    item(record, ExtendedItem.EVENT_SCHEMA_TL, schema, false);
    return record;
  }

  private static byte[] end(BytesBuilder record) {
    record.setU16(0, record.size());
    return record.zeros(-record.size() & 7).toArray();
  }

  private static void item(BytesBuilder record, ExtendedItem type, byte[] data, boolean isMore) {
    int size = ITEM + data.length + 7 & ~7;
    record.u16(size).u16(type.number()).u16(isMore ? 1 : 0).u16(data.length).bytes(data);
    record.zeros(size - ITEM - data.length);
  }

  private static byte[] cut(String text, int most) {
    return text(text.length() > most ? text.substring(0, most) : text);
  }

  /** Returns true if the record of a cursor is a gap or an omission. */
  public static boolean isOne(RecordHeader record) {
    return record.kind() == RecordKind.EVENT64
        && record.providerLow() == PROVIDER.low()
        && record.providerHigh() == PROVIDER.high();
  }

  /**
   * Reads the gaps and omissions that a file tells.
   *
   * @return the omissions
   */
  static List<Omission> read(EtlFile file, Gaps into) {
    List<Omission> omissions = new ArrayList<>();
    // What is damaged there is told by whoever reads it.
    try (RecordCursor cursor = file.cursor(new Gaps())) {
      Deque<Integer> buffers = new ArrayDeque<>();
      int last = file.buffers().count() - 1;
      for (int buffer = last; buffer > Math.max(0, last - MOST_BUFFERS); buffer--) {
        cursor.open(buffer);
        if (!cursor.next() || !isOne(cursor)) {
          break;
        }
        buffers.addFirst(buffer);
      }
      for (int buffer : buffers) {
        cursor.open(buffer);
        while (cursor.next()) {
          if (isOne(cursor)) {
            told(cursor, into, omissions);
          }
        }
      }
    }
    return omissions;
  }

  private static void told(RecordCursor record, Gaps into, List<Omission> omissions) {
    for (int item = record.firstItem(); item != 0; item = record.nextItem(item)) {
      if (record.itemType(item) == ExtendedItem.EVENT_SCHEMA_TL.number()) {
        byte[] schema = record.bytes().array(record.itemData(item), record.itemLength(item));
        if (Arrays.equals(schema, GAP)) {
          gap(record, into);
        } else if (Arrays.equals(schema, CUT)) {
          omission(record, omissions);
        }
      }
    }
  }

  private static void omission(RecordCursor record, List<Omission> into) {
    try {
      int at = record.payloadOffset();
      String what = utf8(record.bytes(), at, record.offset() + record.size());
      into.add(new Omission(what, record.bytes().i64(at + text(what).length)));
    } catch (DamagedInput e) {
      // Not written by us.
    }
  }

  private static void gap(RecordCursor record, Gaps into) {
    try {
      Bytes bytes = record.bytes();
      int at = record.payloadOffset();
      int end = record.offset() + record.size();
      String file = utf8(bytes, at, end);
      int numbers = at + text(file).length;
      int texts = numbers + 2 * Long.BYTES;
      String what = utf8(bytes, texts, end);
      String why = utf8(bytes, texts + text(what).length, end);
      into.add(new Gap(file, bytes.i64(numbers), bytes.i64(numbers + Long.BYTES), what, why));
    } catch (DamagedInput e) {
      // Not written by us.
    }
  }

  private static String utf8(Bytes bytes, int at, int end) {
    int to = at;
    while (to < end && bytes.u8(to) != 0) {
      to++;
    }
    return new String(bytes.array(at, to - at), StandardCharsets.UTF_8);
  }
}
