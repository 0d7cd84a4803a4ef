package io.ntrail.formats.schema;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The notation of fields in tables: {@code type name}, separated by semicolons.
 *
 * <table>
 * <caption>types</caption>
 * <tr><td>{@code i8 u8 i16 u16 i32 u32 i64 u64 f32 f64}<td>numbers
 * <tr><td>{@code x8 x16 x32 x64}<td>unsigned, shown in hexadecimal
 * <tr><td>{@code bool8 bool32}<td>truth values
 * <tr><td>{@code ptr code size xptr}<td>as wide as the writer's pointers: an address, the address of
 *     code, a number, a number in hexadecimal
 * <tr><td>{@code pid tid pidp tidp}<td>ids; {@code pidp} and {@code tidp} are as wide as a pointer
 * <tr><td>{@code guid sid wbemsid filetime systemtime}<td>what they say
 * <tr><td>{@code unixtime ticks span}<td>seconds since 1970 (32 bit), the session's clock (64 bit): a
 *     time, a duration
 * <tr><td>{@code ntstatus win32 hresult}<td>codes (32 bit)
 * <tr><td>{@code ip4 ip6 port}<td>network order
 * <tr><td>{@code astr wstr}<td>text to a NUL
 * <tr><td>{@code path filekey}<td>text to a NUL that is a path of the kernel; what the kernel
 *     knows a file by
 * <tr><td>{@code chars(N) wchars(N)}<td>text of a fixed number of characters
 * <tr><td>{@code bytes(N) bytes(FIELD) bytes(*)}<td>bytes: a number, as many as a field says, the
 *     rest
 * <tr><td>{@code pad(N) align align(N)}<td>skipped: bytes, to a multiple of the pointer width or of N
 * <tr><td>{@code {...}}<td>a structure
 * </table>
 *
 * <p>{@code name[8]}, {@code name[FIELD]}, {@code name[*]}, {@code name[/FIELD]}: an array of a
 * number, as many as an earlier field says, the rest, as many as an earlier field says where each
 * has an equal share of the rest (so that its last members may be absent). {@code name:Map}: names
 * for its values. A {@code *} before {@code pid} or {@code tid}: the process or thread that the
 * event is about.
 *
 * @param fields the fields
 * @param process index of the field with the process that the event is about; -1 if none
 * @param thread likewise the thread
 */
record FieldNotation(List<Field> fields, int process, int thread) {

  /** Source of maps by name. */
  interface Maps {
    @Nullable ValueMap get(String name);
  }

  static FieldNotation parse(String text, Maps maps) {
    return new Parser(text, maps).whole();
  }

  private static final class Parser {
    private final String text;
    private final Maps maps;
    private final Map<String, Integer> slots = new HashMap<>();
    private int at;
    private int process = -1;
    private int thread = -1;

    Parser(String text, Maps maps) {
      this.text = text;
      this.maps = maps;
    }

    FieldNotation whole() {
      List<Field> fields = fields(0);
      if (at != text.length()) {
        throw wrong("something after the end");
      }
      return new FieldNotation(fields, process, thread);
    }

    private IllegalArgumentException wrong(String what) {
      return new IllegalArgumentException(what + " at " + at + " of: " + text);
    }

    private void blanks() {
      while (at < text.length() && text.charAt(at) == ' ') {
        at++;
      }
    }

    private boolean take(char c) {
      blanks();
      if (at < text.length() && text.charAt(at) == c) {
        at++;
        return true;
      }
      return false;
    }

    private String word() {
      blanks();
      int from = at;
      while (at < text.length() && isWord(text.charAt(at))) {
        at++;
      }
      if (from == at) {
        throw wrong("a word is missing");
      }
      return text.substring(from, at);
    }

    private static boolean isWord(char c) {
      return Character.isLetterOrDigit(c) || c == '_' || c == '-';
    }

    private List<Field> fields(int depth) {
      List<Field> fields = new ArrayList<>();
      blanks();
      while (at < text.length() && text.charAt(at) != '}') {
        fields.add(field(fields.size(), depth));
        if (!take(';')) {
          break;
        }
        blanks();
      }
      // The fields that are used as lengths and counts are known only now.
      fields.replaceAll(f -> slots.containsKey(f.name()) ? f.slot(slots.get(f.name())) : f);
      return fields;
    }

    private Field field(int index, int depth) {
      if (take('{')) {
        List<Field> members = fields(depth + 1);
        if (!take('}')) {
          throw wrong("} is missing");
        }
        return suffixes(Field.struct(word(), members));
      }
      boolean subject = take('*');
      String type = word();
      LengthSpec length = take('(') ? extent(')') : LengthSpec.NONE;
      if (type.equals("pad") || type.equals("align")) {
        if (type.equals("align") && length.kind() == LengthSpec.Kind.FIXED && length.value() == 0) {
          throw wrong("nothing to align to");
        }
        return Field.of(type, type.equals("pad") ? InType.PADDING : InType.ALIGNMENT)
            .length(length);
      }
      Field field = suffixes(typed(type, word(), length));
      if (subject && depth == 0) {
        if (field.out() == OutType.PID) {
          process = index;
        } else {
          thread = index;
        }
      }
      return field;
    }

    private Field suffixes(Field bare) {
      Field field = bare;
      if (take('[')) {
        field = field.count(extent(']'));
      }
      if (take(':')) {
        String name = word();
        field =
            switch (name) {
              case "NtStatus" -> field.out(OutType.NTSTATUS);
              case "Win32Error" -> field.out(OutType.WIN32_ERROR);
              case "HResult" -> field.out(OutType.HRESULT);
              default -> {
                ValueMap map = maps.get(name);
                if (map == null) {
                  throw wrong("no map " + name);
                }
                yield field.map(map);
              }
            };
      }
      return field;
    }

    private LengthSpec extent(char close) {
      LengthSpec extent;
      if (take('*')) {
        extent = LengthSpec.REST;
      } else if (take('/')) {
        extent = LengthSpec.shares(slot(word()));
      } else {
        String word = word();
        extent =
            Character.isDigit(word.charAt(0))
                ? LengthSpec.fixed(Integer.parseInt(word))
                : LengthSpec.slot(slot(word));
      }
      if (!take(close)) {
        throw wrong(close + " is missing");
      }
      return extent;
    }

    private int slot(String field) {
      return slots.computeIfAbsent(field, f -> slots.size());
    }

    private Field typed(String type, String name, LengthSpec length) {
      return switch (type) {
        case "i8" -> Field.of(name, InType.INT8);
        case "u8" -> Field.of(name, InType.UINT8);
        case "i16" -> Field.of(name, InType.INT16);
        case "u16" -> Field.of(name, InType.UINT16);
        case "i32" -> Field.of(name, InType.INT32);
        case "u32" -> Field.of(name, InType.UINT32);
        case "i64" -> Field.of(name, InType.INT64);
        case "u64" -> Field.of(name, InType.UINT64);
        case "f32" -> Field.of(name, InType.FLOAT);
        case "f64" -> Field.of(name, InType.DOUBLE);
        case "x8" -> Field.of(name, InType.UINT8).out(OutType.HEX);
        case "x16" -> Field.of(name, InType.UINT16).out(OutType.HEX);
        case "x32" -> Field.of(name, InType.HEX_INT32);
        case "x64" -> Field.of(name, InType.HEX_INT64);
        case "bool8" -> Field.of(name, InType.BOOL8);
        case "bool32" -> Field.of(name, InType.BOOLEAN);
        case "ptr" -> Field.of(name, InType.POINTER);
        case "code" -> Field.of(name, InType.POINTER).out(OutType.CODE_POINTER);
        case "size" -> Field.of(name, InType.SIZE_T);
        case "filekey" -> Field.of(name, InType.POINTER).out(OutType.FILE_KEY);
        case "path" -> Field.of(name, InType.UNICODE_STRING).out(OutType.PATH);
        case "xptr" -> Field.of(name, InType.POINTER).out(OutType.HEX);
        case "pid" -> Field.of(name, InType.UINT32).out(OutType.PID);
        case "tid" -> Field.of(name, InType.UINT32).out(OutType.TID);
        case "pidp" -> Field.of(name, InType.POINTER).out(OutType.PID);
        case "tidp" -> Field.of(name, InType.POINTER).out(OutType.TID);
        case "guid" -> Field.of(name, InType.GUID);
        case "sid" -> Field.of(name, InType.SID);
        case "wbemsid" -> Field.of(name, InType.WBEM_SID);
        case "filetime" -> Field.of(name, InType.FILETIME);
        case "systemtime" -> Field.of(name, InType.SYSTEMTIME);
        case "unixtime" -> Field.of(name, InType.UINT32).out(OutType.UNIX_TIME);
        case "ticks" -> Field.of(name, InType.UINT64).out(OutType.TICKS);
        case "span" -> Field.of(name, InType.UINT64).out(OutType.TICKS_SPAN);
        case "ntstatus" -> Field.of(name, InType.UINT32).out(OutType.NTSTATUS);
        case "win32" -> Field.of(name, InType.UINT32).out(OutType.WIN32_ERROR);
        case "hresult" -> Field.of(name, InType.UINT32).out(OutType.HRESULT);
        case "ip4" -> Field.of(name, InType.UINT32).out(OutType.IPV4);
        case "ip6" -> Field.of(name, InType.BINARY).out(OutType.IPV6).length(LengthSpec.fixed(16));
        case "port" -> Field.of(name, InType.UINT16).out(OutType.PORT);
        case "astr" -> Field.of(name, InType.ANSI_STRING);
        case "wstr" -> Field.of(name, InType.UNICODE_STRING);
        case "chars" -> Field.of(name, InType.ANSI_STRING).length(length);
        case "wchars" -> Field.of(name, InType.UNICODE_STRING).length(length);
        case "bytes" -> Field.of(name, InType.BINARY).length(length);
        default -> throw wrong("no type " + type);
      };
    }
  }
}
