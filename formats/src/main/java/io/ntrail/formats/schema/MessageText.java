package io.ntrail.formats.schema;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The sentence that the writer of an event wants people to read, with the values of a payload in
 * it. Immutable; made once for a schema.
 *
 * <p>In manifests {@code %1} is the first top-level field, {@code %1!x!} the same in the format of
 * printf, {@code %%} a percent sign, {@code %n}, {@code %r} and {@code %t} are line ends and tabs,
 * {@code %b} is a blank; {@code %0} ends the message. In software tracing (TMF) arguments begin at
 * {@code %10}, {@code %1} to {@code %9} and {@code %!NAME!} are facts about the record, and {@code
 * %0} is nothing. What has no value stays as it is written.
 */
public final class MessageText {
  /** Of a filled message: many inserts may repeat a long value. */
  private static final int MAX_CHARS = 1 << 17;

  private static final int WPP_FIRST = 10;

  /** A stretch of text, the number of a field (from 0), or the name of a fact. */
  private record Part(
      String text, int field, @Nullable String reserved, @Nullable PrintfConversion format) {}

  /** Facts about a record that messages of software tracing may mention. */
  @FunctionalInterface
  public interface Reserved {
    /**
     * One fact.
     *
     * @param name {@code 1} name of the component, {@code 2} source and line, {@code 3} thread,
     *     {@code 4} time, {@code 5} kernel time, {@code 6} user time, {@code 7} sequence number,
     *     {@code 8} process, {@code 9} processor; {@code FUNC}, {@code LEVEL}, {@code FLAGS} and
     *     other names
     * @return null if it is not known
     */
    @Nullable String text(String name);
  }

  private final List<Field> fields;
  private final List<Part> parts;

  private MessageText(List<Field> fields, List<Part> parts) {
    this.fields = fields;
    this.parts = List.copyOf(parts);
  }

  /** The message of a schema; null if it has none. */
  public static @Nullable MessageText of(Schema schema) {
    String message = schema.message();
    return message == null
        ? null
        : new MessageText(
            schema.fields(), new Parser(message, schema.source() == SchemaSource.TMF).parts());
  }

  private static final class Parser {
    private final String text;
    private final boolean wpp;
    private final List<Part> parts = new ArrayList<>();
    private final StringBuilder plain = new StringBuilder();
    private int at;

    Parser(String text, boolean wpp) {
      this.text = text;
      this.wpp = wpp;
    }

    List<Part> parts() {
      boolean goesOn = true;
      while (goesOn && at < text.length()) {
        char c = text.charAt(at++);
        if (c != '%' || at == text.length()) {
          plain.append(c);
        } else {
          goesOn = escape();
        }
      }
      flush();
      return parts;
    }

    private void flush() {
      if (!plain.isEmpty()) {
        parts.add(new Part(plain.toString(), -1, null, null));
        plain.setLength(0);
      }
    }

    /** Reads the escape after a percent sign; returns false if it ends the message. */
    private boolean escape() {
      int from = at - 1;
      char c = text.charAt(at++);
      switch (c) {
        case '%' -> plain.append('%');
        case 'n' -> plain.append('\n');
        case 'r' -> plain.append('\r');
        case 't' -> plain.append('\t');
        case 'b' -> plain.append(' ');
        case '0' -> {
          return wpp;
        }
        case '1', '2', '3', '4', '5', '6', '7', '8', '9' -> insert(from, c - '0');
        case '!' -> {
          int close = wpp ? text.indexOf('!', at) : -1;
          if (close < 0) {
            plain.append(wpp ? "%!" : "!");
          } else {
            flush();
            parts.add(
                new Part(text.substring(from, close + 1), -1, text.substring(at, close), null));
            at = close + 1;
          }
        }
        default -> plain.append('%').append(c);
      }
      return true;
    }

    private void insert(int from, int first) {
      int number = first;
      while (at < text.length() && number < 1000 && Character.digit(text.charAt(at), 10) >= 0) {
        number = 10 * number + Character.digit(text.charAt(at++), 10);
      }
      PrintfConversion format = null;
      if (at < text.length() && text.charAt(at) == '!') {
        int close = text.indexOf('!', at + 1);
        format = close < 0 ? null : PrintfConversion.parse(text.substring(at + 1, close));
        if (format != null) {
          at = close + 1;
        }
      }
      flush();
      String written = text.substring(from, at);
      if (!wpp) {
        parts.add(new Part(written, number - 1, null, format));
      } else if (number < WPP_FIRST) {
        parts.add(new Part(written, -1, Integer.toString(number), null));
      } else {
        parts.add(new Part(written, number - WPP_FIRST, null, format));
      }
    }
  }

  /** The message with the values of a payload that was read with the schema. */
  public String fill(Payload payload) {
    return fill(payload, name -> null);
  }

  /** Returns the message filled with values of a payload and facts about the record. */
  public String fill(Payload payload, Reserved reserved) {
    int[] tokens = tokens(payload);
    StringBuilder text = new StringBuilder();
    for (Part part : parts) {
      String fact = part.reserved() == null ? null : reserved.text(part.reserved());
      int token = part.field() >= 0 && part.field() < tokens.length ? tokens[part.field()] : -1;
      if (fact != null) {
        text.append(fact);
      } else if (token < 0) {
        text.append(part.text());
      } else if (payload.token(token) == Payload.Token.VALUE && part.format() != null) {
        text.append(part.format().text(payload, token));
      } else {
        value(payload, token, text);
      }
      if (text.length() > MAX_CHARS) {
        text.setLength(MAX_CHARS);
        return text.append("...").toString();
      }
    }
    return text.toString();
  }

  /**
   * The token of every top-level field, by their unique names; -1 for those that are hidden or did
   * not fit.
   */
  private int[] tokens(Payload payload) {
    int[] tokens = new int[fields.size()];
    int token = 0;
    for (int i = 0; i < tokens.length; i++) {
      String name = fields.get(i).name();
      boolean here = token < payload.size() && payload.field(token).name().equals(name);
      tokens[i] = here ? token : -1;
      token = here ? payload.after(token) : token;
    }
    return tokens;
  }

  /** A value, {@code a, b} for arrays, {@code {x=a, y=b}} for structures. */
  private static void value(Payload payload, int token, StringBuilder text) {
    if (payload.token(token) == Payload.Token.VALUE) {
      text.append(valueText(payload, token));
      return;
    }
    boolean struct = payload.token(token) == Payload.Token.STRUCT;
    text.append(struct ? "{" : "");
    boolean first = true;
    int i = token + 1;
    while (payload.token(i) != Payload.Token.END && text.length() <= MAX_CHARS) {
      text.append(first ? "" : ", ");
      if (struct) {
        text.append(payload.field(i).name()).append('=');
      }
      value(payload, i, text);
      first = false;
      i = payload.after(i);
    }
    text.append(struct ? "}" : "");
  }

  /**
   * A value as people read it: the name that its map gives it, else {@link Payload#text}; pointers
   * in decimal, as the messages have them that other readers of manifests print.
   */
  static String valueText(Payload payload, int token) {
    Field field = payload.field(token);
    if (field.in() == InType.POINTER && field.map() == null) {
      return Long.toUnsignedString(payload.integer(token));
    }
    ValueMap map = field.map();
    String named = map != null && field.in().isInteger() ? map.text(payload.integer(token)) : null;
    return named == null ? payload.text(token) : named;
  }
}
