package io.ntrail.formats.dump.streams;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.dump.Minidump;
import io.ntrail.formats.dump.StreamType;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Crash keys of Kasko: what SyzyAsan knows about an error of memory. The stream is a value of
 * protocol buffers: a leaf, a list or a dictionary of values. Here it is flat, with keys as {@code
 * block-info.header}.
 */
public final class KaskoCrashKeys {
  private static final int MOST_DEPTH = 16;
  private static final int MOST_KEYS = 1 << 12;
  private static final int MOST_FRAMES = 256;

  private static final int VARINT = 0;
  private static final int FIXED64 = 1;
  private static final int LENGTH = 2;
  private static final int FIXED32 = 5;

  private final Map<String, String> keys = new LinkedHashMap<>();

  private KaskoCrashKeys() {}

  /** Returns the keys of a dump in their order; empty if it has none. */
  public static Map<String, String> of(Minidump dump) {
    KaskoCrashKeys reader = new KaskoCrashKeys();
    dump.read(
        StreamType.KASKO_CRASH_KEYS,
        0,
        bytes -> {
          reader.value("", bytes, 0);
          return 0;
        });
    return reader.keys;
  }

  /** A field of a message. */
  private record Field(int number, int wire, long value, Bytes bytes) {}

  /** Goes over the fields of a message. */
  private static final class Message {
    private final Bytes bytes;
    private int at;

    Message(Bytes bytes) {
      this.bytes = bytes;
    }

    boolean hasNext() {
      return at < bytes.length();
    }

    Field next() {
      long key = varint();
      int wire = (int) key & 7;
      int number = (int) (key >>> 3);
      Bytes none = bytes.slice(0, 0);
      return switch (wire) {
        case VARINT -> new Field(number, wire, varint(), none);
        case FIXED64 -> new Field(number, wire, bytes.i64(skip(8)), none);
        case FIXED32 -> new Field(number, wire, bytes.u32(skip(4)), none);
        case LENGTH -> {
          long length = varint();
          if (length < 0 || length > bytes.length() - at) {
            throw damaged("a field of " + length + " bytes");
          }
          yield new Field(number, wire, 0, bytes.slice(skip((int) length), (int) length));
        }
        default -> throw damaged("a field of wire type " + wire);
      };
    }

    private int skip(int length) {
      int from = at;
      at += length;
      return from;
    }

    long varint() {
      long value = 0;
      for (int shift = 0; shift < 64; shift += 7) {
        int next = bytes.u8(at++);
        value |= (long) (next & 0x7F) << shift;
        if (next < 0x80) {
          return value;
        }
      }
      throw damaged("a number of more than 64 bits");
    }

    private DamagedInput damaged(String what) {
      return new DamagedInput(bytes.name(), bytes.base() + at, what);
    }
  }

  /** A value: type 1, leaf 3, list 4, dictionary 5. */
  private void value(String path, Bytes bytes, int depth) {
    if (depth > MOST_DEPTH) {
      throw new DamagedInput(bytes.name(), bytes.base(), "values are nested too deeply");
    }
    Message message = new Message(bytes);
    while (message.hasNext()) {
      Field field = message.next();
      switch (field.number) {
        case 3 -> put(path, leaf(field.bytes));
        case 4 -> list(path, field.bytes, depth);
        case 5 -> dictionary(path, field.bytes, depth);
        default -> {}
      }
    }
  }

  private void put(String path, String value) {
    if (keys.size() < MOST_KEYS) {
      keys.put(path, value);
    }
  }

  private void list(String path, Bytes bytes, int depth) {
    Message message = new Message(bytes);
    for (int i = 0; message.hasNext(); i++) {
      value(path + "[" + i + "]", message.next().bytes, depth + 1);
    }
  }

  private void dictionary(String path, Bytes bytes, int depth) {
    Message message = new Message(bytes);
    while (message.hasNext()) {
      Message entry = new Message(message.next().bytes);
      String key = "";
      Bytes value = bytes.slice(0, 0);
      while (entry.hasNext()) {
        Field field = entry.next();
        if (field.number == 1) {
          key = text(field.bytes);
        } else if (field.number == 2) {
          value = field.bytes;
        }
      }
      value(path.isEmpty() ? key : path + "." + key, value, depth + 1);
    }
  }

  /** A leaf: integer 2, unsigned 3, real 4, text 5, address 6, stack 7, blob 8. */
  private static String leaf(Bytes bytes) {
    Message message = new Message(bytes);
    String text = "";
    while (message.hasNext()) {
      Field field = message.next();
      text =
          switch (field.number) {
            case 2 -> Long.toString(field.value);
            case 3 -> Long.toUnsignedString(field.value);
            case 4 -> Double.toString(Double.longBitsToDouble(field.value));
            case 5 -> text(field.bytes);
            case 6 -> address(field.bytes);
            case 7 -> stack(field.bytes);
            case 8 -> field.bytes.length() + " bytes";
            default -> text;
          };
    }
    return text;
  }

  private static String text(Bytes bytes) {
    return new String(bytes.array(0, bytes.length()), StandardCharsets.UTF_8);
  }

  private static String address(Bytes bytes) {
    Message message = new Message(bytes);
    return message.hasNext() ? hex(message.next().value) : "";
  }

  private static String stack(Bytes bytes) {
    Message message = new Message(bytes);
    StringBuilder frames = new StringBuilder();
    int count = 0;
    while (message.hasNext() && count < MOST_FRAMES) {
      Message packed = new Message(message.next().bytes);
      while (packed.hasNext() && count < MOST_FRAMES) {
        frames.append(count++ == 0 ? "" : " ").append(hex(packed.varint()));
      }
    }
    return frames.toString();
  }

  private static String hex(long value) {
    return "0x" + Long.toHexString(value);
  }
}
