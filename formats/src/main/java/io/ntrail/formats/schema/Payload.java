package io.ntrail.formats.schema;

import io.ntrail.formats.bytes.Bytes;
import java.util.Arrays;

/**
 * One payload, taken apart: a tape of tokens in the order of the bytes. A token is a value, or
 * begins an array or a structure, or ends one. Values are not made but found: the accessors read
 * them out of the window when they are requested. Used again for one payload after the other; one
 * thread at a time.
 *
 * <p>A payload that ends early is not an error: it has the fields that fit ({@link #isShort()}).
 * What is left behind the last field is {@link #restLength()}.
 */
public final class Payload {
  /** Kinds of tokens. */
  public enum Token {
    /** A value. */
    VALUE,
    /** Begins an array, whose elements follow. */
    ARRAY,
    /** Begins a structure, whose members follow. */
    STRUCT,
    /** Ends what was begun last. */
    END
  }

  /** Steps beyond those that the bytes can account for: fields and elements without any bytes. */
  private static final int FREE_STEPS = 1 << 12;

  private static final Bytes NOTHING = Bytes.copyOf(new byte[0], "nothing");
  private static final Field END_FIELD = Field.of("", InType.NULL);

  private Bytes bytes = NOTHING;
  private int start;
  private int end;
  private int pointerBytes = 8;
  private int stopped;
  private boolean isShort;

  private int steps;
  private int limit;
  private Schema.Tape own = new Schema.Tape();
  private Schema.Tape tape = own;
  private long[] slots = new long[16];

  /** Empty until {@link #read}. */
  public Payload() {}

  /**
   * Takes a payload apart.
   *
   * @param at where it begins in the window
   * @param length its bytes
   * @param pointerBytes width of its writer's pointers, 4 or 8
   */
  public void read(Schema schema, Bytes window, int at, int length, int pointerBytes) {
    this.bytes = window;
    this.start = at;
    this.end = at + length;
    this.pointerBytes = pointerBytes;
    this.isShort = false;
    Schema.Tape known = schema.tape(pointerBytes);
    if (known != null && known.bytes <= length) {
      tape = known;
      stopped = at + known.bytes;
      return;
    }
    tape = own;
    tape.rows.clear();
    this.steps = 0;
    this.limit = FREE_STEPS + 4 * length + 4 * schema.fieldCount();
    if (slots.length < schema.slots()) {
      slots = new long[schema.slots()];
    }
    Arrays.fill(slots, 0, schema.slots(), 0);
    stopped = at;
    stopped = members(schema.fields(), at);
    if (known == null && !isShort && schema.isFixed()) {
      // All others of its type are the same.
      own.bytes = stopped - at;
      own.rows.trim();
      schema.keepTape(pointerBytes, own);
      own = new Schema.Tape();
    }
  }

  private int members(java.util.List<Field> members, int from) {
    int at = from;
    for (int i = 0; i < members.size() && !isShort; i++) {
      Field field = members.get(i);
      at = field.isArray() ? array(field, at) : one(field, at);
    }
    return at;
  }

  private int array(Field field, int from) {
    int at = from;
    long count =
        switch (field.count().kind()) {
          case FIXED -> field.count().value();
          case SLOT, SHARES -> slots[field.count().value()];
          case REST, NONE -> Long.MAX_VALUE;
          case PREFIX16 -> {
            if (at + 2 > end) {
              isShort = true;
              yield 0;
            }
            at += 2;
            yield bytes.u16(at - 2);
          }
        };
    if (isShort) {
      return at;
    }
    boolean rest = field.count().kind() == LengthSpec.Kind.REST;
    int opened = tape.rows.rows();
    add(Token.ARRAY, field, at, 0);
    if (field.count().kind() == LengthSpec.Kind.SHARES) {
      at = shares(field, at, count);
      tape.lengths.set(opened, at - from);
      add(Token.END, END_FIELD, at, 0);
      return at;
    }
    if (field.isRowOfWords()) {
      at = words(field, at, count, rest);
      count = 0;
    }
    for (long i = 0; i < count && !isShort; i++) {
      int before = at;
      if (rest && at >= end) {
        break;
      }
      at = one(field, at);
      if (rest && (at == before || isShort)) {
        // What is too short for one more element is left as rest.
        isShort = false;
        break;
      }
    }
    tape.lengths.set(opened, at - from);
    add(Token.END, END_FIELD, at, 0);
    return at;
  }

  /** Numbers in a row, as many as there are bytes for: what {@link #one} does for each of them. */
  private int words(Field field, int from, long count, boolean rest) {
    int size = field.in().size(pointerBytes);
    int fit = Math.max(0, Math.min((end - from) / size, limit - steps));
    int found = Math.clamp(count, 0, fit);
    int row = tape.rows.add(found);
    int at = from;
    for (int i = row; i < row + found; i++) {
      tape.tokens.set(i, Token.VALUE);
      tape.fields.set(i, field);
      tape.offsets.set(i, at - start);
      tape.lengths.set(i, size);
      at += size;
    }
    steps += found;
    if (found < count && !(rest && at >= end)) {
      steps++;
      isShort = !rest;
    }
    return at;
  }

  /** Elements with equal shares of the rest: what an element has fewer, all of them have fewer. */
  private int shares(Field field, int from, long count) {
    int whole = end;
    int at = from;
    if (count < 0 || count > whole - from) {
      return tooShort(at);
    }
    int share = count == 0 ? 0 : (whole - from) / (int) count;
    for (long i = 0; i < count && !isShort; i++) {
      end = at + share;
      one(field, at);
      // An older element ends early; a newer one has members that are not known.
      isShort = steps > limit;
      at = end;
    }
    end = whole;
    return at;
  }

  private int one(Field field, int at) {
    if (++steps > limit) {
      return tooShort(at);
    }
    InType in = field.in();
    if (in == InType.STRUCT) {
      add(Token.STRUCT, field, at, 0);
      int after = members(field.members(), at);
      add(Token.END, END_FIELD, after, 0);
      return after;
    }
    int length = in.size(pointerBytes);
    if (length < 0) {
      return variable(field, at);
    }
    if (length > end - at) {
      isShort = true;
      return at;
    }
    if (field.slot() >= 0) {
      slots[field.slot()] = ValueFormatter.integer(bytes, field.in(), at, pointerBytes);
    }
    if (field.isHidden()) {
      return at + length;
    }
    add(Token.VALUE, field, at, length);
    return at + length;
  }

  private int variable(Field field, int at) {
    int left = end - at;
    return switch (field.in()) {
      case UNICODE_STRING -> {
        if (field.length().kind() != LengthSpec.Kind.NONE) {
          yield sized(field, at, 2 * extent(field.length(), left));
        }
        if (left < 2) {
          yield tooShort(at);
        }
        int length = 2 * bytes.utf16Length(at, end);
        add(Token.VALUE, field, at, length);
        // Half a character at the end belongs to the text that was cut, not to the next field.
        yield Math.min(end, at + length + 2);
      }
      case ANSI_STRING -> {
        if (field.length().kind() != LengthSpec.Kind.NONE) {
          yield sized(field, at, extent(field.length(), left));
        }
        if (left == 0) {
          yield tooShort(at);
        }
        int length = bytes.byteStringLength(at, end);
        add(Token.VALUE, field, at, length);
        yield Math.min(end, at + length + 1);
      }
      case BINARY, PADDING -> {
        long length =
            field.length().kind() == LengthSpec.Kind.NONE
                ? field.out() == OutType.IPV6 ? 16 : left
                : extent(field.length(), left);
        yield sized(field, at, length);
      }
      case ALIGNMENT -> {
        int to =
            field.length().kind() == LengthSpec.Kind.FIXED ? field.length().value() : pointerBytes;
        int past = (at - start) % to;
        yield sized(field, at, past == 0 ? 0 : to - past);
      }
      case SID -> {
        if (left < 8) {
          yield tooShort(at);
        }
        yield sized(field, at, 8 + 4 * bytes.u8(at + 1));
      }
      case WBEM_SID -> tokenUser(field, at, left);
      case COUNTED_STRING, COUNTED_ANSI, COUNTED_BINARY -> {
        if (left < 2) {
          yield tooShort(at);
        }
        yield sized(field, at + 2, bytes.u16(at));
      }
      case REVERSED_COUNTED_STRING, REVERSED_COUNTED_ANSI -> {
        if (left < 2) {
          yield tooShort(at);
        }
        yield sized(field, at + 2, bytes.u8(at) << 8 | bytes.u8(at + 1));
      }
      case UNTERMINATED_STRING, UNTERMINATED_ANSI -> sized(field, at, left);
      case HEX_DUMP -> {
        if (left < 4) {
          yield tooShort(at);
        }
        yield sized(field, at + 4, bytes.u32(at));
      }
      default -> sized(field, at, 0);
    };
  }

  /**
   * A TOKEN_USER: without a SID it is four zero bytes. Some writers leave the pointer zero although
   * a SID follows; its revision and count decide.
   */
  private int tokenUser(Field field, int at, int left) {
    int sid = 2 * pointerBytes;
    boolean follows = left >= sid + 8 && bytes.u8(at + sid) == 1 && bytes.u8(at + sid + 1) <= 15;
    if (follows && left < sid + 8 + 4 * bytes.u8(at + sid + 1)) {
      follows = false;
    }
    if (left >= 4 && bytes.i32(at) == 0 && !follows) {
      // There is no SID: a value of no bytes.
      add(Token.VALUE, field, at + 4, 0);
      return at + 4;
    }
    if (left < sid + 8) {
      return tooShort(at);
    }
    return sized(field, at + sid, 8 + 4 * bytes.u8(at + sid + 1));
  }

  private long extent(LengthSpec extent, int left) {
    return switch (extent.kind()) {
      case FIXED -> extent.value();
      case SLOT, SHARES -> Math.max(0, slots[extent.value()]);
      case REST, NONE, PREFIX16 -> left;
    };
  }

  private int sized(Field field, int at, long length) {
    if (length < 0 || length > end - at) {
      return tooShort(at);
    }
    if (!field.isHidden()) {
      add(Token.VALUE, field, at, (int) length);
    }
    return at + (int) length;
  }

  private int tooShort(int at) {
    isShort = true;
    return at;
  }

  private void add(Token token, Field field, int at, int length) {
    int row = tape.rows.add();
    tape.tokens.set(row, token);
    tape.fields.set(row, field);
    tape.offsets.set(row, at - start);
    tape.lengths.set(row, length);
  }

  /** Number of tokens. */
  public int size() {
    return tape.rows.rows();
  }

  /** Returns the kind of token {@code i}. */
  public Token token(int i) {
    return tape.tokens.get(i);
  }

  /** The field of a value, of an array (whose values have it, too) or of a structure. */
  public Field field(int i) {
    return tape.fields.get(i);
  }

  /**
   * Returns true if all payloads of its schema that have all fields, with pointers of this width,
   * have these tokens, with the same lengths and at the same distances from {@link #begin}.
   */
  public boolean isFixed() {
    return tape != own;
  }

  /** Returns the width of its writer's pointers, 4 or 8. */
  public int pointerBytes() {
    return pointerBytes;
  }

  /** Returns the start of the payload in the window. */
  public int begin() {
    return start;
  }

  /** Returns the start of the bytes of token {@code i} in the window. */
  public int offset(int i) {
    return start + tape.offsets.get(i);
  }

  /** Bytes of value {@code i}, or of array {@code i} with a count before its elements. */
  public int length(int i) {
    return tape.lengths.get(i);
  }

  /** Returns true if it ended before all fields were read. */
  public boolean isShort() {
    return isShort;
  }

  /** Returns the start in the window of the bytes that no field describes. */
  public int restOffset() {
    return stopped;
  }

  /** Bytes that no field describes. */
  public int restLength() {
    return end - stopped;
  }

  /** The window that it was read from. */
  public Bytes bytes() {
    return bytes;
  }

  /** The token after the one at {@code i} with all that it contains. */
  public int after(int i) {
    if (tape.tokens.get(i) == Token.VALUE || tape.tokens.get(i) == Token.END) {
      return i + 1;
    }
    int depth = 1;
    int at = i + 1;
    while (depth > 0) {
      depth += tape.tokens.get(at) == Token.END ? -1 : tape.tokens.get(at) == Token.VALUE ? 0 : 1;
      at++;
    }
    return at;
  }

  /**
   * The top-level token of a field, by its name in any case.
   *
   * @return -1 if the payload has none
   */
  public int find(String name) {
    for (int i = 0; i < size(); i = after(i)) {
      if (tape.fields.get(i).name().equalsIgnoreCase(name)) {
        return i;
      }
    }
    return -1;
  }

  /** Value {@code i} as a number: integers, addresses, truth values (0 or 1), points in time. */
  public long integer(int i) {
    Field field = tape.fields.get(i);
    if (field.isWord()) {
      int unused = Long.SIZE - Byte.SIZE * tape.lengths.get(i);
      long word = bytes.word(offset(i), tape.lengths.get(i)) << unused;
      return field.kind() == ValueKind.SIGNED ? word >> unused : word >>> unused;
    }
    if (field.out() == OutType.PORT && field.in().size(pointerBytes) == 2) {
      return (long) bytes.u8(offset(i)) << 8 | bytes.u8(offset(i) + 1);
    }
    if (tape.lengths.get(i) == 0) {
      return 0;
    }
    long value = ValueFormatter.integer(bytes, field.in(), offset(i), pointerBytes);
    ValueKind kind = field.kind();
    if (tape.lengths.get(i) >= 8 || kind != ValueKind.HEX && kind != ValueKind.UNSIGNED) {
      return kind == ValueKind.SIGNED ? ValueFormatter.signed(value, tape.lengths.get(i)) : value;
    }
    // What is stored with a sign and shown without it has the bits of its width only.
    return value & (1L << 8 * tape.lengths.get(i)) - 1;
  }

  /**
   * Returns the elements of array {@code i} whose values are the numbers that their bytes are, one
   * behind the other from {@link #offset} on; -1 for other arrays.
   */
  public int words(int i) {
    Field field = tape.fields.get(i);
    if (!field.isRowOfWords()) {
      return -1;
    }
    int prefix = field.count().kind() == LengthSpec.Kind.PREFIX16 ? 2 : 0;
    return (tape.lengths.get(i) - prefix) / field.in().size(pointerBytes);
  }

  /** Value {@code i} as a number with a fraction. */
  public double real(int i) {
    return switch (tape.fields.get(i).in()) {
      case FLOAT -> Float.intBitsToFloat(bytes.i32(offset(i)));
      case DOUBLE -> Double.longBitsToDouble(bytes.i64(offset(i)));
      default -> integer(i);
    };
  }

  /** Value {@code i} as a truth value. */
  public boolean bool(int i) {
    return integer(i) != 0;
  }

  /**
   * Value {@code i} as text: strings as they are, GUIDs, SIDs, addresses and times in their usual
   * form, numbers in decimal or with {@code 0x}, bytes in hexadecimal.
   */
  public String text(int i) {
    int at = offset(i);
    int length = tape.lengths.get(i);
    Field field = tape.fields.get(i);
    return switch (field.kind()) {
      case SIGNED -> Long.toString(integer(i));
      case UNSIGNED -> Long.toUnsignedString(integer(i));
      case HEX -> "0x" + Long.toHexString(integer(i));
      case BOOL -> Boolean.toString(bool(i));
      case REAL ->
          field.in() == InType.FLOAT ? Float.toString((float) real(i)) : Double.toString(real(i));
      case BINARY -> ValueFormatter.hex(bytes, at, length);
      case TEXT -> ValueFormatter.text(bytes, field, at, length);
    };
  }
}
