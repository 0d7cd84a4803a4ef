package io.ntrail.formats.decoration;

import java.util.ArrayList;
import java.util.List;

/** Reads the types in a decorated name. */
final class TypeReader {
  private static final int MOST_BACK = 10;

  private final DecoratedNameCursor in;
  private final SymbolReader symbols;
  private final NameReader names;
  private List<TypeNode> parameters = new ArrayList<>();

  TypeReader(DecoratedNameCursor in, SymbolReader symbols, NameReader names) {
    this.in = in;
    this.symbols = symbols;
    this.names = names;
  }

  /** Forgets the parameters that can be recalled, and gives them to be brought back. */
  List<TypeNode> fresh() {
    List<TypeNode> before = parameters;
    parameters = new ArrayList<>();
    return before;
  }

  void back(List<TypeNode> before) {
    parameters = before;
  }

  /** A type of something that is not qualified here. */
  TypeNode type() {
    symbols.enter();
    try {
      return unqualified();
    } finally {
      symbols.leave();
    }
  }

  /** A type with its qualifiers in front. */
  TypeNode qualified() {
    int qualifiers = qualifiers();
    return type().with(qualifiers);
  }

  /** A type of a result, whose qualifiers have a mark. */
  TypeNode result() {
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
      default -> throw DecoratedNameCursor.wrong();
    };
  }

  private int plainQualifiers() {
    if (isMember()) {
      throw DecoratedNameCursor.wrong();
    }
    return qualifiers();
  }

  /** Returns true if the next qualifiers are those of a member that is pointed to. */
  private boolean isMember() {
    return switch (in.peek()) {
      case 'Q', 'R', 'S', 'T' -> true;
      default -> false;
    };
  }

  /** Reads the flags of a pointer itself. */
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

  /** Reads the qualifiers after the type of a variable. */
  int storage(TypeNode type) {
    if (!(type instanceof TypeNode.Pointer) && !(type instanceof TypeNode.Managed)) {
      return qualifiers();
    }
    int flags = pointerFlags();
    if (in.take('$')) {
      char kind = in.next();
      flags |= kind >= '0' && kind <= '9' && rank(kind) > 0 ? pointerFlags() : Qualifiers.NONE;
    }
    return flags | qualifiers();
  }

  private TypeNode unqualified() {
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
      return new TypeNode.Basic("std::nullptr_t", Qualifiers.NONE);
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
        NameNode name = names.unqualifiedType();
        in.must('@');
        yield new TypeNode.Tag("", name, Qualifiers.NONE);
      }
      default -> new TypeNode.Basic(basic(code), Qualifiers.NONE);
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
            default -> throw DecoratedNameCursor.wrong();
          };
      default -> throw DecoratedNameCursor.wrong();
    };
  }

  private TypeNode tag(String kind) {
    return new TypeNode.Tag(kind, names.typeName(), Qualifiers.NONE);
  }

  private TypeNode pointer(String sign, int qualifiers) {
    if (in.take('6')) {
      return new TypeNode.Pointer(sign, function(false), null, qualifiers);
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
    return new TypeNode.Pointer(sign, qualified(), null, all);
  }

  /** A handle, a tracking reference, a pinned pointer or an array: C++/CLI. */
  private TypeNode managed(String sign, int qualifiers) {
    char kind = in.next();
    if (kind >= '0' && kind <= '9') {
      int rank = rank(kind);
      int all = qualifiers | pointerFlags();
      return new TypeNode.Managed("cli::array", qualified(), rank, "^", all);
    }
    return switch (kind) {
      case 'A' -> new TypeNode.Pointer(sign.equals("*") ? "^" : "%", qualified(), null, qualifiers);
      case 'B' -> new TypeNode.Managed("cli::pin_ptr", qualified(), 1, "", qualifiers);
      case 'C' -> new TypeNode.Pointer("%", qualified(), null, qualifiers);
      default -> throw DecoratedNameCursor.wrong();
    };
  }

  /** Reads the rank of a managed array: two digits. */
  private int rank(char first) {
    char second = in.startsWithDigit() ? in.next() : 0;
    int rank = 10 * (first - '0') + second - '0';
    if (rank < 1) {
      throw DecoratedNameCursor.wrong();
    }
    return rank;
  }

  private TypeNode memberPointer(int qualifiers) {
    if (in.take('8')) {
      NameNode of = names.typeName();
      return new TypeNode.Pointer("*", function(true), of, qualifiers);
    }
    int to = qualifiers();
    NameNode of = names.typeName();
    return new TypeNode.Pointer("*", type().with(to), of, qualifiers);
  }

  private TypeNode array() {
    long rank = in.number();
    if (rank <= 0 || rank > 255) {
      throw DecoratedNameCursor.wrong();
    }
    List<Long> dimensions = new ArrayList<>();
    for (long i = 0; i < rank; i++) {
      dimensions.add(in.unsigned());
    }
    int elements = in.take("$$C") ? plainQualifiers() : Qualifiers.NONE;
    return new TypeNode.Array(dimensions, type(), Qualifiers.NONE, elements);
  }

  /** Reads a calling convention. */
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
      default -> throw DecoratedNameCursor.wrong();
    };
  }

  /**
   * A function from its calling convention on.
   *
   * @param hasThis whether it is a member that is called on an object
   */
  TypeNode.Function function(boolean hasThis) {
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
    TypeNode result = in.take('@') ? null : result();
    List<TypeNode> list = new ArrayList<>();
    boolean variadic = parameters(list);
    boolean isNoexcept = in.take("_E");
    if (!isNoexcept) {
      in.must('Z');
    }
    return new TypeNode.Function(
        result, convention, true, list, variadic, isNoexcept, reference, qualifiers);
  }

  private boolean parameters(List<TypeNode> list) {
    if (in.take('X')) {
      return false;
    }
    while (!in.starts("@") && !in.starts("Z")) {
      if (in.startsWithDigit()) {
        int index = in.next() - '0';
        if (index >= parameters.size()) {
          throw DecoratedNameCursor.wrong();
        }
        list.add(parameters.get(index));
        continue;
      }
      int begin = in.position();
      TypeNode type = type();
      if (parameters.size() < MOST_BACK && in.position() - begin > 1) {
        parameters.add(type);
      }
      list.add(type);
    }
    return in.next() == 'Z';
  }
}
