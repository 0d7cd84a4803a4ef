package io.ntrail.formats.schema;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.identity.Guid;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Events that describe themselves: the metadata that {@code TraceLoggingProvider.h}, the .NET
 * runtime and others put beside every event (extended items 11 and 12). The numbers of its types
 * are its own, see {@link #inType} and {@link #outType}.
 *
 * <p>Metadata that are cut or make no sense give the fields up to that place: nothing is thrown,
 * and the work grows with the bytes only.
 */
public final class TraceLogging {
  private static final int FIXED_COUNT = 0x20;
  private static final int VARIABLE_COUNT = 0x40;
  private static final int CUSTOM = FIXED_COUNT | VARIABLE_COUNT;
  private static final int MORE = 0x80;
  private static final int STRUCT = 24;
  private static final int PROVIDER_GROUP = 1;

  private TraceLogging() {}

  /**
   * Writer of an event.
   *
   * @param provider name of the provider; empty if the traits have none
   * @param group the group of providers that it belongs to; null if it belongs to none
   */
  public record Traits(String provider, @Nullable Guid group) {}

  /**
   * The schema of an event: u16 total size, tags (7 bits a byte, the high bit says that another
   * follows), the event's name (UTF-8, NUL), fields.
   *
   * @param at where the data of extended item 11 begin
   * @param length its bytes
   * @return never deeper than {@link Schema#MAX_DEPTH}; without an event name if there is none
   */
  public static Schema parse(Bytes bytes, int at, int length) {
    Reader reader = new Reader(bytes, at, length);
    reader.tags();
    String event = reader.text();
    List<Field> fields = new ArrayList<>();
    reader.fields(fields, Integer.MAX_VALUE, 0);
    return new Schema(
        SchemaSource.TRACE_LOGGING,
        null,
        event == null ? null : EventNames.of(event, null, null),
        null,
        fields);
  }

  /**
   * The name of the provider.
   *
   * @param at where the data of extended item 12 begin
   * @param length its bytes
   * @return empty if there is none
   */
  public static String providerName(Bytes bytes, int at, int length) {
    int end = endOf(bytes, at, length);
    return at + 2 > end ? "" : bytes.utf8z(at + 2, end);
  }

  /** Reads the provider's name, and the group of providers that it belongs to. */
  public static Traits traits(Bytes bytes, int at, int length) {
    int end = endOf(bytes, at, length);
    Guid group = null;
    int trait = at + 2 <= end ? at + 2 + bytes.byteStringLength(at + 2, end) + 1 : end;
    // Each: u16 size with itself, u8 type, data.
    while (trait + 3 <= end && group == null) {
      int size = bytes.u16(trait);
      if (size < 3 || size > end - trait) {
        break;
      }
      if (bytes.u8(trait + 2) == PROVIDER_GROUP && size >= 3 + 16) {
        group = Guid.read(bytes, trait + 3);
      }
      trait += size;
    }
    return new Traits(providerName(bytes, at, length), group);
  }

  /** Both items begin with their size; a longer item has padding after it. */
  private static int endOf(Bytes bytes, int at, int length) {
    int end = Math.min(bytes.length(), at + length);
    return at + 2 > end ? end : Math.min(end, at + bytes.u16(at));
  }

  /** Returns the in type of {@code TlgIn*}, five bits; null for unassigned numbers. */
  static @Nullable InType inType(int number) {
    return switch (number) {
      case 0 -> InType.NULL;
      case 1 -> InType.UNICODE_STRING;
      case 2 -> InType.ANSI_STRING;
      case 3 -> InType.INT8;
      case 4 -> InType.UINT8;
      case 5 -> InType.INT16;
      case 6 -> InType.UINT16;
      case 7 -> InType.INT32;
      case 8 -> InType.UINT32;
      case 9 -> InType.INT64;
      case 10 -> InType.UINT64;
      case 11 -> InType.FLOAT;
      case 12 -> InType.DOUBLE;
      case 13 -> InType.BOOLEAN;
      case 14, 25 -> InType.COUNTED_BINARY;
      case 15 -> InType.GUID;
      case 16 -> InType.POINTER;
      case 17 -> InType.FILETIME;
      case 18 -> InType.SYSTEMTIME;
      case 19 -> InType.SID;
      case 20 -> InType.HEX_INT32;
      case 21 -> InType.HEX_INT64;
      case 22 -> InType.COUNTED_STRING;
      case 23 -> InType.COUNTED_ANSI;
      case STRUCT -> InType.STRUCT;
      default -> null;
    };
  }

  /** Returns the out type of {@code TlgOut*}, seven bits. */
  static OutType outType(int number) {
    return switch (number) {
      case 1 -> OutType.NO_PRINT;
      case 2 -> OutType.STRING;
      case 3 -> OutType.BOOLEAN;
      case 4 -> OutType.HEX;
      case 5 -> OutType.PID;
      case 6 -> OutType.TID;
      case 7 -> OutType.PORT;
      case 8 -> OutType.IPV4;
      case 9 -> OutType.IPV6;
      case 10 -> OutType.SOCKET_ADDRESS;
      case 11 -> OutType.XML;
      case 12 -> OutType.JSON;
      case 13 -> OutType.WIN32_ERROR;
      case 14 -> OutType.NTSTATUS;
      case 15 -> OutType.HRESULT;
      case 16, 38 -> OutType.DATE_TIME;
      case 17 -> OutType.SIGNED;
      case 18 -> OutType.UNSIGNED;
      case 35 -> OutType.UTF8;
      case 36 -> OutType.HEX_BINARY;
      case 37 -> OutType.CODE_POINTER;
      default -> OutType.DEFAULT;
    };
  }

  private static final class Reader {
    private final Bytes bytes;
    private final int end;
    private int at;

    Reader(Bytes bytes, int at, int length) {
      this.bytes = bytes;
      this.end = endOf(bytes, at, length);
      this.at = Math.min(end, at + 2);
    }

    void tags() {
      while (at < end && (bytes.u8(at++) & MORE) != 0) {
        // Each says whether another follows; what they mean only the writer knows.
      }
    }

    /** Text up to its NUL; null if there is no NUL. */
    @Nullable String text() {
      int length = bytes.byteStringLength(at, end);
      if (at + length >= end) {
        at = end;
        return null;
      }
      String text = bytes.utf8z(at, end);
      at += length + 1;
      return text;
    }

    /** Reads fields; returns false if not all of them could be read. */
    boolean fields(List<Field> fields, int count, int depth) {
      for (int i = 0; i < count; i++) {
        if (at >= end || !field(fields, depth)) {
          return false;
        }
      }
      return true;
    }

    private boolean field(List<Field> fields, int depth) {
      String name = text();
      if (name == null || at >= end) {
        return false;
      }
      int in = bytes.u8(at++);
      int out = 0;
      if ((in & MORE) != 0) {
        if (at >= end) {
          return false;
        }
        out = bytes.u8(at++);
        if ((out & MORE) != 0) {
          tags();
        }
      }
      LengthSpec count = LengthSpec.NONE;
      int counted = in & CUSTOM;
      if (counted == VARIABLE_COUNT) {
        count = LengthSpec.PREFIX16;
      } else if (counted != 0) {
        if (at + 2 > end) {
          return false;
        }
        int number = bytes.u16(at);
        at += 2;
        if (counted == FIXED_COUNT) {
          count = LengthSpec.fixed(number);
        } else {
          // The schema in a language of the writer's own; the value is a counted run of bytes.
          at = Math.min(end, at + number);
        }
      }
      return add(fields, name, in & 0x1F, out & 0x7F, count, counted == CUSTOM, depth);
    }

    private boolean add(
        List<Field> fields,
        String name,
        int in,
        int out,
        LengthSpec count,
        boolean custom,
        int depth) {
      InType type = inType(in);
      if (type == null) {
        return false;
      }
      if (type != InType.STRUCT) {
        if (custom && type != InType.COUNTED_STRING && type != InType.COUNTED_ANSI) {
          type = InType.COUNTED_BINARY;
        }
        fields.add(Field.of(name, type).out(outType(out)).count(count));
        return true;
      }
      if (depth == Schema.MAX_DEPTH) {
        return false;
      }
      List<Field> members = new ArrayList<>();
      boolean all = fields(members, out, depth + 1);
      fields.add(Field.struct(name, members).count(count));
      return all;
    }
  }
}
