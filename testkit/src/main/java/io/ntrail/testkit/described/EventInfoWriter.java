package io.ntrail.testkit.described;

import io.ntrail.testkit.LittleEndian;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Writes TRACE_EVENT_INFO and EVENT_MAP_INFO (tdh.h) as mergers put them into recordings. */
public final class EventInfoWriter {
  private static final int HEADER = 112;
  private static final int PROPERTY = 24;

  private final UUID provider;
  private final String providerName;
  private final int id;
  private final int version;
  private UUID eventClass = new UUID(0, 0);
  private boolean classic;
  private int channel;
  private int level;
  private int opcode;
  private int task;
  private long keyword;
  private String levelName = "";
  private String taskName = "";
  private String opcodeName = "";
  private String message = "";
  private String keywordName = "";

  /** A description of the events of one provider with this id and version. */
  public EventInfoWriter(UUID provider, String providerName, int id, int version) {
    this.provider = provider;
    this.providerName = providerName;
    this.id = id;
    this.version = version;
  }

  /** Describes a class and a type of it (the opcode) instead of an id, as WBEM does. */
  public EventInfoWriter ofClass(UUID guid, int type) {
    classic = true;
    eventClass = guid;
    opcode = type;
    return this;
  }

  /** The descriptor's other numbers. */
  public EventInfoWriter descriptor(
      int channelNumber, int levelNumber, int opcodeNumber, int taskNumber, long keywords) {
    channel = channelNumber;
    level = levelNumber;
    opcode = opcodeNumber;
    task = taskNumber;
    keyword = keywords;
    return this;
  }

  /** The names of the numbers; empty for none. */
  public EventInfoWriter names(
      String levelText, String taskText, String opcodeText, String keywordText) {
    levelName = levelText;
    taskName = taskText;
    opcodeName = opcodeText;
    keywordName = keywordText;
    return this;
  }

  /** The message, with {@code %1} for the first field. */
  public EventInfoWriter message(String text) {
    message = text;
    return this;
  }

  /** The blob that describes this event and all of its kind. */
  public byte[] write(TypedEvent event) {
    List<TypedEvent.Spec> all = new ArrayList<>(event.specs());
    Map<String, Integer> indexes = new HashMap<>();
    Map<Integer, Integer> firstMember = new HashMap<>();
    for (int i = 0; i < all.size(); i++) {
      indexes.put(all.get(i).name(), i);
      if (all.get(i).in() < 0) {
        // Members come after the fields of the event, in the order of their structures.
        firstMember.put(i, all.size());
        all.addAll(all.get(i).members());
      }
    }
    LittleEndian strings = new LittleEndian();
    int base = HEADER + PROPERTY * all.size();
    LittleEndian out = new LittleEndian().guid(provider).guid(eventClass);
    out.u16(id).u8(version).u8(channel).u8(level).u8(opcode).u16(task).u64(keyword);
    out.u32(classic ? 1 : 0);
    out.u32(text(strings, base, providerName)).u32(text(strings, base, blank(levelName)));
    out.u32(0);
    out.u32(keywordName.isEmpty() ? 0 : text(strings, base, blank(keywordName)));
    if (!keywordName.isEmpty()) {
      strings.u16(0);
    }
    out.u32(text(strings, base, blank(taskName))).u32(text(strings, base, blank(opcodeName)));
    out.u32(text(strings, base, message)).zeros(20);
    out.u32(all.size()).u32(event.specs().size()).u32(1);
    for (int i = 0; i < all.size(); i++) {
      TypedEvent.Spec spec = all.get(i);
      boolean struct = spec.in() < 0;
      String lengthField = spec.lengthField();
      String countField = spec.countField();
      int flags = (struct ? 1 : 0) | (lengthField != null ? 2 : 0) | (countField != null ? 4 : 0);
      out.u32(flags).u32(text(strings, base, spec.name()));
      if (struct) {
        out.u16(firstMember.getOrDefault(i, 0)).u16(spec.members().size()).u32(0);
      } else {
        String map = spec.map();
        out.u16(spec.in()).u16(spec.out()).u32(map == null ? 0 : text(strings, base, map));
      }
      out.u16(countField == null ? spec.count() : indexOf(indexes, countField));
      out.u16(lengthField == null ? length(spec) : indexOf(indexes, lengthField)).u32(0);
    }
    return out.bytes(strings.toByteArray()).toByteArray();
  }

  private static int indexOf(Map<String, Integer> indexes, String field) {
    Integer index = indexes.get(field);
    if (index == null) {
      throw new IllegalArgumentException("no field " + field);
    }
    return index;
  }

  /** Windows also gives the lengths that the types have by themselves. */
  private static int length(TypedEvent.Spec spec) {
    return switch (spec.in()) {
      case 3, 4, 307 -> 1;
      case 5, 6, 306 -> 2;
      case 7, 8, 11, 13, 20 -> 4;
      case 9, 10, 12, 17, 21 -> 8;
      case 15, 18 -> 16;
      default -> spec.length();
    };
  }

  private static String blank(String text) {
    return text.isEmpty() ? "" : text + " ";
  }

  private static long text(LittleEndian strings, int base, String text) {
    if (text.isEmpty()) {
      return 0;
    }
    long at = (long) base + strings.size();
    strings.utf16z(text);
    return at;
  }

  /**
   * The payload of a record with opcode 33: a provider's GUID and an EVENT_MAP_INFO.
   *
   * @param entries value to text, in the order in which they are listed
   */
  public static byte[] map(UUID provider, String name, boolean bits, Map<Long, String> entries) {
    LittleEndian strings = new LittleEndian();
    int base = 16 + 8 * entries.size();
    LittleEndian out = new LittleEndian();
    out.u32(text(strings, base, name)).u32(bits ? 2 : 1).u32(entries.size()).u32(0);
    entries.forEach((value, text) -> out.u32(text(strings, base, blank(text))).u32(value));
    LittleEndian all = new LittleEndian().guid(provider).bytes(out.toByteArray());
    return all.bytes(strings.toByteArray()).toByteArray();
  }
}
