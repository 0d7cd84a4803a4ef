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
 * nanoseconds that `events` prints there. Of a list, NAME_count is the number of elements.
 */
final class ProbeFields {
  /** End of the name of the field that counts the elements of a list. */
  private static final String COUNT = "_count";

  /** Structures that lie in each other at most. */
  private static final int MOST_DEPTH = 16;

  private ProbeFields() {}

  /** Returns the type of {@code args[0]} of events. */
  static Type.Fields of(String event, @Nullable Schema schema) {
    List<Type.Fields.Field> fields = new ArrayList<>();
    Set<String> taken = new HashSet<>();
    if (schema != null) {
      addAll(fields, taken, schema.fields(), 0);
      for (Field field : schema.fields()) {
        if (isOne(field)) {
          beside(fields, taken, field);
        }
      }
    }
    return new Type.Fields(event, fields);
  }

  private static void addAll(
      List<Type.Fields.Field> fields, Set<String> taken, List<Field> all, int depth) {
    for (Field field : all) {
      if (!field.isHidden()) {
        add(fields, taken, field.name(), typeOf(field, depth));
      }
    }
    for (Field field : all) {
      if (!field.isHidden() && field.isArray()) {
        add(fields, taken, field.name() + COUNT, Types.UINT32);
      }
    }
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

  private static Type typeOf(Field field, int depth) {
    Type one;
    if (field.in() != InType.STRUCT) {
      one = typeOf(field);
    } else {
      List<Type.Fields.Field> members = new ArrayList<>();
      if (depth < MOST_DEPTH) {
        addAll(members, new HashSet<>(), field.members(), depth + 1);
      }
      one = new Type.Fields(field.name(), members);
    }
    return field.isArray() ? new Type.Elements(one) : one;
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

  /** Returns the token that the steps of a field lead to; -1 if the event does not have it. */
  private static int inner(Payload payload, FieldReference field) {
    int at = payload.find(field.name());
    int elements = 0;
    for (String step : field.steps()) {
      if (at < 0) {
        return -1;
      }
      at =
          step.equals(FieldReference.ELEMENT)
              ? element(payload, at, field.index(elements++))
              : member(payload, at, step);
    }
    return at;
  }

  private static int element(Payload payload, int array, long index) {
    if (payload.token(array) != Payload.Token.ARRAY || index < 0) {
      return -1;
    }
    int at = array + 1;
    for (long i = 0; i < index && isInside(payload, at); i++) {
      at = payload.after(at);
    }
    return isInside(payload, at) ? at : -1;
  }

  private static int member(Payload payload, int structure, String name) {
    if (payload.token(structure) != Payload.Token.STRUCT) {
      return -1;
    }
    for (int at = structure + 1; isInside(payload, at); at = payload.after(at)) {
      if (payload.field(at).name().equals(name)) {
        return at;
      }
    }
    return -1;
  }

  private static boolean isInside(Payload payload, int at) {
    return at < payload.size() && payload.token(at) != Payload.Token.END;
  }

  /** Returns how many elements a list has; -1 if it is none. */
  private static long count(Payload payload, int array) {
    if (array < 0 || payload.token(array) != Payload.Token.ARRAY) {
      return -1;
    }
    long count = 0;
    for (int at = array + 1; isInside(payload, at); at = payload.after(at)) {
      count++;
    }
    return count;
  }

  /** Returns a number in a structure or list of an event. */
  private static long innerNumber(EventReader event, FieldReference field) {
    Payload payload = event.payload();
    boolean isCount = field.steps().getLast().equals(FieldReference.COUNT);
    if (isCount) {
      List<String> before = field.steps().subList(0, field.steps().size() - 1);
      FieldReference list = new FieldReference(field.argument(), field.name(), before);
      long count = count(payload, inner(payload, list.like(field)));
      if (count >= 0) {
        return count;
      }
    } else {
      int token = inner(payload, field);
      if (token >= 0 && payload.token(token) == Payload.Token.VALUE) {
        return payload.integer(token);
      }
    }
    throw new Fault(Fault.Kind.ILLOP, 0);
  }

  /** Returns a number of an event. */
  static long number(EventReader event, FieldReference field) {
    Schema schema = event.type().schema();
    if (schema != null && !field.steps().isEmpty()) {
      return innerNumber(event, field);
    }
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
      boolean isInner = !field.steps().isEmpty();
      int token = isInner ? inner(payload, field) : token(payload, field, schema);
      if (token >= 0 && payload.token(token) == Payload.Token.VALUE) {
        return event.text(token);
      }
      if (isInner) {
        throw new Fault(Fault.Kind.ILLOP, 0);
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
