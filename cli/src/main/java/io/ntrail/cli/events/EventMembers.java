package io.ntrail.cli.events;

import io.ntrail.analysis.etw.events.EventReader;
import io.ntrail.analysis.etw.events.EventType;
import io.ntrail.analysis.etw.events.ValueDescriptions;
import io.ntrail.cli.text.Json;
import io.ntrail.formats.schema.Field;
import io.ntrail.formats.schema.InType;
import io.ntrail.formats.schema.OutType;
import io.ntrail.formats.schema.Payload;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes the fields of events as members of an object of JSON. The names of the members are made
 * once for each type of event, since looking them up took longer than writing the values.
 */
final class EventMembers {
  /** Types whose names of members are kept. */
  private static final int MOST_TYPES = 1 << 12;

  /** Tokens of a payload whose names are kept; long arrays of structures have more. */
  private static final int MOST_TOKENS = 1 << 8;

  /**
   * Names of the members of a field.
   *
   * @param key its own
   * @param nanos of its nanoseconds; null: it has none
   * @param meaning of the text beside a value, or of the texts beside an array; null: it has none
   */
  private record Names(
      Field field, Json.Key key, Json.@Nullable Key nanos, Json.@Nullable Key meaning) {
    static Names of(Field field, EventType type) {
      boolean isArray = field.isArray();
      String meaning = ValueDescriptions.besideName(field);
      if (isArray) {
        meaning = field.map() == null ? null : field.textName();
      }
      String nanos = isArray ? null : ValueDescriptions.nanosName(field);
      return new Names(field, new Json.Key(field.name()), free(nanos, type), free(meaning, type));
    }

    private static Json.@Nullable Key free(@Nullable String name, EventType type) {
      return name == null || type.takenNames().contains(name) ? null : new Json.Key(name);
    }
  }

  /** Names by the place of a token, which has the same field in almost all events of a type. */
  private static final class TypeNames {
    private @Nullable Names[] names = new Names[16];

    // Fields that are equal but not the same are looked up anew, which is right, too.
    @SuppressWarnings("ReferenceEquality")
    Names at(int token, Field field, EventType type) {
      Names known = token < names.length ? names[token] : null;
      return known != null && known.field == field ? known : learn(token, field, type);
    }

    private Names learn(int token, Field field, EventType type) {
      Names made = Names.of(field, type);
      if (token < MOST_TOKENS) {
        if (token >= names.length) {
          names = Arrays.copyOf(names, MOST_TOKENS);
        }
        names[token] = made;
      }
      return made;
    }
  }

  private final Map<EventType, TypeNames> types = new HashMap<>();
  private @Nullable EventType lastType;
  private TypeNames names = new TypeNames();

  EventMembers() {}

  /** Writes all fields as members of the object at hand. */
  void write(Json json, EventReader event) {
    Payload payload = event.payload();
    if (payload.size() == 0) {
      return;
    }
    EventType type = event.type();
    if (type != lastType) {
      TypeNames known = types.get(type);
      names = known == null ? learn(type) : known;
      lastType = type;
    }
    int i = 0;
    while (i < payload.size()) {
      i = member(json, event, payload, i);
    }
  }

  private TypeNames learn(EventType type) {
    if (types.size() == MOST_TYPES) {
      types.clear();
    }
    TypeNames made = new TypeNames();
    types.put(type, made);
    return made;
  }

  private int member(Json json, EventReader event, Payload payload, int at) {
    Field field = payload.field(at);
    Names of = names.at(at, field, event.type());
    json.key(of.key);
    if (payload.token(at) == Payload.Token.VALUE) {
      scalar(json, event, payload, at);
      beside(json, event, payload, at, of);
      return at + 1;
    }
    value(json, event, payload, at);
    if (payload.token(at) == Payload.Token.ARRAY && of.meaning != null) {
      json.key(of.meaning).array();
      for (int i = at + 1; payload.token(i) != Payload.Token.END; i = payload.after(i)) {
        json.text(event.meaning(i));
      }
      json.endArray();
    }
    return payload.after(at);
  }

  /** Writes the meaning of a value beside its number, under a key of its own. */
  private static void beside(Json json, EventReader event, Payload payload, int at, Names of) {
    if (of.nanos != null) {
      long ticks = payload.integer(at);
      boolean point = of.field.out() == OutType.TICKS;
      json.key(of.nanos).number(point ? event.nanosOf(ticks) : event.nanosOfSpan(ticks));
    }
    if (of.meaning != null) {
      String meaning = event.meaning(at);
      if (meaning != null) {
        json.key(of.meaning).name(meaning);
      }
    }
  }

  private void value(Json json, EventReader event, Payload payload, int at) {
    switch (payload.token(at)) {
      case VALUE -> scalar(json, event, payload, at);
      case STRUCT -> {
        json.object();
        int i = at + 1;
        while (payload.token(i) != Payload.Token.END) {
          i = member(json, event, payload, i);
        }
        json.endObject();
      }
      case ARRAY -> {
        json.array();
        for (int i = at + 1; payload.token(i) != Payload.Token.END; i = payload.after(i)) {
          value(json, event, payload, i);
        }
        json.endArray();
      }
      case END -> throw new IllegalStateException("an end without a start");
    }
  }

  private static void scalar(Json json, EventReader event, Payload payload, int at) {
    Field field = payload.field(at);
    switch (field.kind()) {
      case SIGNED -> json.number(payload.integer(at));
      case UNSIGNED -> json.unsigned(payload.integer(at));
      case HEX -> json.hex(payload.integer(at));
      case BOOL -> json.bool(payload.bool(at));
      case REAL -> {
        if (field.in() == InType.FLOAT) {
          json.real((float) payload.real(at));
        } else {
          json.real(payload.real(at));
        }
      }
      case BINARY -> json.text(payload.text(at));
      case TEXT -> json.text(isAbsent(payload, at, field) ? null : event.text(at));
    }
  }

  /** A SID that is not there is not "". */
  private static boolean isAbsent(Payload payload, int at, Field field) {
    return payload.length(at) == 0 && field.in() == InType.WBEM_SID;
  }
}
