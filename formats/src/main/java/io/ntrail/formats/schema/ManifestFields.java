package io.ntrail.formats.schema;

import io.ntrail.formats.schema.ManifestReader.RawField;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The fields of one template of a manifest. */
final class ManifestFields {
  private final Map<String, ValueMap> maps;
  private final ManifestProviders.Problems problems;
  private int slots;

  /** Set where a member of a structure could not be read: nothing after it can be found. */
  private boolean broken;

  ManifestFields(Map<String, ValueMap> maps, ManifestProviders.Problems problems) {
    this.maps = maps;
    this.problems = problems;
  }

  /** Fields that later ones may name, and the slots of those that were named. */
  private static final class Scope {
    final @Nullable Scope outer;
    final Map<String, Integer> indexes = new HashMap<>();
    final Map<Integer, Integer> slots = new HashMap<>();

    Scope(@Nullable Scope outer) {
      this.outer = outer;
    }
  }

  /** The fields up to the first that cannot be read, which is a problem. */
  List<Field> fields(List<RawField> raw) {
    List<Field> fields = new ArrayList<>();
    add(fields, raw, null, 0);
    return fields;
  }

  private void add(List<Field> fields, List<RawField> raw, @Nullable Scope outer, int depth) {
    Scope scope = new Scope(outer);
    for (RawField field : raw) {
      Field made = field(field, scope, depth);
      if (made == null) {
        broken = true;
        break;
      }
      scope.indexes.putIfAbsent(field.name(), fields.size());
      fields.add(made);
      if (broken) {
        break;
      }
    }
    // The fields that are used as lengths and counts are known only now.
    scope.slots.forEach((index, slot) -> fields.set(index, fields.get(index).slot(slot)));
  }

  private @Nullable Field field(RawField raw, Scope scope, int depth) {
    LengthSpec count = extent(raw, raw.count(), scope);
    LengthSpec length = extent(raw, raw.length(), scope);
    if (count == null || length == null) {
      return null;
    }
    List<RawField> rawMembers = raw.members();
    if (rawMembers != null) {
      if (depth == Schema.MAX_DEPTH) {
        problems.add(raw.line(), "structures nested deeper than " + Schema.MAX_DEPTH);
        return null;
      }
      List<Field> members = new ArrayList<>();
      add(members, rawMembers, scope, depth + 1);
      return Field.struct(raw.name(), members).count(count);
    }
    InType in = inType(raw.in());
    if (in == null) {
      problems.add(raw.line(), "field " + raw.name() + " is of unknown type " + raw.in());
      return null;
    }
    boolean sized = in == InType.UNICODE_STRING || in == InType.ANSI_STRING || in == InType.BINARY;
    String mapName = raw.map();
    ValueMap map = mapName == null ? null : maps.get(mapName.strip());
    if (mapName != null && map == null) {
      problems.add(raw.line(), "no map " + mapName);
    }
    return Field.of(raw.name(), in)
        .out(outType(raw.out()))
        .count(count)
        .length(sized ? length : LengthSpec.NONE)
        .map(map);
  }

  /** A number, or the name of a field before it; null if it is neither. */
  private @Nullable LengthSpec extent(RawField raw, @Nullable String text, Scope scope) {
    if (text == null || text.isBlank()) {
      return LengthSpec.NONE;
    }
    String name = text.strip();
    for (Scope s = scope; s != null; s = s.outer) {
      Integer index = s.indexes.get(name);
      if (index != null) {
        return LengthSpec.slot(s.slots.computeIfAbsent(index, i -> slots++));
      }
    }
    try {
      int number = Integer.decode(name);
      if (number >= 0) {
        return LengthSpec.fixed(number);
      }
    } catch (NumberFormatException e) {
      // Told below, like a negative number.
    }
    problems.add(raw.line(), "field " + raw.name() + " depends on " + name + ", which is unknown");
    return null;
  }

  private static String local(String name) {
    String stripped = name.strip();
    return stripped.substring(stripped.indexOf(':') + 1).toLowerCase(Locale.ROOT);
  }

  private static @Nullable InType inType(@Nullable String name) {
    if (name == null) {
      return null;
    }
    return switch (local(name)) {
      case "unicodestring" -> InType.UNICODE_STRING;
      case "ansistring" -> InType.ANSI_STRING;
      case "int8" -> InType.INT8;
      case "uint8" -> InType.UINT8;
      case "int16" -> InType.INT16;
      case "uint16" -> InType.UINT16;
      case "int32" -> InType.INT32;
      case "uint32" -> InType.UINT32;
      case "int64" -> InType.INT64;
      case "uint64" -> InType.UINT64;
      case "float" -> InType.FLOAT;
      case "double" -> InType.DOUBLE;
      case "boolean" -> InType.BOOLEAN;
      case "binary" -> InType.BINARY;
      case "guid" -> InType.GUID;
      case "pointer" -> InType.POINTER;
      case "filetime" -> InType.FILETIME;
      case "systemtime" -> InType.SYSTEMTIME;
      case "sid" -> InType.SID;
      case "hexint32" -> InType.HEX_INT32;
      case "hexint64" -> InType.HEX_INT64;
      case "countedunicodestring" -> InType.COUNTED_STRING;
      case "countedansistring" -> InType.COUNTED_ANSI;
      case "countedbinary" -> InType.COUNTED_BINARY;
      default -> null;
    };
  }

  private static OutType outType(@Nullable String name) {
    if (name == null) {
      return OutType.DEFAULT;
    }
    return switch (local(name)) {
      case "string" -> OutType.STRING;
      case "datetime", "cimdatetime", "etwtime" -> OutType.DATE_TIME;
      case "datetimecultureinsensitive", "datetimeutc" -> OutType.DATE_TIME;
      case "byte", "short", "int", "long" -> OutType.SIGNED;
      case "unsignedbyte", "unsignedshort", "unsignedint", "unsignedlong" -> OutType.UNSIGNED;
      case "boolean" -> OutType.BOOLEAN;
      case "hexbinary" -> OutType.HEX_BINARY;
      case "hexint8", "hexint16", "hexint32", "hexint64" -> OutType.HEX;
      case "pid" -> OutType.PID;
      case "tid" -> OutType.TID;
      case "port" -> OutType.PORT;
      case "ipv4" -> OutType.IPV4;
      case "ipv6" -> OutType.IPV6;
      case "socketaddress" -> OutType.SOCKET_ADDRESS;
      case "xml" -> OutType.XML;
      case "json" -> OutType.JSON;
      case "utf8" -> OutType.UTF8;
      case "errorcode", "win32error" -> OutType.WIN32_ERROR;
      case "ntstatus" -> OutType.NTSTATUS;
      case "hresult" -> OutType.HRESULT;
      case "codepointer" -> OutType.CODE_POINTER;
      case "noprint" -> OutType.NO_PRINT;
      default -> OutType.DEFAULT;
    };
  }
}
