package io.ntrail.formats.schema.write;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.schema.EventInfo;
import io.ntrail.formats.schema.EventMapInfo;
import io.ntrail.formats.schema.EventNames;
import io.ntrail.formats.schema.Field;
import io.ntrail.formats.schema.InType;
import io.ntrail.formats.schema.LengthSpec;
import io.ntrail.formats.schema.Manifest;
import io.ntrail.formats.schema.Schema;
import io.ntrail.formats.schema.ValueMap;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Writes an event of a manifest as the {@code TRACE_EVENT_INFO} that a merge puts beside the
 * events, and its maps as {@code EVENT_MAP_INFO}: {@link EventInfo} and {@link EventMapInfo} read
 * them back.
 *
 * <p>The layout is that of TDH: fixed part, properties with the members of structures behind the
 * fields of the event, then the texts: name and map of each property, provider, level, keywords,
 * task, opcode, message. The binary form of the manifest, the message of the provider and the name
 * of the channel, which TDH adds, are left out: nothing of a payload depends on them.
 */
public final class EventInfoEncoder {
  /** Bytes of a record's payload at most: the size of a record has 16 bits. */
  private static final int MOST = 0xFFFF - 48;

  private static final int MOST_NUMBER = 0xFFFF;
  private static final int FIXED_LENGTH = 0x10;
  private static final int VALUE_MAP = 1;
  private static final int BIT_MAP = 2;

  /** The payload is the event's data, not XML of its own. */
  private static final int EVENT_DATA = 1;

  /**
   * The numbers of an event's descriptor.
   *
   * @param id of the event; 0 of a class event
   * @param version of it
   * @param channel that it goes to
   * @param level of detail
   * @param opcode of it
   * @param task of it
   * @param keyword the bits of its keywords
   */
  public record Descriptor(
      int id, int version, int channel, int level, int opcode, int task, long keyword) {}

  /** A property, and where the field that it is made of stands among them. */
  private record Placed(Field field, int firstMember) {}

  private final Manifest.Event event;
  private final List<Placed> properties = new ArrayList<>();
  private final Map<Integer, Integer> slots = new LinkedHashMap<>();
  private final BytesBuilder texts = new BytesBuilder(512);
  private boolean isTooLarge;

  private EventInfoEncoder(Manifest.Event event) {
    this.event = event;
  }

  /**
   * Returns the description of an event.
   *
   * @param provider that has it
   * @param event of the manifest
   * @param descriptor of a record of it
   * @return empty if it does not fit in a record
   */
  public static Optional<byte[]> event(
      Manifest.Provider provider, Manifest.Event event, Descriptor descriptor) {
    return new EventInfoEncoder(event).write(provider, descriptor);
  }

  /**
   * Returns the maps that the fields of an event use, each by its name.
   *
   * @param schema of the event
   */
  public static Map<String, ValueMap> maps(Schema schema) {
    Map<String, ValueMap> maps = new LinkedHashMap<>();
    addMaps(schema.fields(), maps);
    return maps;
  }

  private static void addMaps(List<Field> fields, Map<String, ValueMap> maps) {
    for (Field field : fields) {
      ValueMap map = field.map();
      if (map != null) {
        maps.putIfAbsent(map.name(), map);
      }
      addMaps(field.members(), maps);
    }
  }

  /**
   * Returns the names of values: the provider's GUID and an {@code EVENT_MAP_INFO}.
   *
   * @return empty if they do not fit in a record
   */
  public static Optional<byte[]> map(Guid provider, ValueMap map) {
    Map<Long, String> entries = new LinkedHashMap<>();
    // Values have 32 bits: what stands for a negative number too is one entry.
    map.texts().forEach((value, text) -> entries.putIfAbsent(value & 0xFFFF_FFFFL, text));
    BytesBuilder out = new BytesBuilder(512).u64(provider.low()).u64(provider.high());
    BytesBuilder names = new BytesBuilder(512);
    // Behind the entries Windows leaves the room of one more.
    int base = 16 + 8 * entries.size() + 8;
    out.u32(text(names, base, map.name())).u32(map.bits() ? BIT_MAP : VALUE_MAP);
    out.u32(entries.size()).u32(0);
    for (Map.Entry<Long, String> entry : entries.entrySet()) {
      if (base + names.size() > MOST) {
        return Optional.empty();
      }
      out.u32(text(names, base, entry.getValue())).u32(entry.getKey().intValue());
    }
    out.u64(0).bytes(names.array(), 0, names.size());
    return out.size() > MOST ? Optional.empty() : Optional.of(out.toArray());
  }

  private Optional<byte[]> write(Manifest.Provider provider, Descriptor descriptor) {
    Schema schema = event.schema();
    place(schema.fields());
    int base = EventInfo.HEADER + EventInfo.PROPERTY_BYTES * properties.size();
    if (base > MOST) {
      return Optional.empty();
    }
    BytesBuilder body = new BytesBuilder(base);
    for (Placed property : properties) {
      property(body, property, base);
    }
    BytesBuilder out = new BytesBuilder(1024);
    Guid guid = provider.guid();
    Guid task = event.eventGuid();
    out.u64(guid.low()).u64(guid.high()).u64(task.low()).u64(task.high());
    out.u16(descriptor.id).u8(descriptor.version).u8(descriptor.channel).u8(descriptor.level);
    out.u8(descriptor.opcode).u16(descriptor.task).u64(descriptor.keyword);
    boolean isClassic = provider.isClassic();
    out.u32((isClassic ? EventInfo.Source.WBEM : EventInfo.Source.MANIFEST).ordinal());
    out.u32(text(base, provider.name()));
    out.u32(text(base, EventNames.levelReference(event.levelName(), event.level())));
    out.u32(0).u32(keywords(base));
    out.u32(text(base, event.taskName()));
    out.u32(text(base, EventNames.opcodeReference(event.opcodeName(), event.opcode())));
    out.u32(text(base, schema.message())).u32(0).u32(0).u32(0);
    // Of class events this would be the name of an activity.
    boolean isNamed =
        !isClassic
            && schema.event() != null
            && !schema.event().equals(EventNames.of(null, event.taskName(), event.opcodeName()));
    out.u32(isNamed ? text(base, schema.event()) : 0).u32(0);
    out.u32(properties.size()).u32(schema.fields().size());
    out.u32(properties.isEmpty() ? 0 : EVENT_DATA);
    out.bytes(body.array(), 0, body.size()).bytes(texts.array(), 0, texts.size());
    return isTooLarge || out.size() > MOST ? Optional.empty() : Optional.of(out.toArray());
  }

  /** Gives each field its place: members are together, behind the fields of the event. */
  private void place(List<Field> fields) {
    List<Field> all = new ArrayList<>(fields);
    for (int i = 0; i < all.size(); i++) {
      Field field = all.get(i);
      properties.add(new Placed(field, all.size()));
      if (field.slot() >= 0) {
        slots.put(field.slot(), i);
      }
      all.addAll(field.members());
    }
  }

  private void property(BytesBuilder out, Placed property, int base) {
    Field field = property.field;
    boolean isStruct = field.in() == InType.STRUCT;
    LengthSpec count = field.count();
    LengthSpec length = field.length();
    int flags = isStruct ? EventInfo.Property.STRUCT : 0;
    if (length.slot() >= 0) {
      flags |= EventInfo.Property.LENGTH_IS_PROPERTY;
    } else if (length.kind() == LengthSpec.Kind.FIXED) {
      flags |= FIXED_LENGTH;
    }
    if (count.slot() >= 0) {
      flags |= EventInfo.Property.COUNT_IS_PROPERTY;
    } else if (count.kind() == LengthSpec.Kind.FIXED && count.value() <= 1) {
      // Larger numbers are those of an array without it, too.
      flags |= EventInfo.Property.FIXED_COUNT;
    }
    out.u32(flags).u32(text(base, field.name()));
    if (isStruct) {
      out.u16(number(property.firstMember)).u16(number(field.members().size())).u32(0);
    } else {
      ValueMap map = field.map();
      out.u16(field.in().tdh()).u16(field.out().tdh(field.in()));
      out.u32(text(base, map == null ? null : map.name()));
    }
    out.u16(number(of(count, 1)));
    out.u16(number(of(length, isStruct ? 0 : fixedBytes(field.in())))).u32(0);
  }

  /** Returns the number itself, or the property that has it. */
  private int of(LengthSpec spec, int otherwise) {
    return spec.slot() >= 0
        ? slots.getOrDefault(spec.slot(), 0)
        : spec.kind() == LengthSpec.Kind.FIXED ? spec.value() : otherwise;
  }

  private int number(int value) {
    isTooLarge |= value > MOST_NUMBER;
    return value;
  }

  /** Bytes of a value as TDH lists them: those of a pointer are 4 whatever the record has. */
  private static int fixedBytes(InType in) {
    return Math.max(0, in.size(4));
  }

  private int keywords(int base) {
    if (event.keywordNames().isEmpty()) {
      return 0;
    }
    int at = base + texts.size();
    event.keywordNames().forEach(texts::utf16z);
    texts.u16(0);
    return at;
  }

  private int text(int base, @Nullable String text) {
    return text(texts, base, text);
  }

  private static int text(BytesBuilder texts, int base, @Nullable String text) {
    if (text == null || text.isEmpty()) {
      return 0;
    }
    int at = base + texts.size();
    texts.utf16z(text);
    return at;
  }
}
