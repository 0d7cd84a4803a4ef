package io.ntrail.analysis.probe.etw;

import io.ntrail.analysis.etw.events.EventReader;
import io.ntrail.analysis.etw.events.ValueDescriptions;
import io.ntrail.analysis.probe.engine.Fault;
import io.ntrail.analysis.probe.engine.FieldReference;
import io.ntrail.analysis.probe.types.Type;
import io.ntrail.analysis.probe.types.Types;
import io.ntrail.formats.schema.Field;
import io.ntrail.formats.schema.InType;
import io.ntrail.formats.schema.OutType;
import io.ntrail.formats.schema.Payload;
import io.ntrail.formats.schema.Schema;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Fields of events as programs see them: numbers and strings, and beside some the text or the
 * nanoseconds that `events` prints there. Lists and structures are left out.
 */
final class ProbeFields {
  private ProbeFields() {}

  /** Returns the type of {@code args[0]} of events. */
  static Type.Fields of(String event, @Nullable Schema schema) {
    List<Type.Fields.Field> fields = new ArrayList<>();
    Set<String> taken = new HashSet<>();
    if (schema != null) {
      for (Field field : schema.fields()) {
        if (isOne(field)) {
          add(fields, taken, field.name(), typeOf(field));
        }
      }
      for (Field field : schema.fields()) {
        if (isOne(field)) {
          beside(fields, taken, field);
        }
      }
    }
    return new Type.Fields(event, fields);
  }

  private static void beside(List<Type.Fields.Field> fields, Set<String> taken, Field field) {
    String text = ValueDescriptions.besideName(field);
    if (text != null) {
      add(fields, taken, text, Types.TEXT);
    }
    String nanos = ValueDescriptions.nanosName(field);
    if (nanos != null) {
      add(fields, taken, nanos, Types.INT64);
    }
  }

  private static void add(
      List<Type.Fields.Field> fields, Set<String> taken, String name, Type type) {
    if (taken.add(name.toLowerCase(Locale.ROOT))) {
      fields.add(new Type.Fields.Field(name, type));
    }
  }

  private static boolean isOne(Field field) {
    return !field.isArray() && !field.isHidden() && field.in() != InType.STRUCT;
  }

  private static Type typeOf(Field field) {
    return switch (field.kind()) {
      case SIGNED, UNSIGNED, HEX, BOOL -> integral(field);
      case REAL, TEXT, BINARY -> Types.TEXT;
    };
  }

  private static Type.Integral integral(Field field) {
    boolean isSigned =
        switch (field.kind()) {
          case SIGNED, BOOL -> true;
          default -> false;
        };
    int size = field.in().size(8);
    int bytes = size == 1 || size == 2 || size == 4 ? size : 8;
    return new Type.Integral((isSigned ? "int" : "uint") + 8 * bytes + "_t", bytes, isSigned);
  }

  /** Returns the token of a field; -1 if the event does not have it. */
  private static int token(Payload payload, FieldReference field, Schema schema) {
    if (field.isOf(schema)) {
      int at = field.place();
      if (at < payload.size()
          && payload.token(at) == Payload.Token.VALUE
          && payload.field(at).name().equals(field.name())) {
        return at;
      }
    }
    int at = payload.find(field.name());
    if (at >= 0 && payload.token(at) == Payload.Token.VALUE) {
      field.keep(schema, at);
      return at;
    }
    return -1;
  }

  /** Returns a number of an event. */
  static long number(EventReader event, FieldReference field) {
    Schema schema = event.type().schema();
    if (schema != null) {
      Payload payload = event.payload();
      int token = token(payload, field, schema);
      if (token >= 0) {
        return payload.integer(token);
      }
      for (int i = 0; i < payload.size(); i = payload.after(i)) {
        if (payload.token(i) == Payload.Token.VALUE
            && field.name().equals(ValueDescriptions.nanosName(payload.field(i)))) {
          long ticks = payload.integer(i);
          return payload.field(i).out() == OutType.TICKS
              ? event.nanosOf(ticks)
              : event.nanosOfSpan(ticks);
        }
      }
    }
    throw new Fault(Fault.Kind.ILLOP, 0);
  }

  /** Returns a string of an event; null if a value has no text. */
  static @Nullable String text(EventReader event, FieldReference field) {
    Schema schema = event.type().schema();
    if (schema != null) {
      Payload payload = event.payload();
      int token = token(payload, field, schema);
      if (token >= 0) {
        return event.text(token);
      }
      for (int i = 0; i < payload.size(); i = payload.after(i)) {
        if (payload.token(i) == Payload.Token.VALUE
            && field.name().equals(ValueDescriptions.besideName(payload.field(i)))) {
          return event.meaning(i);
        }
      }
    }
    throw new Fault(Fault.Kind.ILLOP, 0);
  }
}
