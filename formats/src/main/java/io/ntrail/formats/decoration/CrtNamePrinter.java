package io.ntrail.formats.decoration;

import io.ntrail.formats.decoration.NameNode.Argument;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Prints an undecorated name in the form of the Windows C runtime.
 *
 * <p>A type is written around what it declares, from the inside to the outside, as in C: the
 * runtime's spaces follow from that. The text of a declaration may start with a space already.
 */
final class CrtNamePrinter {
  private static final int MOST_TEXT = 1 << 16;
  private static final int CV = Qualifiers.CONST | Qualifiers.VOLATILE;

  private final Set<UndnameFlag> flags;

  private CrtNamePrinter(Set<UndnameFlag> flags) {
    this.flags = flags;
  }

  /** A symbol without what the flags leave out. */
  static String of(SymbolNode symbol, Set<UndnameFlag> flags) {
    Set<UndnameFlag> own = EnumSet.noneOf(UndnameFlag.class);
    own.addAll(flags);
    return new CrtNamePrinter(own).symbol(symbol);
  }

  private boolean without(UndnameFlag flag) {
    return flags.contains(flag);
  }

  private static String join(String... parts) {
    int length = 0;
    for (String part : parts) {
      length += part.length();
    }
    if (length > MOST_TEXT) {
      throw DecoratedNameCursor.wrong();
    }
    return String.join("", parts);
  }

  private static <T> String list(List<T> all, String between, Function<T, String> text) {
    StringBuilder out = new StringBuilder();
    for (T one : all) {
      out.append(out.isEmpty() ? "" : between).append(text.apply(one));
      if (out.length() > MOST_TEXT) {
        throw DecoratedNameCursor.wrong();
      }
    }
    return out.toString();
  }

  /** Two texts with one space between them, if there are two. */
  private static String spaced(String first, String second) {
    boolean together = first.isEmpty() || second.isEmpty() || second.startsWith(" ");
    return join(first, together ? "" : " ", second);
  }

  private String symbol(SymbolNode symbol) {
    return switch (symbol) {
      case SymbolNode.Text(String text) -> text;
      case SymbolNode.Literal _ -> "`string'";
      case SymbolNode.Untyped(NameNode name) -> name(name);
      case SymbolNode.Guard(NameNode name, long index) ->
          join(name(name), index > 0 ? "{" + index + "}'" : "");
      case SymbolNode.Descriptor(TypeNode type, String what) -> type(type, what);
      case SymbolNode.Table table -> table(table);
      case SymbolNode.Variable variable -> variable(variable);
      case SymbolNode.Function function -> function(function);
    };
  }

  private String table(SymbolNode.Table table) {
    String name = name(table.name());
    if (without(UndnameFlag.NAME_ONLY)) {
      return name;
    }
    String whole = spaced(cv(table.qualifiers()), name);
    return table.target() == null ? whole : join(whole, "{for `", name(table.target()), "'}");
  }

  private String head(String access, String member) {
    String first =
        access.isEmpty() || without(UndnameFlag.NO_ACCESS_SPECIFIERS) ? "" : access + ": ";
    return first + (member.isEmpty() || without(UndnameFlag.NO_MEMBER_TYPE) ? "" : member + " ");
  }

  private String variable(SymbolNode.Variable variable) {
    String name = name(variable.name());
    if (without(UndnameFlag.NAME_ONLY)) {
      return name;
    }
    int storage = variable.storage();
    String mark = spaced(cv(storage), marks(storage & ~CV));
    String declared = spaced(mark.startsWith(" ") || mark.isEmpty() ? mark : " " + mark, name);
    String whole =
        type(unqualified(variable.type()), declared.startsWith(" ") ? declared : " " + declared);
    return join(head(variable.access(), variable.isStatic() ? "static" : ""), whole);
  }

  private String function(SymbolNode.Function function) {
    String name = name(function.name());
    if (without(UndnameFlag.NAME_ONLY)) {
      return name;
    }
    SymbolNode.Thunk thunk = function.thunk();
    String member = thunk == null || thunk.isVcall() ? function.member() : "virtual";
    String begin = thunk == null ? "" : thunk.isVcall() ? "[thunk]: " : "[thunk]:";
    TypeNode.Function type = function.type();
    String linkage = function.externC() && type.hasParameters() ? "extern \"C\" " : "";
    String declared = spaced(convention(type), name);
    String whole =
        function(
            type,
            join(declared, thunk == null ? "" : thunk(thunk)),
            !without(UndnameFlag.NO_FUNCTION_RETURNS) && !converts(function.name()),
            !without(UndnameFlag.NO_ARGUMENTS));
    return join(begin, head(function.access(), member), linkage, whole);
  }

  /** Returns true for a conversion operator: its result type is its name. */
  private static boolean converts(NameNode name) {
    return switch (name) {
      case NameNode.Conversion _ -> true;
      case NameNode.Template(NameNode of, List<Argument> _) -> converts(of);
      case NameNode.Qualified qualified -> converts(qualified.last());
      default -> false;
    };
  }

  /** The runtime counts without signs, and closes what vcall does not open. */
  private static String thunk(SymbolNode.Thunk thunk) {
    if (thunk.isVcall()) {
      return "{" + thunk.offsets().getFirst() + ",{flat}}' }'";
    }
    return thunk.offsets().stream()
        .map(offset -> Integer.toUnsignedString(offset.intValue()))
        .collect(Collectors.joining(",", "`" + thunk.kind() + "{", "}' "));
  }

  /** A keyword of Microsoft, as far as it is wanted. */
  private String keyword(String word) {
    if (without(UndnameFlag.NO_MS_KEYWORDS)) {
      return "";
    }
    return without(UndnameFlag.NO_LEADING_UNDERSCORES) && word.startsWith("__")
        ? word.substring(2)
        : word;
  }

  private String convention(TypeNode.Function type) {
    return without(UndnameFlag.NO_ALLOCATION_LANGUAGE) ? "" : keyword(type.convention().strip());
  }

  private static String cv(int qualifiers) {
    return Qualifiers.text(qualifiers & CV);
  }

  /** Returns the text after the sign of a pointer, with a leading space. */
  private String marks(int qualifiers) {
    String ptr64 = (qualifiers & Qualifiers.PTR64) == 0 ? "" : ptr64();
    String restrict = (qualifiers & Qualifiers.RESTRICT) == 0 ? "" : keyword("__restrict");
    String all = spaced(spaced(ptr64, restrict), cv(qualifiers));
    return all.isEmpty() ? "" : " " + all;
  }

  private String ptr64() {
    return without(UndnameFlag.NO_PTR64) ? "" : keyword("__ptr64");
  }

  /**
   * Returns a type without the qualifiers that the runtime does not print for variables and
   * results.
   */
  private static TypeNode unqualified(TypeNode type) {
    return type instanceof TypeNode.Pointer(String sign, TypeNode to, NameNode of, int qualifiers)
        ? new TypeNode.Pointer(sign, to, of, qualifiers & ~CV)
        : type;
  }

  /** A type around what it declares. */
  private String type(TypeNode type, String declared) {
    return switch (type) {
      case TypeNode.Basic(String text, int qualifiers) ->
          spaced(spaced(text, cv(qualifiers)), declared);
      case TypeNode.Tag(String kind, NameNode name, int qualifiers) -> {
        String whole = spaced(without(UndnameFlag.NO_ECSU) ? "" : kind, name(name));
        yield spaced(spaced(whole, cv(qualifiers)), declared);
      }
      case TypeNode.Managed managed -> {
        String of = type(managed.of(), "");
        String rank = managed.rank() > 1 ? "," + managed.rank() : "";
        String whole = join(managed.name(), "<", of, rank.isEmpty() ? " " : rank, ">");
        yield spaced(join(whole, managed.sign(), marks(managed.qualifiers())), declared);
      }
      case TypeNode.Array array -> {
        StringBuilder sizes = new StringBuilder();
        for (long size : array.dimensions()) {
          sizes.append('[').append(size == 0 ? "" : Long.toUnsignedString(size)).append(']');
        }
        TypeNode of = array.of().with(array.qualifiers() | array.elements());
        yield type(of, join(declared, sizes.toString()));
      }
      case TypeNode.Function function ->
          function(function, join(convention(function), declared), true, true);
      case TypeNode.Pointer pointer -> pointer(pointer, declared);
    };
  }

  private String pointer(TypeNode.Pointer pointer, String declared) {
    int qualifiers = pointer.qualifiers();
    String unaligned = (qualifiers & Qualifiers.UNALIGNED) == 0 ? "" : keyword("__unaligned");
    String of = pointer.of() == null ? "" : join(name(pointer.of()), "::");
    String sign = spaced(unaligned, join(of, pointer.sign(), marks(qualifiers)));
    return switch (pointer.to()) {
      case TypeNode.Function function -> {
        String convention = convention(function);
        String begin = of.isEmpty() ? join(convention, sign) : spaced(convention, sign);
        boolean bare = sign.endsWith(pointer.sign());
        String all = bare ? join(begin, declared) : spaced(begin, declared);
        yield function(function, join("(", all, ")"), true, true);
      }
      case TypeNode.Array(List<Long> dimensions, TypeNode element, int array, int elements) -> {
        String begin = spaced(spaced(cv(array), sign), declared);
        TypeNode plain = new TypeNode.Array(dimensions, element, Qualifiers.NONE, elements);
        yield type(plain, join("(", begin, ")"));
      }
      default -> type(pointer.to(), spaced(sign, declared));
    };
  }

  private String function(
      TypeNode.Function type, String declared, boolean result, boolean arguments) {
    boolean thrown = type.isNoexcept() && !without(UndnameFlag.NO_THROW_SIGNATURES);
    String behind = thisType(type);
    String text =
        join(
            declared,
            type.hasParameters() && arguments ? parameters(type) : "",
            behind,
            !thrown ? "" : behind.endsWith(" ") ? "noexcept" : " noexcept");
    return result && type.result() != null ? type(unqualified(type.result()), text) : text;
  }

  private String parameters(TypeNode.Function type) {
    if (type.parameters().isEmpty()) {
      return type.variadic() ? "(...)" : "(void)";
    }
    String list = list(type.parameters(), ",", parameter -> type(parameter, ""));
    return join("(", list, type.variadic() ? ",...)" : ")");
  }

  /**
   * Returns the qualifiers of a member's object: words end with a space, {@code __ptr64} starts
   * with one.
   */
  private String thisType(TypeNode.Function type) {
    int qualifiers = type.qualifiers();
    String cv = without(UndnameFlag.NO_CV_THISTYPE) ? "" : spaced(cv(qualifiers), type.reference());
    String text = cv.isEmpty() ? "" : cv + " ";
    if (without(UndnameFlag.NO_MS_THISTYPE)) {
      return text;
    }
    String unaligned = (qualifiers & Qualifiers.UNALIGNED) == 0 ? "" : keyword("__unaligned");
    text += unaligned.isEmpty() ? "" : unaligned + " ";
    String marks = marks(qualifiers & ~CV);
    return marks.isEmpty() ? text : text.stripTrailing() + marks;
  }

  private String name(NameNode name) {
    return switch (name) {
      case NameNode.Plain(String text) -> {
        if (!without(UndnameFlag.NO_IDENT_CHAR_CHECK) && !isIdentifier(text)) {
          throw DecoratedNameCursor.wrong();
        }
        yield text;
      }
      case NameNode.Special(String text) -> OperatorNames.spelledOut(text);
      case NameNode.Recalled(NameNode of, String _) -> name(of);
      case NameNode.Qualified(List<NameNode> parts) -> list(parts, "::", this::name);
      case NameNode.Template(NameNode.Conversion(TypeNode to), List<Argument> arguments) ->
          join("operator", arguments(arguments), converted(to));
      case NameNode.Template(NameNode of, List<Argument> arguments) ->
          join(name(of), arguments(arguments));
      case NameNode.Structor(boolean destructor, NameNode of) ->
          join(destructor ? "~" : "", of == null ? "" : name(of));
      case NameNode.Conversion(TypeNode to) -> join("operator", converted(to));
      case NameNode.Local(SymbolNode in, long number) ->
          join("`", symbol(in), "'::`" + number + "'");
      case NameNode.Dynamic(String what, SymbolNode of) -> join(what, "'", symbol(of), "''");
      case NameNode.BaseClass(List<Long> at) ->
          at.stream()
              .map(String::valueOf)
              .collect(Collectors.joining(",", "`RTTI Base Class Descriptor at (", ")'"));
    };
  }

  /** Letters, digits and what compilers put into names beside them. */
  private static boolean isIdentifier(String text) {
    return text.chars()
        .allMatch(c -> c >= 0x80 || Character.isLetterOrDigit(c) || "_$<>-".indexOf(c) >= 0);
  }

  /** The runtime ends qualifiers with a space. */
  private String converted(@Nullable TypeNode to) {
    if (to == null) {
      return "";
    }
    boolean qualified =
        to instanceof TypeNode.Basic(String _, int basic) && (basic & CV) != 0
            || to instanceof TypeNode.Tag(String _, NameNode _, int tag) && (tag & CV) != 0;
    return join(" ", type(unqualified(to), ""), qualified ? " " : "");
  }

  private String arguments(List<Argument> arguments) {
    String list = list(arguments, ",", this::argument);
    return join("<", list, list.endsWith(">") ? " >" : ">");
  }

  private String argument(Argument argument) {
    return switch (argument) {
      case Argument.OfText(String text) -> text;
      case Argument.OfName(NameNode name) -> name(name);
      case Argument.OfType(TypeNode type) -> type(type, "");
      case Argument.OfSymbol(SymbolNode symbol, boolean pointer, List<Long> offsets) -> {
        String text = symbol == null ? "" : symbol(symbol);
        if (offsets.isEmpty()) {
          yield join(pointer ? "&" : "", text);
        }
        String numbers = offsets.stream().map(String::valueOf).collect(Collectors.joining(","));
        yield join("{", text, symbol == null ? "" : ",", numbers, "}");
      }
    };
  }
}
