package io.ntrail.formats.schema;

/** Payloads in a line: {@code a=1 b=[2 3] c={d=4}}, and {@code +n} for bytes that are left. */
final class Told {
  private Told() {}

  static String of(Payload payload) {
    StringBuilder text = new StringBuilder();
    int i = 0;
    while (i < payload.size()) {
      i = tell(payload, i, text, true);
    }
    if (payload.restLength() > 0) {
      text.append('+').append(payload.restLength());
    }
    return text.toString().strip();
  }

  private static int tell(Payload payload, int at, StringBuilder text, boolean named) {
    Field field = payload.field(at);
    if (named) {
      text.append(field.name()).append('=');
    }
    if (payload.token(at) == Payload.Token.VALUE) {
      text.append(payload.text(at));
    } else {
      boolean array = payload.token(at) == Payload.Token.ARRAY;
      text.append(array ? '[' : '{');
      int i = at + 1;
      while (payload.token(i) != Payload.Token.END) {
        i = tell(payload, i, text, !array);
      }
      int last = text.length() - 1;
      if (text.charAt(last) == ' ') {
        text.setLength(last);
      }
      text.append(array ? ']' : '}');
    }
    text.append(' ');
    return payload.after(at);
  }
}
