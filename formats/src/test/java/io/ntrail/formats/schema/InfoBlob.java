package io.ntrail.formats.schema;

import io.ntrail.testkit.LittleEndian;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** Writes a {@code TRACE_EVENT_INFO}: the numbers of tdh.h by hand, texts after the properties. */
final class InfoBlob {
  private record Property(
      int flags, String name, int in, int out, String map, int count, int length) {}

  private final int source;
  private final UUID event;
  private final int opcode;
  private final List<Property> properties = new ArrayList<>();
  private final Map<Integer, String> texts = new TreeMap<>();
  private int topLevel;

  InfoBlob(int source, UUID event, int opcode) {
    this.source = source;
    this.event = event;
    this.opcode = opcode;
  }

  /** A text whose offset is at {@code at}. */
  InfoBlob text(int at, String text) {
    texts.put(at, text);
    return this;
  }

  /** A property; of a structure {@code in} is its first member and {@code out} their number. */
  InfoBlob property(int flags, String name, int in, int out, int count, int length) {
    return mapped(flags, name, in, out, "", count, length);
  }

  InfoBlob mapped(int flags, String name, int in, int out, String map, int count, int length) {
    properties.add(new Property(flags, name, in, out, map, count, length));
    topLevel++;
    return this;
  }

  /** A property that is a member of a structure. */
  InfoBlob member(int flags, String name, int in, int out, int count, int length) {
    property(flags, name, in, out, count, length);
    topLevel--;
    return this;
  }

  byte[] build() {
    LittleEndian to =
        new LittleEndian()
            .guid(UUID.fromString("11111111-2222-3333-4455-66778899aabb"))
            .guid(event)
            .u16(7)
            .u8(2)
            .u8(16)
            .u8(4)
            .u8(opcode)
            .u16(3)
            .u64(0x8000_0000_0000_0001L)
            .u32(source)
            .zeros(48)
            .u32(properties.size())
            .u32(topLevel)
            .u32(0);
    for (Property p : properties) {
      to.u32(p.flags).u32(0).u16(p.in).u16(p.out).u32(0).u16(p.count).u16(p.length).u32(0);
    }
    Map<Integer, String> all = new TreeMap<>(texts);
    for (int i = 0; i < properties.size(); i++) {
      all.put(112 + 24 * i + 4, properties.get(i).name);
      if (!properties.get(i).map.isEmpty()) {
        all.put(112 + 24 * i + 12, properties.get(i).map);
      }
    }
    all.forEach((at, text) -> {
      to.setU32(at, to.size());
      to.utf16z(text);
    });
    // The list of keywords is ended by an empty one.
    return to.u16(0).toByteArray();
  }
}
