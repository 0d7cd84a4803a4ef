package io.ntrail.testkit.described;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads the fields of one payload, one after the other. */
final class FieldReader {
  private final PayloadReader octets;
  private final int pointer;
  private final Map<String, Long> known = new HashMap<>();

  private FieldReader(byte[] payload, int pointer) {
    this.octets = new PayloadReader(payload);
    this.pointer = pointer;
  }

  /**
   * The event.
   *
   * @param pointer bytes of a pointer, 4 or 8
   */
  static DescribedEvent read(
      DescribedEvent.By by,
      String provider,
      String event,
      String message,
      List<FieldDescription> fields,
      byte[] payload,
      int pointer) {
    FieldReader reader = new FieldReader(payload, pointer);
    List<FieldNode> out = new ArrayList<>();
    boolean complete = reader.all(fields, out);
    return new DescribedEvent(by, provider, event, message, out, reader.octets.at(), complete);
  }

  private boolean all(List<FieldDescription> fields, List<FieldNode> out) {
    for (FieldDescription field : fields) {
      if (!one(field, out)) {
        return false;
      }
    }
    return true;
  }

  private boolean one(FieldDescription field, List<FieldNode> out) {
    long count;
    try {
      count =
          switch (field.count()) {
            case ONE -> 1;
            case FIXED -> field.number();
            case FIELD -> known.getOrDefault(field.countKey(), 0L);
            case BEFORE -> octets.u16();
          };
    } catch (PayloadReader.Ended e) {
      return false;
    }
    if (field.count() == FieldDescription.Count.ONE) {
      return element(field, field.name(), out);
    }
    List<FieldNode> elements = new ArrayList<>();
    boolean complete = true;
    for (long i = 0; i < count && complete; i++) {
      int before = octets.at();
      complete = element(field, "[" + i + "]", elements);
      if (complete && octets.at() == before && i > 0xFFFF) {
        // Elements without a byte, as many as a damaged count claims: they are of no use.
        complete = false;
      }
    }
    if (complete || !elements.isEmpty()) {
      out.add(FieldNode.group(field.name(), elements));
    }
    return complete;
  }

  private boolean element(FieldDescription field, String name, List<FieldNode> out) {
    if (field.in() == FieldDescription.STRUCT) {
      List<FieldNode> members = new ArrayList<>();
      boolean complete = all(field.members(), members);
      if (complete || !members.isEmpty()) {
        out.add(FieldNode.group(name, members));
      }
      return complete;
    }
    long length = field.length();
    String lengthKey = field.lengthKey();
    if (lengthKey != null) {
      length = known.getOrDefault(lengthKey, 0L);
    }
    ValueReader.Scalar scalar;
    try {
      scalar = ValueReader.read(octets, field.in(), field.shown(), length, pointer);
    } catch (PayloadReader.Ended e) {
      return false;
    }
    Long number = scalar.number();
    EventMap map = field.map();
    if (number != null) {
      known.put(field.key(), number);
    }
    String meaning = map != null && number != null ? map.meaning(number) : null;
    out.add(FieldNode.mapped(name, scalar.text(), meaning));
    return true;
  }
}
