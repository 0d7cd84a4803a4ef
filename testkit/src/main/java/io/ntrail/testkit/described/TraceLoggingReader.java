package io.ntrail.testkit.described;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;

/** Reads events that carry their own description (TraceLoggingProvider.h, {@code TlgIn_t}). */
public final class TraceLoggingReader {
  private static final int STRUCT = 24;

  private final PayloadReader octets;

  private TraceLoggingReader(PayloadReader octets) {
    this.octets = octets;
  }

  /** A description taken apart. */
  record Schema(String event, List<FieldDescription> fields) {}

  /**
   * An event.
   *
   * @param traits the data of the extended item 12; empty if there is none
   * @param schema the data of the extended item 11
   * @param pointer bytes of a pointer, 4 or 8
   */
  public static DescribedEvent read(byte[] traits, byte[] schema, byte[] payload, int pointer) {
    Schema read = schema(schema);
    return FieldReader.read(
        DescribedEvent.By.TRACE_LOGGING,
        providerName(traits),
        read.event,
        "",
        read.fields,
        payload,
        pointer);
  }

  /** The name in provider traits, the data of the extended item 12. */
  public static String providerName(byte[] traits) {
    return traits.length < 3 ? "" : new String(new PayloadReader(traits, 2).untilZero(1), UTF_8);
  }

  static Schema schema(byte[] data) {
    int size = new PayloadReader(data).u16();
    byte[] used = new PayloadReader(data).take(size);
    TraceLoggingReader reader = new TraceLoggingReader(new PayloadReader(used, 2));
    reader.chain();
    String name = reader.name();
    List<FieldDescription> fields = new ArrayList<>();
    while (reader.octets.left() > 0) {
      fields.add(reader.field());
    }
    return new Schema(name, fields);
  }

  private String name() {
    return new String(octets.untilZero(1), UTF_8);
  }

  /** Seven bits a byte, as long as the highest bit says that there are more. */
  private void chain() {
    int taken;
    do {
      taken = octets.u8();
    } while ((taken & 0x80) != 0);
  }

  private FieldDescription field() {
    String name = name();
    int in = octets.u8();
    int out = 0;
    if ((in & 0x80) != 0) {
      out = octets.u8();
      if ((out & 0x80) != 0) {
        out &= 0x7F;
        chain();
      }
    }
    int base = in & 0x1F;
    int fixed = 1;
    FieldDescription.Count count = FieldDescription.Count.ONE;
    switch (in & 0x60) {
      case 0x20 -> {
        count = FieldDescription.Count.FIXED;
        fixed = octets.u16();
      }
      case 0x40 -> count = FieldDescription.Count.BEFORE;
      case 0x60 -> {
        octets.take(octets.u16());
        return FieldDescription.of(name, name, FieldDescription.CUSTOM, DisplayFormat.DEFAULT);
      }
      default -> {}
    }
    FieldDescription made;
    if (base == STRUCT) {
      List<FieldDescription> members = new ArrayList<>();
      for (int i = 0; i < out; i++) {
        members.add(field());
      }
      made = FieldDescription.struct(name, name, members);
    } else {
      // TraceLogging's binary has its length before it, which TDH calls counted binary.
      made =
          FieldDescription.of(
              name, name, base == 14 ? 25 : base, DisplayFormat.ofTraceLogging(out));
    }
    return made.count(count, fixed, null);
  }
}
