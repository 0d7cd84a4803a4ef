package io.ntrail.formats.decoration;

import java.util.ArrayList;
import java.util.List;

/** Reads the types in a decorated name. */
final class TypeReader {
  private static final int MOST_BACK = 10;

  private final Encoded in;
  private final SymbolReader symbols;
  private final NameReader names;
  private List<Type> parameters = new ArrayList<>();

  TypeReader(Encoded in, SymbolReader symbols, NameReader names) {
    this.in = in;
    this.symbols = symbols;
    this.names = names;
  }

  /** Forgets the parameters that can be recalled, and gives them to be brought back. */
  List<Type> fresh() {
    List<Type> before = parameters;
    parameters = new ArrayList<>();
    return before;
  }

  void back(List<Type> before) {
    parameters = before;
  }

  /** A type of something that is not qualified here. */
  Type type() {
    symbols.enter();
    try {
      return unqualified();
    } finally {
      symbols.leave();
    }
  }

  /** A type with its qualifiers in front. */
  Type qualified() {
    int qualifiers = qualifiers();
    return type().with(qualifiers);
  }

  /** A type of a result, whose qualifiers have a mark. */
  Type result() {
    if (in.take('?')) {
      return qualified();
    }
    return type();
  }

  /** Qualifiers of what is pointed to, or of a variable. */
  int qualifiers() {
    return switch (in.next()) {
      case 'A', 'Q' -> Qualifiers.NONE;
      case 'B', 'R' -> Qualifiers.CONST;
      case 'C', 'S' -> Qualifiers.VOLATILE;
      case 'D', 'T' -> Qualifiers.CONST | Qualifiers.VOLATILE;
      default -> throw Encoded.wrong();
    };
  }

  private int plainQualifiers() {
    if (isMember()) {
      throw Encoded.wrong();
    }
    return qualifiers();
  }

  /** Whether the qualifiers that come next are of a member, which is pointed to. */
  private boolean isMember() {
    return switch (in.peek()) {
      case 'Q', 'R', 'S', 'T' -> true;
      default -> false;
    };
  }

  /** What is said of a pointer itself. */
  int pointerFlags() {
    int flags = Qualifiers.NONE;
    if (in.take('E')) {
      flags |= Qualifiers.PTR64;
    }
    if (in.take('I')) {
      flags |= Qualifiers.RESTRICT;
    }
    if (in.take('F')) {
      flags |= Qualifiers.UNALIGNED;
    }
    return flags;
  }

  /** What stands behind the type of a variable. */
  int storage(Type type) {
    if (!(type instanceof Type.Pointer) && !(type instanceof Type.Managed)) {
      return qualifiers();
    }
    int flags = pointerFlags();
    if (in.take('$')) {
      char kind = in.next();
      flags |= kind >= '0' && kind <= '9' && rank(kind) > 0 ? pointerFlags() : Qualifiers.NONE;
    }
    return flags | qualifiers();
  }

  private Type unqualified() {
    if (in.take("$$Q")) {
      return pointer("&&", Qualifiers.NONE);
    }
    if (in.take("$$R")) {
      return pointer("&&", Qualifiers.VOLATILE);
    }
    if (in.take("$$A8@@")) {
      return function(true);
    }
    if (in.take("$$A6")) {
      return function(false);
    }
    if (in.take("__Z")) {
      // A value in a box, of managed code.
      return type();
    }
    if (in.take("$$T")) {
      return new Type.Basic("std::nullptr_t", Qualifiers.NONE);
    }
    char code = in.next();
    return switch (code) {
      case 'T' -> tag("union");
      case 'U' -> tag("struct");
      case 'V' -> tag("class");
      case 'W' -> {
        in.must('4');
        yield tag("enum");
      }
      case 'A' -> pointer("&", Qualifiers.NONE);
      case 'B' -> pointer("&", Qualifiers.VOLATILE);
      case 'P' -> pointer("*", Qualifiers.NONE);
      case 'Q' -> pointer("*", Qualifiers.CONST);
      case 'R' -> pointer("*", Qualifiers.VOLATILE);
      case 'S' -> pointer("*", Qualifiers.CONST | Qualifiers.VOLATILE);
      case 'Y' -> array();
      case '?' -> {
        Name name = names.unqualifiedType();
        in.must('@');
        yield new Type.Tag("", name, Qualifiers.NONE);
      }
      default -> new Type.Basic(basic(code), Qualifiers.NONE);
    };
  }

  private String basic(char code) {
    return switch (code) {
      case 'X' -> "void";
      case 'D' -> "char";
      case 'C' -> "signed char";
      case 'E' -> "unsigned char";
      case 'F' -> "short";
      case 'G' -> "unsigned short";
      case 'H' -> "int";
      case 'I' -> "unsigned int";
      case 'J' -> "long";
      case 'K' -> "unsigned long";
      case 'M' -> "float";
      case 'N' -> "double";
      case 'O' -> "long double";
      case '_' ->
          switch (in.next()) {
            case 'D' -> "__int8";
            case 'E' -> "unsigned __int8";
            case 'F' -> "__int16";
            case 'G' -> "unsigned __int16";
            case 'H' -> "__int32";
            case 'I' -> "unsigned __int32";
            case 'J' -> "__int64";
            case 'K' -> "unsigned __int64";
            case 'L' -> "__int128";
            case 'M' -> "unsigned __int128";
            case 'N' -> "bool";
            case 'Q' -> "char8_t";
            case 'S' -> "char16_t";
            case 'U' -> "char32_t";
            case 'W' -> "wchar_t";
            case 'P' -> "auto";
            case 'T' -> "decltype(auto)";
            default -> throw Encoded.wrong();
          };
      default -> throw Encoded.wrong();
    };
  }

  private Type tag(String kind) {
    return new Type.Tag(kind, names.typeName(), Qualifiers.NONE);
  }

  private Type pointer(String sign, int qualifiers) {
    if (in.take('6')) {
      return new Type.Pointer(sign, function(false), null, qualifiers);
    }
    if (sign.equals("*") && in.starts("8")) {
      return memberPointer(qualifiers);
    }
    int all = qualifiers | pointerFlags();
    if (in.take('$')) {
      return managed(sign, all);
    }
    if (sign.equals("*") && (in.starts("8") || isMember())) {
      return memberPointer(all);
    }
    return new Type.Pointer(sign, qualified(), null, all);
  }

  /** A handle, a tracking reference, a pinned pointer or an array: C++/CLI. */
  private Type managed(String sign, int qualifiers) {
    char kind = in.next();
    if (kind >= '0' && kind <= '9') {
      int rank = rank(kind);
      int all = qualifiers | pointerFlags();
      return new Type.Managed("cli::array", qualified(), rank, "^", all);
    }
    return switch (kind) {
      case 'A' -> new Type.Pointer(sign.equals("*") ? "^" : "%", qualified(), null, qualifiers);
      case 'B' -> new Type.Managed("cli::pin_ptr", qualified(), 1, "", qualifiers);
      case 'C' -> new Type.Pointer("%", qualified(), null, qualifiers);
      default -> throw Encoded.wrong();
    };
  }

  /** How many dimensions a managed array has: two digits. */
  private int rank(char first) {
    char second = in.startsWithDigit() ? in.next() : 0;
    int rank = 10 * (first - '0') + second - '0';
    if (rank < 1) {
      throw Encoded.wrong();
    }
    return rank;
  }

  private Type memberPointer(int qualifiers) {
    if (in.take('8')) {
      Name of = names.typeName();
      return new Type.Pointer("*", function(true), of, qualifiers);
    }
    int to = qualifiers();
    Name of = names.typeName();
    return new Type.Pointer("*", type().with(to), of, qualifiers);
  }

  private Type array() {
    long rank = in.number();
    if (rank <= 0 || rank > 255) {
      throw Encoded.wrong();
    }
    List<Long> dimensions = new ArrayList<>();
    for (long i = 0; i < rank; i++) {
      dimensions.add(in.unsigned());
    }
    int elements = in.take("$$C") ? plainQualifiers() : Qualifiers.NONE;
    return new Type.Array(dimensions, type(), Qualifiers.NONE, elements);
  }

  /** How a function is called. */
  String convention() {
    return switch (in.next()) {
      case 'A', 'B' -> "__cdecl";
      case 'C', 'D' -> "__pascal";
      case 'E', 'F' -> "__thiscall";
      case 'G', 'H' -> "__stdcall";
      case 'I', 'J' -> "__fastcall";
      case 'M', 'N' -> "__clrcall";
      case 'O', 'P' -> "__eabi";
      case 'Q' -> "__vectorcall";
      case 'S' -> "__attribute__((__swiftcall__)) ";
      case 'W' -> "__attribute__((__swiftasynccall__)) ";
      case 'w' -> "__regcall";
      default -> throw Encoded.wrong();
    };
  }

  /**
   * A function from its calling convention on.
   *
   * @param hasThis whether it is a member that is called on an object
   */
  Type.Function function(boolean hasThis) {
    int qualifiers = Qualifiers.NONE;
    String reference = "";
    if (hasThis) {
      qualifiers = pointerFlags();
      // So members of managed classes have it.
      in.take("$A");
      reference = in.take('G') ? "&" : in.take('H') ? "&&" : "";
      qualifiers |= qualifiers();
    }
    String convention = convention();
    Type result = in.take('@') ? null : result();
    List<Type> list = new ArrayList<>();
    boolean variadic = parameters(list);
    boolean isNoexcept = in.take("_E");
    if (!isNoexcept) {
      in.must('Z');
    }
    return new Type.Function(
        result, convention, true, list, variadic, isNoexcept, reference, qualifiers);
  }

  private boolean parameters(List<Type> list) {
    if (in.take('X')) {
      return false;
    }
    while (!in.starts("@") && !in.starts("Z")) {
      if (in.startsWithDigit()) {
        int index = in.next() - '0';
        if (index >= parameters.size()) {
          throw Encoded.wrong();
        }
        list.add(parameters.get(index));
        continue;
      }
      int begin = in.position();
      Type type = type();
      if (parameters.size() < MOST_BACK && in.position() - begin > 1) {
        parameters.add(type);
      }
      list.add(type);
    }
    return in.next() == 'Z';
  }
}
