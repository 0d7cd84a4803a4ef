package io.ntrail.analysis.etw.events;

import io.ntrail.analysis.etw.events.FilterExpression.Form;
import io.ntrail.analysis.etw.events.FilterExpression.Kind;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.schema.Field;
import io.ntrail.formats.schema.InType;
import io.ntrail.formats.schema.OutType;
import io.ntrail.formats.schema.Payload;
import io.ntrail.formats.schema.ValueKind;
import java.util.Collections;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The values of an event by name, for conditions and for counting by a field. */
final class EventValues implements FilterExpression.Values {
  /** Before the name of a field that has the name of a value of the event itself. */
  static final String FIELDS = "fields.";

  /** Names of values of the event itself, whatever fields it has. */
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

  /** Values that tell whose event it is. */
  static final Set<String> OF_OWNERS = ofAnyCase("pid", "tid", "process");

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
    if (OWN.contains(name)) {
      return own(name);
    }
    FilterExpression.Value field = field(name);
    String bare = bare(name);
    return field != null || bare.equals(name) ? field : field(bare);
  }

  /** Returns the name of a field without what says that it is one. */
  static String bare(String name) {
    return name.regionMatches(true, 0, FIELDS, 0, FIELDS.length())
        ? name.substring(FIELDS.length())
        : name;
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

  /** The text or time beside a value, under the name that it has on the screen and in JSON. */
  private FilterExpression.@Nullable Value beside(Payload payload, String name) {
    for (int i = 0; i < payload.size(); i = payload.after(i)) {
      if (payload.token(i) == Payload.Token.VALUE) {
        Field field = payload.field(i);
        if (name.equalsIgnoreCase(ValueDescriptions.besideName(field))) {
          return text(event.meaning(i));
        }
        if (name.equalsIgnoreCase(ValueDescriptions.nanosName(field))) {
          return number(nanos(event, field, payload.integer(i)));
        }
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
    Field field = payload.field(token);
    String type = field.in().name();
    String meaning = event.meaning(token);
    boolean named = ValueDescriptions.hasText(field);
    return switch (field.kind()) {
      case SIGNED, UNSIGNED, HEX -> integer(event, token, type, meaning, named);
      case BOOL ->
          new FilterExpression.Value(
              Kind.FLAG,
              type,
              payload.text(token),
              meaning,
              named,
              payload.integer(token),
              Form.UNSIGNED,
              0,
              0);
      case REAL ->
          new FilterExpression.Value(
              Kind.NUMBER,
              type,
              payload.text(token),
              meaning,
              named,
              payload.integer(token),
              field.in() == InType.FLOAT ? Form.FLOAT : Form.OTHER,
              payload.real(token),
              0);
      case TEXT, BINARY -> text(type, event.text(token), meaning);
    };
  }

  private static FilterExpression.Value integer(
      EventReader event, int token, String type, @Nullable String meaning, boolean named) {
    Payload payload = event.payload();
    Field field = payload.field(token);
    long bits = payload.integer(token);
    boolean unsigned = field.kind() != ValueKind.SIGNED;
    boolean isTicks = ValueDescriptions.isTicks(field);
    long nanos = isTicks ? nanos(event, field, bits) : 0;
    return new FilterExpression.Value(
        isTicks ? Kind.TICKS : Kind.NUMBER,
        type,
        payload.text(token),
        meaning,
        named,
        bits,
        unsigned
            ? Form.UNSIGNED
            : Form.signed(payload.length(token), ValueDescriptions.isStatus(field)),
        unsigned && bits < 0 ? bits + 0x1p64 : (double) bits,
        nanos);
  }

  private static long nanos(EventReader event, Field field, long ticks) {
    return field.out() == OutType.TICKS ? event.nanosOf(ticks) : event.nanosOfSpan(ticks);
  }

  private FilterExpression.@Nullable Value own(String name) {
    RecordCursor record = event.record();
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "pid" -> id(event.processId());
      case "tid" -> id(event.threadId());
      case "cpu" -> number(record.cpu());
      case "time" -> {
        long nanos = event.nanos();
        double seconds = nanos / 1e9;
        yield new FilterExpression.Value(
            Kind.TIME,
            "a time",
            Double.toString(seconds),
            null,
            false,
            (long) seconds,
            Form.OTHER,
            seconds,
            nanos);
      }
      case "process" -> text(event.process());
      case "provider" -> text(event.type().provider());
      case "event" -> text(event.type().event());
      case "id" -> number(event.type().id());
      case "level" ->
          record.kind().isEvent() || record.kind().isClassic() ? number(record.level()) : null;
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
    return new FilterExpression.Value(
        Kind.NUMBER, "a number", Long.toString(value), null, false, value, Form.SIGNED64, value, 0);
  }

  private static FilterExpression.@Nullable Value text(@Nullable String text) {
    return text == null ? null : text("a text", text, null);
  }

  private static FilterExpression.Value text(String type, String text, @Nullable String meaning) {
    return new FilterExpression.Value(
        Kind.TEXT, type, text, meaning, meaning != null, 0, Form.OTHER, 0, 0);
  }
}
