package io.ntrail.cli.events;

import io.ntrail.analysis.etw.events.EventReader;
import io.ntrail.analysis.etw.events.ValueDescriptions;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.TextSanitizer;
import io.ntrail.formats.schema.Field;
import io.ntrail.formats.schema.OutType;
import io.ntrail.formats.schema.Payload;
import io.ntrail.formats.schema.ValueKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the fields of an event as text for people. */
final class EventFields {
  /** Elements of an array that people see. */
  private static final int SHOWN_ELEMENTS = 16;

  /** Bytes of a binary value that people see. */
  private static final int SHOWN_BYTES = 32;

  private EventFields() {}

  /**
   * {@code path=C:\shop\stock.db size=65,536}: all fields in a line, the important ones first.
   *
   * @param whole whether long arrays and bytes are written out
   */
  static String text(EventReader event, boolean whole) {
    StringBuilder text = new StringBuilder();
    Payload payload = event.payload();
    for (int i : byImportance(payload)) {
      told(text, event, payload, i, whole);
    }
    return text.toString();
  }

  /** Returns all fields with their values, a text each, the important ones first. */
  static List<String> lines(EventReader event) {
    List<String> lines = new ArrayList<>();
    Payload payload = event.payload();
    for (int i : byImportance(payload)) {
      StringBuilder line = new StringBuilder();
      told(line, event, payload, i, true);
      lines.add(line.toString());
    }
    return lines;
  }

  /**
   * Returns the fields of an event: first files and texts, then numbers and values with names, then
   * addresses and flags that mean nothing to people, and at last what is reserved.
   */
  private static List<Integer> byImportance(Payload payload) {
    List<Integer> fields = new ArrayList<>();
    for (int i = 0; i < payload.size(); i = payload.after(i)) {
      fields.add(i);
    }
    fields.sort(Comparator.comparingInt(i -> importance(payload, i)));
    return fields;
  }

  private static int importance(Payload payload, int at) {
    Field field = payload.field(at);
    if (payload.token(at) != Payload.Token.VALUE) {
      return 1;
    }
    if (field.out() == OutType.FILE_KEY || field.kind() == ValueKind.TEXT) {
      return 0;
    }
    if (field.name().startsWith("Reserved")) {
      return 3;
    }
    boolean isBare = field.kind() == ValueKind.HEX && ValueDescriptions.besideName(field) == null;
    return isBare || field.kind() == ValueKind.BINARY ? 2 : 1;
  }

  private static int told(
      StringBuilder text, EventReader event, Payload payload, int at, boolean whole) {
    Field field = payload.field(at);
    if (!text.isEmpty() && text.charAt(text.length() - 1) != '{') {
      text.append(' ');
    }
    String file = fileName(event, payload, at);
    if (file != null) {
      text.append("FileName=").append(quoted(file)).append(' ');
    }
    text.append(field.name()).append('=');
    tell(text, event, payload, at, whole);
    return payload.after(at);
  }

  /** Returns the name of the file that a key stands for, which says more than the key. */
  private static @Nullable String fileName(EventReader event, Payload payload, int at) {
    return payload.token(at) == Payload.Token.VALUE && payload.field(at).out() == OutType.FILE_KEY
        ? event.meaning(at)
        : null;
  }

  private static void tell(
      StringBuilder text, EventReader event, Payload payload, int at, boolean whole) {
    switch (payload.token(at)) {
      case VALUE -> text.append(forPeople(event, payload, at, whole));
      case STRUCT -> {
        text.append('{');
        int i = at + 1;
        while (payload.token(i) != Payload.Token.END) {
          i = told(text, event, payload, i, whole);
        }
        text.append('}');
      }
      case ARRAY -> {
        text.append('[');
        int shown = 0;
        int i = at + 1;
        for (; payload.token(i) != Payload.Token.END; i = payload.after(i)) {
          if (whole || shown < SHOWN_ELEMENTS) {
            text.append(shown == 0 ? "" : ", ");
            tell(text, event, payload, i, whole);
          }
          shown++;
        }
        if (!whole && shown > SHOWN_ELEMENTS) {
          text.append(", ... ").append(Numbers.count(shown - SHOWN_ELEMENTS)).append(" more");
        }
        text.append(']');
      }
      case END -> throw new IllegalStateException("an end without a start");
    }
  }

  private static String forPeople(EventReader event, Payload payload, int at, boolean whole) {
    Field field = payload.field(at);
    String bare =
        switch (field.kind()) {
          case SIGNED, UNSIGNED -> number(event, payload, at, field);
          case TEXT -> quoted(event.text(at));
          case BINARY -> whole ? payload.text(at) : cut(payload.text(at));
          case HEX, BOOL, REAL -> payload.text(at);
        };
    String meaning = field.out() == OutType.FILE_KEY ? null : event.meaning(at);
    return meaning == null ? bare : bare + " (" + meaning + ")";
  }

  private static String number(EventReader event, Payload payload, int at, Field field) {
    long value = payload.integer(at);
    return switch (field.out()) {
      case PID, TID, PORT -> Long.toString(value);
      case TICKS -> Numbers.seconds(event.nanosOf(value)) + " s";
      case TICKS_SPAN -> Numbers.duration(event.nanosOfSpan(value));
      default ->
          field.kind() == ValueKind.UNSIGNED ? Numbers.unsigned(value) : Numbers.count(value);
    };
  }

  private static String cut(String hex) {
    int most = 2 * SHOWN_BYTES;
    return hex.length() <= most
        ? hex
        : hex.substring(0, most) + "... " + Numbers.count(hex.length() / 2) + " bytes";
  }

  /** Texts with blanks are in quotes, and keep to their line. */
  private static String quoted(@Nullable String text) {
    String told = text == null ? "" : text;
    boolean plain = !told.isEmpty() && told.indexOf(' ') < 0 && told.indexOf('"') < 0;
    return plain && !TextSanitizer.steers(told) ? told : '"' + TextSanitizer.one(told) + '"';
  }
}
