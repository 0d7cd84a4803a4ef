package io.ntrail.testkit.described;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads TRACE_EVENT_INFO and EVENT_MAP_INFO (tdh.h), the payloads of EventMetadata records with the
 * opcodes 32 and 33.
 */
public final class EventInfoReader {
  private static final int PROPERTIES = 112;
  private static final int PROPERTY_BYTES = 24;

  /** Key of the events that a description is for: an id, or the opcode of a class. */
  record Key(String provider, int id, int opcode, int version) {}

  private final byte[] blob;

  private EventInfoReader(byte[] blob) {
    this.blob = blob.clone();
  }

  /** A TRACE_EVENT_INFO, the payload of a record with opcode 32. */
  public static EventInfoReader of(byte[] blob) {
    return new EventInfoReader(blob);
  }

  /**
   * An EVENT_MAP_INFO.
   *
   * @param payload of a record with opcode 33: the provider's GUID, then the structure
   */
  public static EventMap map(byte[] payload) {
    EventInfoReader info =
        new EventInfoReader(new PayloadReader(payload, 16).take(payload.length - 16L));
    String name = info.text((int) info.number(0));
    long flags = info.number(4);
    long count = info.number(8);
    Map<Long, String> entries = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      // A value that is listed twice keeps its first text.
      entries.putIfAbsent(info.number(20 + 8 * i), info.text((int) info.number(16 + 8 * i)));
    }
    return new EventMap(name, (flags & (2 | 16 | 32)) != 0, entries);
  }

  /** The provider's GUID of a payload with opcode 33. */
  public static String mapProvider(byte[] payload) {
    return ValueReader.guid(new PayloadReader(payload));
  }

  private long number(int at) {
    return new PayloadReader(blob, at).u32();
  }

  private int half(int at) {
    return new PayloadReader(blob, at).u16();
  }

  /** A text at an offset; none for offset 0. Windows puts blanks after many of them. */
  private String text(int offset) {
    return offset == 0
        ? ""
        : ValueReader.wide(new PayloadReader(blob, offset).untilZero(2)).stripTrailing();
  }

  /** The provider's GUID. */
  public String provider() {
    return ValueReader.guid(new PayloadReader(blob));
  }

  Key key() {
    boolean classic = number(48) == 1;
    String owner = classic ? ValueReader.guid(new PayloadReader(blob, 16)) : provider();
    int version = new PayloadReader(blob, 34).u8();
    return classic
        ? new Key(owner, -1, new PayloadReader(blob, 37).u8(), version)
        : new Key(owner, half(32), -1, version);
  }

  /** The event's name: its own if there is one, else task and opcode. */
  public String eventName() {
    String own = text((int) number(92));
    if (!own.isEmpty() && (number(48) == 0 || number(48) == 3)) {
      return own;
    }
    String task = text((int) number(68));
    String opcode = text((int) number(72));
    return task.isEmpty() || opcode.isEmpty() ? task + opcode : task + "/" + opcode;
  }

  /**
   * An event that this describes.
   *
   * @param maps of the same provider, by name
   * @param pointer bytes of a pointer, 4 or 8
   */
  public DescribedEvent read(Map<String, EventMap> maps, byte[] payload, int pointer) {
    List<FieldDescription> fields = new ArrayList<>();
    long top = number(104);
    for (int i = 0; i < top; i++) {
      fields.add(field(i, maps));
    }
    return FieldReader.read(
        DescribedEvent.By.EVENT_INFO,
        text((int) number(52)),
        eventName(),
        text((int) number(76)),
        fields,
        payload,
        pointer);
  }

  private FieldDescription field(int index, Map<String, EventMap> maps) {
    int at = PROPERTIES + PROPERTY_BYTES * index;
    long flags = number(at);
    String name = text((int) number(at + 4));
    FieldDescription made;
    if ((flags & 1) != 0) {
      List<FieldDescription> members = new ArrayList<>();
      int first = half(at + 8);
      for (int i = 0; i < half(at + 10); i++) {
        // A structure has its members after it; anything else would not end.
        if (first + i > index) {
          members.add(field(first + i, maps));
        }
      }
      made = FieldDescription.struct(name, "#" + index, members);
    } else {
      int mapOffset = (int) number(at + 12);
      @Nullable EventMap map = mapOffset == 0 ? null : maps.get(text(mapOffset));
      made =
          FieldDescription.of(name, "#" + index, half(at + 8), DisplayFormat.ofTdh(half(at + 10)))
              .map(map);
      int length = half(at + 18);
      if ((flags & 2) != 0) {
        made = made.length(-1, "#" + length);
      } else if (length != 0) {
        made = made.length(length, null);
      }
    }
    int count = half(at + 16);
    if ((flags & 4) != 0) {
      return made.count(FieldDescription.Count.FIELD, 0, "#" + count);
    }
    boolean array = count > 1 || (flags & 0x20) != 0;
    return array ? made.count(FieldDescription.Count.FIXED, count, null) : made;
  }
}
