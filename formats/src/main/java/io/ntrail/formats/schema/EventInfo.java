package io.ntrail.formats.schema;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.identity.Guid;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The description of one event that a merge puts beside it: a {@code TRACE_EVENT_INFO} of tdh.h.
 * Its offsets count from its start. Immutable.
 *
 * <p>Names of values are in blobs of their own ({@link EventMapInfo}) that may come later in the
 * file: so reading it and making a {@link #schema} of it are two steps.
 *
 * @param provider the provider, or the control GUID
 * @param event the class of a classic event, the message GUID of WPP; zero for other events
 * @param id of the descriptor; 0 for classic events
 * @param version of the descriptor
 * @param channel of the descriptor
 * @param level of the descriptor
 * @param opcode of the descriptor; identifies classic events
 * @param task of the descriptor
 * @param keyword of the descriptor
 * @param source where Windows had the description from
 * @param names what provider, level and the rest are called
 * @param message the message text with its inserts; null if there is none
 * @param properties what the payload consists of; the members of structures are after the rest
 * @param topLevel number of properties that are not members
 */
public record EventInfo(
    Guid provider,
    Guid event,
    int id,
    int version,
    int channel,
    int level,
    int opcode,
    int task,
    long keyword,
    Source source,
    Names names,
    @Nullable String message,
    List<Property> properties,
    int topLevel) {
  /** Bytes before the properties. */
  public static final int HEADER = 112;

  /** Bytes of a property. */
  public static final int PROPERTY_BYTES = 24;

  /** Limit of a name: longer text is not a name, and many properties may point at the same text. */
  static final int MAX_NAME = 1024;

  private static final int MAX_KEYWORDS = 64;

  /** Sources of a description. */
  public enum Source {
    /** An instrumentation manifest. */
    MANIFEST,
    /** A class in WMI: classic events. */
    WBEM,
    /** TMF: software tracing. */
    WPP,
    /** The event itself. */
    TRACE_LOGGING,
    /** A number that is not known. */
    OTHER
  }

  /**
   * Names without the blank that many end with and without {@code win:}; null for what has none.
   *
   * @param provider the provider
   * @param level the level
   * @param channel the channel
   * @param keywords the keywords that the event has; no more than 64
   * @param task the task; of classic events their class
   * @param opcode the opcode
   * @param event the event itself; newer versions of Windows only
   */
  public record Names(
      @Nullable String provider,
      @Nullable String level,
      @Nullable String channel,
      List<String> keywords,
      @Nullable String task,
      @Nullable String opcode,
      @Nullable String event) {
    /** Keeps the order of the keywords. */
    public Names {
      keywords = List.copyOf(keywords);
    }
  }

  /**
   * One {@code EVENT_PROPERTY_INFO}.
   *
   * @param name what it is called; may be empty
   * @param flags {@code PROPERTY_FLAGS}
   * @param in how it is stored, as TDH numbers it; of a structure the index of its first member
   * @param out what it means, as TDH numbers it; of a structure the number of its members
   * @param map name of the names of its values; null if there are none
   * @param count number of elements, or the property that has it
   * @param length of a value, or the property that has it
   */
  public record Property(
      String name, int flags, int in, int out, @Nullable String map, int count, int length) {
    /** It has members. */
    public static final int STRUCT = 1;

    /** The number of a property is where its length is. */
    public static final int LENGTH_IS_PROPERTY = 2;

    /** The number of a property is where its count is. */
    public static final int COUNT_IS_PROPERTY = 4;

    /** It is an array, if of one element. */
    public static final int FIXED_COUNT = 0x20;

    static final int CUSTOM_SCHEMA = 0x80;

    boolean is(int flag) {
      return (flags & flag) != 0;
    }
  }

  /** Source of names of values. */
  @FunctionalInterface
  public interface Maps {
    /**
     * Finds names of values.
     *
     * @param provider the provider that they belong to
     * @param name what they are called
     * @return null if they are not known
     */
    @Nullable ValueMap get(Guid provider, String name);
  }

  /** Keeps the order of the properties. */
  public EventInfo {
    properties = List.copyOf(properties);
  }

  /**
   * Reads a blob.
   *
   * @param at where it begins: the payload of opcode 32 of class bbccf6c1
   * @param length its bytes
   * @return null if it is shorter than its fixed part; properties and names that lie outside of it
   *     are left out
   */
  public static @Nullable EventInfo parse(Bytes bytes, int at, int length) {
    if (length < HEADER || !bytes.has(at, length)) {
      return null;
    }
    Texts texts = new Texts(bytes, at, length);
    int source = bytes.i32(at + 48);
    boolean wbem = source == Source.WBEM.ordinal();
    Names names =
        new Names(
            texts.name(bytes.i32(at + 52)),
            EventNames.plain(texts.name(bytes.i32(at + 56))),
            texts.name(bytes.i32(at + 60)),
            texts.list(bytes.i32(at + 64), MAX_KEYWORDS),
            EventNames.plain(texts.name(bytes.i32(at + 68))),
            EventNames.plain(texts.name(bytes.i32(at + 72))),
            // Of classes this is the name of an activity instead.
            wbem ? null : texts.name(bytes.i32(at + 92)));
    int room = (length - HEADER) / PROPERTY_BYTES;
    int count = (int) Math.min(room, bytes.u32(at + 100));
    List<Property> properties = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      properties.add(property(bytes, at + HEADER + PROPERTY_BYTES * i, texts));
    }
    return new EventInfo(
        Guid.read(bytes, at),
        Guid.read(bytes, at + 16),
        bytes.u16(at + 32),
        bytes.u8(at + 34),
        bytes.u8(at + 35),
        bytes.u8(at + 36),
        bytes.u8(at + 37),
        bytes.u16(at + 38),
        bytes.i64(at + 40),
        source >= 0 && source < Source.OTHER.ordinal() ? Source.values()[source] : Source.OTHER,
        names,
        texts.text(bytes.i32(at + 76), length),
        properties,
        (int) Math.min(count, bytes.u32(at + 104)));
  }

  private static Property property(Bytes bytes, int at, Texts texts) {
    int flags = bytes.i32(at);
    String name = texts.name(bytes.i32(at + 4));
    // Of structures and of custom schemas it is not a name.
    boolean mapped = (flags & (Property.STRUCT | Property.CUSTOM_SCHEMA)) == 0;
    return new Property(
        name == null ? "" : name,
        flags,
        bytes.u16(at + 8),
        bytes.u16(at + 10),
        mapped ? texts.name(bytes.i32(at + 12)) : null,
        bytes.u16(at + 16),
        bytes.u16(at + 18));
  }

  /** Returns true if records have it as class and opcode, not as provider and id. */
  public boolean isClassic() {
    return source == Source.WBEM;
  }

  /** Returns the name of the event; null if it has only an id. */
  public @Nullable String eventName() {
    return EventNames.of(names.event(), names.task(), names.opcode());
  }

  /**
   * Returns the schema of its payload.
   *
   * @param maps names of values, those that came after this description included
   * @return the fields up to the first that makes no sense
   */
  public Schema schema(Maps maps) {
    return new Schema(
        SchemaSource.EVENT_METADATA,
        names.provider(),
        eventName(),
        message,
        new EventInfoFields(this, maps).fields());
  }

  /**
   * The texts of a blob: offsets from its start, UTF-16, ended by NUL or by the blob. All of them
   * together are no longer than the blob, however many offsets point into the same text.
   */
  static final class Texts {
    private final Bytes bytes;
    private final int start;
    private final int end;
    private final Map<Integer, String> known = new HashMap<>();
    private int left;

    Texts(Bytes bytes, int start, int length) {
      this.bytes = bytes;
      this.start = start;
      this.end = start + length;
      this.left = length;
    }

    /** Null if there is none: offset 0, outside of the blob, nothing but blanks. */
    @Nullable String name(int offset) {
      return text(offset, MAX_NAME);
    }

    @Nullable String text(int offset, int limit) {
      if (offset <= 0 || offset >= end - start) {
        return null;
      }
      String text = known.get(offset);
      if (text == null) {
        int at = start + offset;
        text = bytes.utf16z(at, (int) Math.min(end, at + 2L * Math.min(limit, left)));
        text = text.stripTrailing();
        left -= text.length();
        known.put(offset, text);
      }
      return text.isEmpty() ? null : text;
    }

    /** Texts one after the other, ended by an empty one. */
    List<String> list(int offset, int limit) {
      List<String> list = new ArrayList<>();
      if (offset <= 0) {
        return list;
      }
      int at = offset;
      while (list.size() < limit && at < end - start) {
        int chars = bytes.utf16Length(start + at, end);
        if (chars == 0) {
          break;
        }
        String text = name(at);
        if (text != null) {
          list.add(text);
        }
        at += 2 * chars + 2;
      }
      return list;
    }
  }
}
