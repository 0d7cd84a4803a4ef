package io.ntrail.formats.schema;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One field of a schema. Immutable. */
public final class Field {
  private final String name;
  private final InType in;
  private final OutType out;
  private final LengthSpec length;
  private final LengthSpec count;
  private final int slot;
  private final @Nullable ValueMap map;
  private final List<Field> members;
  private final ValueKind kind;
  private final boolean isWord;
  private final boolean isCounted;

  /** Made when it is first needed; threads that make it twice make the same. */
  private @Nullable String textName;

  private Field(
      String name,
      InType in,
      OutType out,
      LengthSpec length,
      LengthSpec count,
      int slot,
      @Nullable ValueMap map,
      List<Field> members) {
    this.name = name;
    this.in = in;
    this.out = out;
    this.length = length;
    this.count = count;
    this.slot = slot;
    this.map = map;
    this.members = List.copyOf(members);
    this.kind = kindOf(in, out);
    this.isWord = in.isInteger() && out != OutType.PORT && isNumber(kind);
    this.isCounted = isCounted(in, length);
  }

  /** A single value that is shown by its in type. */
  public static Field of(String name, InType in) {
    return new Field(
        name, in, OutType.DEFAULT, LengthSpec.NONE, LengthSpec.NONE, -1, null, List.of());
  }

  /** A structure. */
  public static Field struct(String name, List<Field> members) {
    return new Field(
        name, InType.STRUCT, OutType.DEFAULT, LengthSpec.NONE, LengthSpec.NONE, -1, null, members);
  }

  /** Returns the field with another name. */
  public Field named(String newName) {
    return new Field(newName, in, out, length, count, slot, map, members);
  }

  /** Returns the field with another out type. */
  public Field out(OutType newOut) {
    return new Field(name, in, newOut, length, count, slot, map, members);
  }

  /** Returns the field with a length: characters of UTF-16 text, else bytes. */
  public Field length(LengthSpec newLength) {
    return new Field(name, in, out, newLength, count, slot, map, members);
  }

  /** Returns the field as an array. */
  public Field count(LengthSpec newCount) {
    return new Field(name, in, out, length, newCount, slot, map, members);
  }

  /** Returns the field with its value kept in a slot for the lengths and counts of later fields. */
  public Field slot(int newSlot) {
    return new Field(name, in, out, length, count, newSlot, map, members);
  }

  /** Returns the field with names for its values. */
  public Field map(@Nullable ValueMap newMap) {
    return new Field(name, in, out, length, count, slot, newMap, members);
  }

  /** Returns the field with other members. */
  public Field members(List<Field> newMembers) {
    return new Field(name, in, out, length, count, slot, map, newMembers);
  }

  /** Its name. */
  public String name() {
    return name;
  }

  /** Returns the name of the text beside its value: {@code StatusText} for {@code Status}. */
  public String textName() {
    String known = textName;
    if (known == null) {
      known = name + "Text";
      textName = known;
    }
    return known;
  }

  /** Returns the in type: how it is stored. */
  public InType in() {
    return in;
  }

  /** Returns the out type: its meaning. */
  public OutType out() {
    return out;
  }

  /** Returns its length, where the in type leaves that open. */
  public LengthSpec length() {
    return length;
  }

  /** Returns the number of its elements; {@link LengthSpec#NONE} for a single one. */
  public LengthSpec count() {
    return count;
  }

  /** Returns the slot of its value for later fields; -1 if no field uses it. */
  public int slot() {
    return slot;
  }

  /** Names for its values. */
  public @Nullable ValueMap map() {
    return map;
  }

  /** Members of a structure. */
  public List<Field> members() {
    return members;
  }

  /** Returns the kind of its value, or of each of its values. */
  public ValueKind kind() {
    return kind;
  }

  private static boolean isNumber(ValueKind kind) {
    return kind == ValueKind.SIGNED || kind == ValueKind.UNSIGNED || kind == ValueKind.HEX;
  }

  /** Returns true if a value is the number that its bytes are, the first one lowest. */
  public boolean isWord() {
    return isWord;
  }

  /**
   * Returns true if the recording says how long each value is, by a number before it or in another
   * field: a text of it may have a NUL inside.
   */
  boolean isCounted() {
    return isCounted;
  }

  private static boolean isCounted(InType in, LengthSpec length) {
    return switch (in) {
      case COUNTED_STRING, COUNTED_ANSI, COUNTED_BINARY, HEX_DUMP -> true;
      case REVERSED_COUNTED_STRING, REVERSED_COUNTED_ANSI -> true;
      case UNICODE_STRING, ANSI_STRING, BINARY -> length.kind() == LengthSpec.Kind.SLOT;
      default -> false;
    };
  }

  /** Returns true for arrays of numbers one behind the other that no other field needs. */
  boolean isRowOfWords() {
    return isWord && isArray() && slot < 0 && !isHidden() && count.kind() != LengthSpec.Kind.SHARES;
  }

  /** Returns true if it is an array. */
  public boolean isArray() {
    return count.kind() != LengthSpec.Kind.NONE;
  }

  /**
   * Returns true if it is never shown: padding, alignment and what a manifest marks as not printed.
   */
  public boolean isHidden() {
    return in == InType.PADDING || in == InType.ALIGNMENT || out == OutType.NO_PRINT;
  }

  private static ValueKind kindOf(InType in, OutType out) {
    return switch (in) {
      case NULL, PADDING, ALIGNMENT, STRUCT -> ValueKind.TEXT;
      case UNICODE_STRING, ANSI_STRING, COUNTED_STRING, COUNTED_ANSI -> ValueKind.TEXT;
      case REVERSED_COUNTED_STRING, REVERSED_COUNTED_ANSI -> ValueKind.TEXT;
      case UNTERMINATED_STRING, UNTERMINATED_ANSI -> ValueKind.TEXT;
      case UNICODE_CHAR, ANSI_CHAR -> ValueKind.TEXT;
      case GUID, FILETIME, SYSTEMTIME, SID, WBEM_SID -> ValueKind.TEXT;
      case FLOAT, DOUBLE -> ValueKind.REAL;
      case BOOLEAN, BOOL8 ->
          out == OutType.HEX
              ? ValueKind.HEX
              : out == OutType.UNSIGNED || out == OutType.SIGNED
                  ? ValueKind.UNSIGNED
                  : ValueKind.BOOL;
      case BINARY, HEX_DUMP, COUNTED_BINARY ->
          switch (out) {
            case IPV4, IPV6, SOCKET_ADDRESS, STRING, UTF8, XML, JSON -> ValueKind.TEXT;
            default -> ValueKind.BINARY;
          };
      case POINTER, HEX_INT32, HEX_INT64 ->
          switch (out) {
            case UNSIGNED, PID, TID, TICKS, TICKS_SPAN -> ValueKind.UNSIGNED;
            case SIGNED -> ValueKind.SIGNED;
            case IPV4, DATE_TIME -> ValueKind.TEXT;
            default -> ValueKind.HEX;
          };
      case INT8, INT16, INT32, INT64 -> ofInteger(in, out, ValueKind.SIGNED);
      case UINT8, UINT16, UINT32, UINT64, SIZE_T -> ofInteger(in, out, ValueKind.UNSIGNED);
    };
  }

  private static ValueKind ofInteger(InType in, OutType out, ValueKind otherwise) {
    return switch (out) {
      case HEX, CODE_POINTER -> ValueKind.HEX;
      case BOOLEAN -> ValueKind.BOOL;
      case STRING ->
          in == InType.INT8 || in == InType.UINT8 || in == InType.INT16 || in == InType.UINT16
              ? ValueKind.TEXT
              : otherwise;
      case IPV4 -> in == InType.UINT32 || in == InType.INT32 ? ValueKind.TEXT : otherwise;
      case DATE_TIME -> in == InType.UINT64 || in == InType.INT64 ? ValueKind.TEXT : otherwise;
      case PORT, PID, TID, UNSIGNED -> ValueKind.UNSIGNED;
      case SIGNED -> ValueKind.SIGNED;
      default -> otherwise;
    };
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Field f
        && name.equals(f.name)
        && in == f.in
        && out == f.out
        && length.equals(f.length)
        && count.equals(f.count)
        && slot == f.slot
        && Objects.equals(map, f.map)
        && members.equals(f.members);
  }

  @Override
  public int hashCode() {
    return Objects.hash(name, in, out, length, count, slot, members);
  }

  @Override
  public String toString() {
    return in + " " + name + (isArray() ? "[]" : "") + (members.isEmpty() ? "" : members);
  }
}
