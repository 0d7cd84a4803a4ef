package io.ntrail.analysis.etw.events;

import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.schema.Payload;
import java.util.Collections;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The values of an event by name, for conditions and for counting by a field. */
final class EventValues implements FilterExpression.Values {
  /** Names that every event has, unless a field of its own has them. */
  static final Set<String> OWN =
      ofAnyCase(
          "pid",
          "tid",
          "cpu",
          "time",
          "process",
          "provider",
          "event",
          "id",
          "level",
          "opcode",
          "version",
          "dataLength");

  private final EventReader event;

  EventValues(EventReader event) {
    this.event = event;
  }

  private static Set<String> ofAnyCase(String... names) {
    Set<String> set = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    Collections.addAll(set, names);
    return Collections.unmodifiableSet(set);
  }

  @Override
  public FilterExpression.@Nullable Value value(String name) {
    FilterExpression.Value field = field(name);
    return field == null ? own(name) : field;
  }

  private FilterExpression.@Nullable Value field(String name) {
    Payload payload = event.payload();
    int token = payload.find(name);
    if (token < 0) {
      int dot = name.indexOf('.');
      if (dot > 0) {
        token = member(payload, payload.find(name.substring(0, dot)), name.substring(dot + 1));
      }
    }
    if (token < 0) {
      return beside(payload, name);
    }
    return payload.token(token) == Payload.Token.VALUE ? of(event, token) : null;
  }

  /** The text beside a value, under the name that it has on the screen and in JSON. */
  private FilterExpression.@Nullable Value beside(Payload payload, String name) {
    for (int i = 0; i < payload.size(); i = payload.after(i)) {
      if (payload.token(i) == Payload.Token.VALUE
          && name.equalsIgnoreCase(ValueDescriptions.besideName(payload.field(i)))) {
        return text(event.meaning(i));
      }
    }
    return null;
  }

  private static int member(Payload payload, int struct, String path) {
    if (struct < 0 || payload.token(struct) != Payload.Token.STRUCT) {
      return -1;
    }
    for (int i = struct + 1; payload.token(i) != Payload.Token.END; i = payload.after(i)) {
      String name = payload.field(i).name();
      if (name.equalsIgnoreCase(path)) {
        return i;
      }
      if (path.length() > name.length()
          && path.charAt(name.length()) == '.'
          && path.regionMatches(true, 0, name, 0, name.length())) {
        return member(payload, i, path.substring(name.length() + 1));
      }
    }
    return -1;
  }

  private static FilterExpression.Value of(EventReader event, int token) {
    Payload payload = event.payload();
    String meaning = event.meaning(token);
    return switch (payload.field(token).kind()) {
      case SIGNED ->
          new FilterExpression.Value(
              payload.text(token),
              meaning,
              true,
              payload.integer(token),
              false,
              payload.integer(token));
      case UNSIGNED, HEX -> unsigned(payload.text(token), meaning, payload.integer(token));
      case BOOL ->
          new FilterExpression.Value(
              payload.text(token), meaning, false, payload.integer(token), true, 0);
      case REAL ->
          new FilterExpression.Value(
              payload.text(token),
              meaning,
              true,
              payload.integer(token),
              false,
              payload.real(token));
      case TEXT, BINARY ->
          new FilterExpression.Value(event.text(token), meaning, false, 0, false, 0);
    };
  }

  private static FilterExpression.Value unsigned(String text, @Nullable String meaning, long bits) {
    return new FilterExpression.Value(
        text, meaning, true, bits, true, bits >= 0 ? (double) bits : bits + 0x1p64);
  }

  private FilterExpression.@Nullable Value own(String name) {
    RecordCursor record = event.record();
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "pid" -> id(event.processId());
      case "tid" -> id(event.threadId());
      case "cpu" -> number(record.cpu());
      case "time" -> {
        double seconds = event.nanos() / 1e9;
        yield new FilterExpression.Value(
            Double.toString(seconds), null, true, (long) seconds, false, seconds);
      }
      case "process" -> text(event.process());
      case "provider" -> text(event.type().provider());
      case "event" -> text(event.type().event());
      case "id" -> number(event.type().id());
      case "level" -> number(record.level());
      case "opcode" -> number(event.type().opcode());
      case "version" -> number(event.type().version());
      case "datalength" -> number(record.payloadLength());
      default -> null;
    };
  }

  private static FilterExpression.@Nullable Value id(int id) {
    return id == RecordCursor.NO_ID ? null : number(id & 0xFFFF_FFFFL);
  }

  private static FilterExpression.Value number(long value) {
    return new FilterExpression.Value(Long.toString(value), null, true, value, false, value);
  }

  private static FilterExpression.@Nullable Value text(@Nullable String text) {
    return text == null ? null : new FilterExpression.Value(text, null, false, 0, false, 0);
  }
}
