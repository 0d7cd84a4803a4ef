package io.ntrail.formats.schema;

import io.ntrail.testkit.baseline.DecodedValue;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The fields of a payload by name, for the comparison with baselines. Members of structures and
 * elements of arrays are named by their path: {@code Values[0].TypeID}; an array of one element
 * also goes by its bare name, an empty one is {@link DecodedValue.Nothing}.
 */
final class DecodedFields {
  private DecodedFields() {}

  static Map<String, DecodedValue> of(Payload payload) {
    Map<String, DecodedValue> fields = new LinkedHashMap<>();
    for (int i = 0; i < payload.size(); i = payload.after(i)) {
      put(payload, i, payload.field(i).name(), fields);
    }
    return fields;
  }

  private static void put(Payload payload, int at, String path, Map<String, DecodedValue> fields) {
    switch (payload.token(at)) {
      case VALUE -> fields.put(path, value(payload, at));
      case STRUCT -> {
        for (int i = at + 1; payload.token(i) != Payload.Token.END; i = payload.after(i)) {
          put(payload, i, path + "." + payload.field(i).name(), fields);
        }
      }
      case ARRAY -> {
        int element = 0;
        for (int i = at + 1; payload.token(i) != Payload.Token.END; i = payload.after(i)) {
          put(payload, i, path + "[" + element++ + "]", fields);
        }
        DecodedValue first = fields.get(path + "[0]");
        if (element == 0) {
          fields.put(path, new DecodedValue.Nothing());
        } else if (element == 1 && first != null) {
          fields.put(path, first);
        }
      }
      case END -> throw new AssertionError();
    }
  }

  private static DecodedValue value(Payload payload, int at) {
    Field field = payload.field(at);
    return switch (field.kind()) {
      case SIGNED, UNSIGNED, HEX, BOOL -> {
        long value = payload.integer(at);
        ValueMap map = field.map();
        yield new DecodedValue.Whole(
            value, payload.length(at), map == null ? null : map.text(value));
      }
      case REAL -> new DecodedValue.Fraction(payload.real(at));
      case BINARY -> new DecodedValue.Text(payload.text(at));
      case TEXT ->
          field.in() == InType.FILETIME
                  || field.in() == InType.SYSTEMTIME
                  || field.out() == OutType.DATE_TIME
              ? new DecodedValue.Time(payload.integer(at))
              : new DecodedValue.Text(payload.text(at));
    };
  }
}
