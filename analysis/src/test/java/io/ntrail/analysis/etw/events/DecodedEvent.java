package io.ntrail.analysis.etw.events;

import io.ntrail.formats.schema.Field;
import io.ntrail.formats.schema.InType;
import io.ntrail.formats.schema.OutType;
import io.ntrail.formats.schema.Payload;
import io.ntrail.testkit.baseline.DecodedValue;
import java.util.Map;
import java.util.TreeMap;

/**
 * The fields of an event by name (in any case), with their meanings and with paths as the program
 * shows them, for the comparison with baselines. Members of structures and elements of arrays are
 * named by their path: {@code Values[0].TypeID}; an array of one element also goes by its bare
 * name, an empty one is {@link DecodedValue.Nothing}.
 */
final class DecodedEvent {
  private DecodedEvent() {}

  static Map<String, DecodedValue> fields(EventReader event) {
    Map<String, DecodedValue> fields = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    Payload payload = event.payload();
    for (int i = 0; i < payload.size(); i = payload.after(i)) {
      put(event, payload, i, payload.field(i).name(), fields);
    }
    return fields;
  }

  private static void put(
      EventReader event, Payload payload, int at, String path, Map<String, DecodedValue> fields) {
    switch (payload.token(at)) {
      case VALUE -> fields.put(path, value(event, payload, at));
      case STRUCT -> {
        for (int i = at + 1; payload.token(i) != Payload.Token.END; i = payload.after(i)) {
          put(event, payload, i, path + "." + payload.field(i).name(), fields);
        }
      }
      case ARRAY -> {
        int element = 0;
        for (int i = at + 1; payload.token(i) != Payload.Token.END; i = payload.after(i)) {
          put(event, payload, i, path + "[" + element++ + "]", fields);
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

  private static DecodedValue value(EventReader event, Payload payload, int at) {
    Field field = payload.field(at);
    return switch (field.kind()) {
      case SIGNED, UNSIGNED, HEX, BOOL ->
          new DecodedValue.Whole(payload.integer(at), payload.length(at), event.meaning(at));
      case REAL -> new DecodedValue.Fraction(payload.real(at));
      case BINARY -> new DecodedValue.Text(event.text(at));
      case TEXT ->
          field.in() == InType.FILETIME
                  || field.in() == InType.SYSTEMTIME
                  || field.out() == OutType.DATE_TIME
              ? new DecodedValue.Time(payload.integer(at))
              : new DecodedValue.Text(event.text(at));
    };
  }
}
