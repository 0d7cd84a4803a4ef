package io.ntrail.formats.pdb.codeview;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.pdb.codeview.TypeTable.TypeRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Types as text, in the style of undecorated names: {@code char const *}. Layouts: cvinfo.h, the
 * structures lfModifier, lfPointer and so on; of the newer classes, which cvinfo.h does not have,
 * as the public readers of PDBs know them. The length of a text is bounded whatever the records
 * contain.
 */
public final class TypeNames {
  private static final int LF_MODIFIER = 0x1001;
  private static final int LF_POINTER = 0x1002;
  private static final int LF_PROCEDURE = 0x1008;
  private static final int LF_MFUNCTION = 0x1009;
  private static final int LF_ARGLIST = 0x1201;
  private static final int LF_BITFIELD = 0x1205;
  private static final int LF_ARRAY = 0x1503;
  private static final int LF_CLASS = 0x1504;
  private static final int LF_STRUCTURE = 0x1505;
  private static final int LF_UNION = 0x1506;
  private static final int LF_ENUM = 0x1507;
  private static final int LF_ALIAS = 0x150A;
  private static final int LF_INTERFACE = 0x1519;
  private static final int LF_CLASS2 = 0x1608;
  private static final int LF_STRUCTURE2 = 0x1609;
  private static final int LF_INTERFACE2 = 0x160B;
  private static final int LF_FUNC_ID = 0x1601;
  private static final int LF_MFUNC_ID = 0x1602;
  private static final int LF_STRING_ID = 0x1605;

  private static final int FIRST_RECORD = 0x1000;
  private static final int MOST_DEPTH = 24;
  private static final int MOST_STEPS = 1000;
  private static final int MOST_CHARS = 1 << 16;
  private static final int MOST_PARAMETERS = 256;
  private static final String TOO_DEEP = "...";

  /** Simple types by the low byte of their number. */
  private static final Map<Integer, String> SIMPLE =
      Map.ofEntries(
          Map.entry(0x03, "void"),
          Map.entry(0x08, "long"),
          Map.entry(0x10, "signed char"),
          Map.entry(0x20, "unsigned char"),
          Map.entry(0x70, "char"),
          Map.entry(0x71, "wchar_t"),
          Map.entry(0x7A, "char16_t"),
          Map.entry(0x7B, "char32_t"),
          Map.entry(0x7C, "char8_t"),
          Map.entry(0x68, "__int8"),
          Map.entry(0x69, "unsigned __int8"),
          Map.entry(0x11, "short"),
          Map.entry(0x21, "unsigned short"),
          Map.entry(0x72, "short"),
          Map.entry(0x73, "unsigned short"),
          Map.entry(0x12, "long"),
          Map.entry(0x22, "unsigned long"),
          Map.entry(0x74, "int"),
          Map.entry(0x75, "unsigned int"),
          Map.entry(0x13, "__int64"),
          Map.entry(0x23, "unsigned __int64"),
          Map.entry(0x76, "__int64"),
          Map.entry(0x77, "unsigned __int64"),
          Map.entry(0x14, "__int128"),
          Map.entry(0x24, "unsigned __int128"),
          Map.entry(0x78, "__int128"),
          Map.entry(0x79, "unsigned __int128"),
          Map.entry(0x46, "__half"),
          Map.entry(0x40, "float"),
          Map.entry(0x41, "double"),
          Map.entry(0x42, "long double"),
          Map.entry(0x43, "__float128"),
          Map.entry(0x30, "bool"));

  private final Supplier<TypeTable> types;
  private final Supplier<TypeTable> items;
  private final Consumer<DamagedInput> damage;

  /** Names types of one table, and items of another one, which refer to these. */
  public TypeNames(TypeTable types, TypeTable items) {
    this(() -> types, () -> items, _ -> {});
  }

  /**
   * Names types of one table, and items of another one, which refer to these.
   *
   * @param types asked for when the first type is requested
   * @param items asked for when the first item is requested
   * @param damage is told of records that cannot be read, whose names are then unknown
   */
  public TypeNames(
      Supplier<TypeTable> types, Supplier<TypeTable> items, Consumer<DamagedInput> damage) {
    this.types = types;
    this.items = items;
    this.damage = damage;
  }

  /** One text that is being made: how much of it there may still be. */
  private static final class Budget {
    private int steps = MOST_STEPS;
    private int chars = MOST_CHARS;

    boolean spend(String text) {
      chars -= text.length();
      return --steps >= 0 && chars >= 0;
    }
  }

  /** Returns the text of a type; {@code ?} and its number in hexadecimal if it is unknown. */
  public String type(long number) {
    return type(number, new Budget(), 0);
  }

  private String type(long number, Budget budget, int depth) {
    if (depth > MOST_DEPTH || !budget.spend("")) {
      return TOO_DEEP;
    }
    if (number < FIRST_RECORD) {
      return simple((int) number);
    }
    try {
      String text =
          types.get().type(number).map(type -> text(type, budget, depth)).orElse(unknown(number));
      return budget.spend(text) ? text : TOO_DEEP;
    } catch (DamagedInput e) {
      damage.accept(e);
      return unknown(number);
    }
  }

  private static String unknown(long number) {
    return "?" + Long.toHexString(number);
  }

  private static String simple(int number) {
    if (number == 0x103) {
      return "std::nullptr_t";
    }
    if (number == 0) {
      return "...";
    }
    String name = SIMPLE.get(number & 0xFF);
    if (name == null) {
      return unknown(number);
    }
    return (number >> 8 & 7) == 0 ? name : name + " *";
  }

  private String text(TypeRecord type, Budget budget, int depth) {
    Bytes b = type.body();
    int end = b.length();
    return switch (type.leaf()) {
      case LF_MODIFIER -> type(b.u32(0), budget, depth + 1) + qualifiers(b.u16(4));
      case LF_POINTER -> pointer(b, "", budget, depth);
      case LF_PROCEDURE, LF_MFUNCTION -> function(type, "", budget, depth);
      case LF_BITFIELD -> type(b.u32(0), budget, depth + 1) + " : " + b.u8(4);
      case LF_ARRAY -> array(type, budget, depth);
      case LF_CLASS, LF_STRUCTURE, LF_INTERFACE -> b.utf8z(NumericLeaf.read(b, 16).end(), end);
      case LF_CLASS2, LF_STRUCTURE2, LF_INTERFACE2 -> b.utf8z(sizeOfClass2(b).end(), end);
      case LF_UNION -> b.utf8z(NumericLeaf.read(b, 8).end(), end);
      case LF_ENUM -> b.utf8z(12, end);
      case LF_ALIAS -> b.utf8z(4, end);
      default -> "?" + Integer.toHexString(type.leaf());
    };
  }

  /**
   * Reads the size of a class since Visual Studio 2019: its properties have 32 bits, and the number
   * of its members is a numeric leaf after the numbers of other types.
   */
  private static NumericLeaf sizeOfClass2(Bytes b) {
    return NumericLeaf.read(b, NumericLeaf.read(b, 16).end());
  }

  private static String qualifiers(int bits) {
    return ((bits & 1) != 0 ? " const" : "") + ((bits & 2) != 0 ? " volatile" : "");
  }

  /**
   * Returns the text of a pointer, which may point to a pointer again, down to a function or
   * something else.
   *
   * @param inside the text after it: that of the pointers to it
   */
  private String pointer(Bytes b, String inside, Budget budget, int depth) {
    long attributes = b.u32(4);
    String sign =
        switch ((int) (attributes >> 5) & 7) {
          case 1 -> "&";
          case 2, 3 -> type(b.u32(8), budget, depth + 1) + "::*";
          case 4 -> "&&";
          default -> "*";
        };
    List<String> words = new ArrayList<>();
    words.add(sign + ((attributes & 0x400) != 0 ? "const" : ""));
    if ((attributes & 0x200) != 0) {
      words.add("volatile");
    }
    String own = joined(String.join(" ", words), inside);
    Optional<TypeRecord> target =
        b.u32(0) < FIRST_RECORD || depth > MOST_DEPTH
            ? Optional.empty()
            : types.get().type(b.u32(0));
    return switch (target.map(TypeRecord::leaf).orElse(0)) {
      case LF_PROCEDURE, LF_MFUNCTION ->
          function(target.orElseThrow(), "(" + own + ")", budget, depth + 1);
      case LF_POINTER -> pointer(target.orElseThrow().body(), own, budget, depth + 1);
      default -> joined(type(b.u32(0), budget, depth + 1), own);
    };
  }

  private static String joined(String text, String more) {
    boolean close = more.isEmpty() || text.endsWith("*") || text.endsWith("&");
    return close ? text + more : text + " " + more;
  }

  private String function(TypeRecord type, String inside, Budget budget, int depth) {
    Bytes b = type.body();
    String result = type(b.u32(0), budget, depth + 1);
    return result
        + " "
        + inside
        + "("
        + String.join(", ", arguments(b.u32(type.leaf() == LF_PROCEDURE ? 8 : 16), budget, depth))
        + ")";
  }

  private List<String> arguments(long list, Budget budget, int depth) {
    List<String> texts = new ArrayList<>();
    Optional<TypeRecord> type = types.get().type(list).filter(found -> found.leaf() == LF_ARGLIST);
    if (type.isPresent()) {
      Bytes b = type.get().body();
      long count = Math.min(b.u32(0), MOST_PARAMETERS);
      for (int i = 0; i < count && b.has(4 + 4 * i, 4); i++) {
        texts.add(type(b.u32(4 + 4 * i), budget, depth + 1));
      }
    }
    return texts;
  }

  /** Arrays of arrays have the outer dimension first. */
  private String array(TypeRecord outer, Budget budget, int depth) {
    StringBuilder dimensions = new StringBuilder();
    long element = 0;
    Optional<TypeRecord> array = Optional.of(outer);
    for (int i = 0; array.isPresent() && i < MOST_DEPTH; i++) {
      Bytes b = array.get().body();
      element = b.u32(0);
      long size = size(element, 0);
      long bytes = NumericLeaf.read(b, 8).value();
      dimensions.append('[').append(size == 0 ? "" : Long.toString(bytes / size)).append(']');
      array = types.get().type(element).filter(type -> type.leaf() == LF_ARRAY);
    }
    return type(element, budget, depth + 1) + dimensions;
  }

  /** Returns the size of a type's values in bytes; 0: unknown. */
  private long size(long number, int depth) {
    if (number < FIRST_RECORD) {
      return simpleSize((int) number);
    }
    Optional<TypeRecord> type = depth > MOST_DEPTH ? Optional.empty() : types.get().type(number);
    if (type.isEmpty()) {
      return 0;
    }
    Bytes b = type.get().body();
    return switch (type.get().leaf()) {
      case LF_MODIFIER -> size(b.u32(0), depth + 1);
      case LF_POINTER -> b.u32(4) >> 13 & 0x3F;
      case LF_ARRAY, LF_UNION -> NumericLeaf.read(b, 8).value();
      case LF_CLASS, LF_STRUCTURE, LF_INTERFACE -> NumericLeaf.read(b, 16).value();
      case LF_CLASS2, LF_STRUCTURE2, LF_INTERFACE2 -> sizeOfClass2(b).value();
      case LF_ENUM -> size(b.u32(4), depth + 1);
      default -> 0;
    };
  }

  private static int simpleSize(int number) {
    if ((number >> 8 & 7) != 0) {
      return (number >> 8 & 7) == 6 ? 8 : 4;
    }
    return switch (number & 0xFF) {
      case 0x10, 0x20, 0x70, 0x68, 0x69, 0x7C, 0x30 -> 1;
      case 0x11, 0x21, 0x71, 0x7A, 0x72, 0x73 -> 2;
      case 0x12, 0x22, 0x74, 0x75, 0x7B, 0x40 -> 4;
      case 0x13, 0x23, 0x76, 0x77, 0x41 -> 8;
      default -> 0;
    };
  }

  /**
   * Returns the types of a function's parameters.
   *
   * @param number of a procedure's type
   * @return empty if it is not one; a last {@code ...} stands for any more
   */
  public Optional<List<String>> parameters(long number) {
    try {
      Optional<TypeRecord> type = types.get().type(number);
      if (type.isEmpty()) {
        return Optional.empty();
      }
      Bytes b = type.get().body();
      return switch (type.get().leaf()) {
        case LF_PROCEDURE -> Optional.of(arguments(b.u32(8), new Budget(), 0));
        case LF_MFUNCTION -> Optional.of(arguments(b.u32(16), new Budget(), 0));
        default -> Optional.empty();
      };
    } catch (DamagedInput e) {
      damage.accept(e);
      return Optional.empty();
    }
  }

  /**
   * Returns how a function is called.
   *
   * @param number of a procedure's type
   * @return empty if it is not one
   */
  public Optional<FunctionType> calling(long number) {
    try {
      return types
          .get()
          .type(number)
          .filter(type -> type.leaf() == LF_PROCEDURE || type.leaf() == LF_MFUNCTION)
          .map(this::calling);
    } catch (DamagedInput e) {
      damage.accept(e);
      return Optional.empty();
    }
  }

  private FunctionType calling(TypeRecord type) {
    Bytes b = type.body();
    boolean isMember = type.leaf() == LF_MFUNCTION;
    int call = isMember ? 12 : 4;
    List<FunctionType.Value> parameters = new ArrayList<>();
    boolean isVariadic = false;
    Optional<TypeRecord> list =
        types.get().type(b.u32(call + 4)).filter(found -> found.leaf() == LF_ARGLIST);
    if (list.isPresent()) {
      Bytes numbers = list.get().body();
      long count = Math.min(numbers.u32(0), MOST_PARAMETERS);
      for (int i = 0; i < count && numbers.has(4 + 4 * i, 4); i++) {
        long parameter = numbers.u32(4 + 4 * i);
        isVariadic |= parameter == 0;
        if (parameter != 0) {
          parameters.add(value(parameter, 0));
        }
      }
    }
    return new FunctionType(
        b.u8(call),
        isMember && b.u32(8) != 0,
        parameters,
        isVariadic,
        isMember,
        (b.u8(call + 1) & 1) != 0,
        value(b.u32(0), 0));
  }

  private FunctionType.Value value(long number, int depth) {
    long bytes = size(number, 0);
    if (number < FIRST_RECORD) {
      int low = (int) (number & 0xFF);
      boolean isFloat = (number >> 8 & 7) == 0 && low >= 0x40 && low <= 0x43;
      return new FunctionType.Value(
          bytes, isFloat ? FunctionType.Kind.FLOAT : FunctionType.Kind.WORD);
    }
    Optional<TypeRecord> found = depth > MOST_DEPTH ? Optional.empty() : types.get().type(number);
    if (found.isEmpty()) {
      return new FunctionType.Value(0, FunctionType.Kind.STRUCTURE);
    }
    TypeRecord type = found.get();
    return switch (type.leaf()) {
      case LF_MODIFIER -> value(type.body().u32(0), depth + 1);
      case LF_POINTER, LF_ENUM -> new FunctionType.Value(bytes, FunctionType.Kind.WORD);
      case LF_CLASS, LF_STRUCTURE, LF_UNION, LF_INTERFACE, LF_CLASS2, LF_STRUCTURE2 ->
          new FunctionType.Value(bytes, FunctionType.Kind.STRUCTURE);
      // Nothing is known of what this is.
      default -> new FunctionType.Value(0, FunctionType.Kind.STRUCTURE);
    };
  }

  /**
   * The name of a function that is an item, with its class or namespace.
   *
   * @return empty if it is none
   */
  public Optional<String> function(long item) {
    try {
      return items
          .get()
          .type(item)
          .flatMap(type -> {
            Bytes b = type.body();
            return switch (type.leaf()) {
              case LF_FUNC_ID -> Optional.of(scoped(string(b.u32(0)), b.utf8z(8, b.length())));
              case LF_MFUNC_ID -> Optional.of(scoped(type(b.u32(0)), b.utf8z(8, b.length())));
              default -> Optional.empty();
            };
          });
    } catch (DamagedInput e) {
      damage.accept(e);
      return Optional.empty();
    }
  }

  /** Returns true if there is an item of a number, of whatever kind. */
  public boolean hasItem(long item) {
    return item >= items.get().first() && item < items.get().end();
  }

  /** The type of a function that is an item; 0 if it is none. */
  public long typeOf(long item) {
    try {
      return items
          .get()
          .type(item)
          .filter(type -> type.leaf() == LF_FUNC_ID || type.leaf() == LF_MFUNC_ID)
          .map(type -> type.body().u32(4))
          .orElse(0L);
    } catch (DamagedInput e) {
      damage.accept(e);
      return 0;
    }
  }

  /** The text of an item that is one; empty if it is none. */
  private String string(long item) {
    return items
        .get()
        .type(item)
        .filter(type -> type.leaf() == LF_STRING_ID)
        .map(type -> type.body().utf8z(4, type.body().length()))
        .orElse("");
  }

  private static String scoped(String scope, String name) {
    return scope.isEmpty() ? name : scope + "::" + name;
  }
}
