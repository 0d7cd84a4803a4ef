package io.ntrail.testkit.described;

import io.ntrail.testkit.LittleEndian;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Makes a TraceLogging event: its description, its payload and the values a reader has to find. The
 * numbers of in and out types are those of TraceLoggingProvider.h.
 *
 * <pre>{@code
 * TraceLoggingEvent e = new TraceLoggingEvent("Sale")
 *     .field("item", 1, 0, Encoded.wide("tea"))
 *     .counted("prices", 8, 0, List.of(Encoded.unsigned(4, 3), Encoded.unsigned(4, 4)))
 *     .struct("where", s -> s.field("shelf", 4, 0, Encoded.unsigned(1, 7)));
 * EtlRecord record = DescribedRecords.traceLogging(8, PROVIDER, "Shop", e).time(1000).build();
 * }</pre>
 */
public final class TraceLoggingEvent {
  private static final int OUT_FOLLOWS = 0x80;
  private static final int FIXED = 0x20;
  private static final int VARIABLE = 0x40;
  private static final int CUSTOM = 0x60;
  private static final int BINARY = 14;
  private static final int STRUCT = 24;

  private final String name;
  private final LittleEndian fields = new LittleEndian();
  private final LittleEndian payload = new LittleEndian();
  private final List<FieldNode> expected = new ArrayList<>();
  private int eventTag;
  private int nextTag;
  private int members;

  /** An event without fields. */
  public TraceLoggingEvent(String name) {
    this.name = name;
  }

  /** The event's tag, 28 bits. */
  public TraceLoggingEvent tag(int value) {
    eventTag = value;
    return this;
  }

  /** The tag of the field that is added next, 28 bits, not 0. */
  public TraceLoggingEvent tagNext(int value) {
    nextTag = value;
    return this;
  }

  /** A value. */
  public TraceLoggingEvent field(String field, int in, int out, EncodedValue value) {
    describe(field, in, out);
    payload.bytes(value.bytes().bytes());
    expected.add(FieldNode.leaf(field, value.text()));
    return this;
  }

  /** An array whose length is in the description. */
  public TraceLoggingEvent fixed(String field, int in, int out, List<EncodedValue> values) {
    describe(field, in | FIXED, out);
    fields.u16(values.size());
    return elements(field, values);
  }

  /** An array whose length is in the payload. */
  public TraceLoggingEvent counted(String field, int in, int out, List<EncodedValue> values) {
    describe(field, in | VARIABLE, out);
    payload.u16(values.size());
    return elements(field, values);
  }

  private TraceLoggingEvent elements(String field, List<EncodedValue> values) {
    values.forEach(value -> payload.bytes(value.bytes().bytes()));
    expected.add(FieldNode.array(field, values.stream().map(EncodedValue::text).toList()));
    return this;
  }

  /** A structure of at most 127 members. */
  public TraceLoggingEvent struct(String field, Consumer<TraceLoggingEvent> content) {
    TraceLoggingEvent made = filled(content);
    describe(field, STRUCT, made.members);
    fields.bytes(made.fields.toByteArray());
    payload.bytes(made.payload.toByteArray());
    expected.add(FieldNode.group(field, made.expected));
    return this;
  }

  /**
   * An array of structures.
   *
   * @param inPayload whether the length is in the payload, not in the description
   * @param shape fills one structure: the description of all
   * @param contents fill the elements, all of that shape
   */
  public TraceLoggingEvent structs(
      String field,
      boolean inPayload,
      Consumer<TraceLoggingEvent> shape,
      List<Consumer<TraceLoggingEvent>> contents) {
    TraceLoggingEvent one = filled(shape);
    describe(field, STRUCT | (inPayload ? VARIABLE : FIXED), one.members);
    if (inPayload) {
      payload.u16(contents.size());
    } else {
      fields.u16(contents.size());
    }
    fields.bytes(one.fields.toByteArray());
    List<FieldNode> elements = new ArrayList<>();
    for (Consumer<TraceLoggingEvent> content : contents) {
      TraceLoggingEvent made = filled(content);
      payload.bytes(made.payload.toByteArray());
      elements.add(FieldNode.group("[" + elements.size() + "]", made.expected));
    }
    expected.add(FieldNode.group(field, elements));
    return this;
  }

  /** Data in a custom schema: its description and its bytes, shown as hex. */
  public TraceLoggingEvent custom(String field, byte[] description, byte[] data) {
    describe(field, BINARY | CUSTOM, 0);
    fields.u16(description.length).bytes(description);
    EncodedValue bytes = EncodedValue.binary(data);
    payload.bytes(bytes.counted(2).bytes().bytes());
    expected.add(FieldNode.leaf(field, bytes.text()));
    return this;
  }

  private static TraceLoggingEvent filled(Consumer<TraceLoggingEvent> content) {
    TraceLoggingEvent made = new TraceLoggingEvent("");
    content.accept(made);
    return made;
  }

  private void describe(String field, int in, int out) {
    members++;
    fields.utf8z(field);
    boolean tagged = nextTag != 0;
    if (out == 0 && !tagged && (in & 0x1F) != STRUCT) {
      fields.u8(in);
      return;
    }
    fields.u8(in | OUT_FOLLOWS).u8(tagged ? out | OUT_FOLLOWS : out);
    if (tagged) {
      chain(fields, nextTag);
      nextTag = 0;
    }
  }

  /** Seven bits a byte from the highest down, all but the last byte with the highest bit set. */
  private static void chain(LittleEndian out, int value) {
    for (int shift = 21; shift > 0; shift -= 7) {
      if (value >>> shift != 0) {
        out.u8(0x80 | (value >>> shift & 0x7F));
      }
    }
    out.u8(value & 0x7F);
  }

  /** The event's name. */
  public String name() {
    return name;
  }

  /** The data of the extended item 11. */
  public byte[] metadata() {
    LittleEndian out = new LittleEndian().u16(0);
    chain(out, eventTag);
    out.utf8z(name).bytes(fields.toByteArray());
    return out.setU16(0, out.size()).toByteArray();
  }

  /** The payload. */
  public byte[] payload() {
    return payload.toByteArray();
  }

  /** Returns the fields that a reader has to find. */
  public List<FieldNode> expected() {
    return List.copyOf(expected);
  }

  /** The data of the extended item 12 that names the provider. */
  public static byte[] traits(String provider) {
    int size = 2 + provider.getBytes(StandardCharsets.UTF_8).length + 1;
    return new LittleEndian().u16(size).utf8z(provider).toByteArray();
  }

  /** The data of the extended item 12 that names the provider and its group. */
  public static byte[] traits(String provider, UUID group) {
    LittleEndian out = new LittleEndian().bytes(traits(provider)).u16(19).u8(1).guid(group);
    return out.setU16(0, out.size()).toByteArray();
  }
}
