package io.ntrail.formats.decoration;

import io.ntrail.formats.decoration.Name.Argument;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes what a decorated name stands for, in the form of the Windows C runtime.
 *
 * <p>A type is written around what it declares, from the inside to the outside, as C declares: the
 * runtime's spaces follow from that. The text of a declaration may begin with a space already.
 */
final class CrtText {
  private static final int MOST_TEXT = 1 << 16;
  private static final int CV = Qualifiers.CONST | Qualifiers.VOLATILE;

  private final Set<CrtFlag> flags;

  private CrtText(Set<CrtFlag> flags) {
    this.flags = flags;
  }

  /** A symbol without what the flags leave out. */
  static String of(Symbol symbol, Set<CrtFlag> flags) {
    Set<CrtFlag> own = EnumSet.noneOf(CrtFlag.class);
    own.addAll(flags);
    return new CrtText(own).symbol(symbol);
  }

  private boolean without(CrtFlag flag) {
    return flags.contains(flag);
  }

  private static String join(String... parts) {
    int length = 0;
    for (String part : parts) {
      length += part.length();
    }
    if (length > MOST_TEXT) {
      throw Encoded.wrong();
    }
    return String.join("", parts);
  }

  private static <T> String list(List<T> all, String between, Function<T, String> text) {
    StringBuilder out = new StringBuilder();
    for (T one : all) {
      out.append(out.isEmpty() ? "" : between).append(text.apply(one));
      if (out.length() > MOST_TEXT) {
        throw Encoded.wrong();
      }
    }
    return out.toString();
  }

  /** Two texts with one space between them, if there are two. */
  private static String spaced(String first, String second) {
    boolean together = first.isEmpty() || second.isEmpty() || second.startsWith(" ");
    return join(first, together ? "" : " ", second);
  }

  private String symbol(Symbol symbol) {
    return switch (symbol) {
      case Symbol.Text(String text) -> text;
      case Symbol.Literal _ -> "`string'";
      case Symbol.Untyped(Name name) -> name(name);
      case Symbol.Guard(Name name, long index) ->
          join(name(name), index > 0 ? "{" + index + "}'" : "");
      case Symbol.Descriptor(Type type, String what) -> type(type, what);
      case Symbol.Table table -> table(table);
      case Symbol.Variable variable -> variable(variable);
      case Symbol.Function function -> function(function);
    };
  }

  private String table(Symbol.Table table) {
    String name = name(table.name());
    if (without(CrtFlag.NAME_ONLY)) {
      return name;
    }
    String whole = spaced(cv(table.qualifiers()), name);
    return table.target() == null ? whole : join(whole, "{for `", name(table.target()), "'}");
  }

  private String head(String access, String member) {
    String first = access.isEmpty() || without(CrtFlag.NO_ACCESS_SPECIFIERS) ? "" : access + ": ";
    return first + (member.isEmpty() || without(CrtFlag.NO_MEMBER_TYPE) ? "" : member + " ");
  }

  private String variable(Symbol.Variable variable) {
    String name = name(variable.name());
    if (without(CrtFlag.NAME_ONLY)) {
      return name;
    }
    int storage = variable.storage();
    String mark = spaced(cv(storage), marks(storage & ~CV));
    String declared = spaced(mark.startsWith(" ") || mark.isEmpty() ? mark : " " + mark, name);
    String whole =
        type(unqualified(variable.type()), declared.startsWith(" ") ? declared : " " + declared);
    return join(head(variable.access(), variable.isStatic() ? "static" : ""), whole);
  }

  private String function(Symbol.Function function) {
    String name = name(function.name());
    if (without(CrtFlag.NAME_ONLY)) {
      return name;
    }
    Symbol.Thunk thunk = function.thunk();
    String member = thunk == null || thunk.isVcall() ? function.member() : "virtual";
    String begin = thunk == null ? "" : thunk.isVcall() ? "[thunk]: " : "[thunk]:";
    Type.Function type = function.type();
    String linkage = function.externC() && type.hasParameters() ? "extern \"C\" " : "";
    String declared = spaced(convention(type), name);
    String whole =
        function(
            type,
            join(declared, thunk == null ? "" : thunk(thunk)),
            !without(CrtFlag.NO_FUNCTION_RETURNS) && !converts(function.name()),
            !without(CrtFlag.NO_ARGUMENTS));
    return join(begin, head(function.access(), member), linkage, whole);
  }

  /** An operator that converts tells its result by its name. */
  private static boolean converts(Name name) {
    return switch (name) {
      case Name.Conversion _ -> true;
      case Name.Template(Name of, List<Argument> _) -> converts(of);
      case Name.Qualified qualified -> converts(qualified.last());
      default -> false;
    };
  }

  /** The runtime counts without signs, and closes what vcall does not open. */
  private static String thunk(Symbol.Thunk thunk) {
    if (thunk.isVcall()) {
      return "{" + thunk.offsets().getFirst() + ",{flat}}' }'";
    }
    return thunk.offsets().stream()
        .map(offset -> Integer.toUnsignedString(offset.intValue()))
        .collect(Collectors.joining(",", "`" + thunk.kind() + "{", "}' "));
  }

  /** A keyword of Microsoft, as far as it is wanted. */
  private String keyword(String word) {
    if (without(CrtFlag.NO_MS_KEYWORDS)) {
      return "";
    }
    return without(CrtFlag.NO_LEADING_UNDERSCORES) && word.startsWith("__")
        ? word.substring(2)
        : word;
  }

  private String convention(Type.Function type) {
    return without(CrtFlag.NO_ALLOCATION_LANGUAGE) ? "" : keyword(type.convention().strip());
  }

  private static String cv(int qualifiers) {
    return String.join(" ", Qualifiers.words(qualifiers & CV));
  }

  /** What stands behind the sign of a pointer, with a space in front. */
  private String marks(int qualifiers) {
    String ptr64 = (qualifiers & Qualifiers.PTR64) == 0 ? "" : ptr64();
    String restrict = (qualifiers & Qualifiers.RESTRICT) == 0 ? "" : keyword("__restrict");
    String all = spaced(spaced(ptr64, restrict), cv(qualifiers));
    return all.isEmpty() ? "" : " " + all;
  }

  private String ptr64() {
    return without(CrtFlag.NO_PTR64) ? "" : keyword("__ptr64");
  }

  /** Without what the runtime does not tell of variables and results. */
  private static Type unqualified(Type type) {
    return type instanceof Type.Pointer(String sign, Type to, Name of, int qualifiers)
        ? new Type.Pointer(sign, to, of, qualifiers & ~CV)
        : type;
  }

  /** A type around what it declares. */
  private String type(Type type, String declared) {
    return switch (type) {
      case Type.Basic(String text, int qualifiers) ->
          spaced(spaced(text, cv(qualifiers)), declared);
      case Type.Tag(String kind, Name name, int qualifiers) -> {
        String whole = spaced(without(CrtFlag.NO_ECSU) ? "" : kind, name(name));
        yield spaced(spaced(whole, cv(qualifiers)), declared);
      }
      case Type.Managed managed -> {
        String of = type(managed.of(), "");
        String rank = managed.rank() > 1 ? "," + managed.rank() : "";
        String whole = join(managed.name(), "<", of, rank.isEmpty() ? " " : rank, ">");
        yield spaced(join(whole, managed.sign(), marks(managed.qualifiers())), declared);
      }
      case Type.Array array -> {
        StringBuilder sizes = new StringBuilder();
        for (long size : array.dimensions()) {
          sizes.append('[').append(size == 0 ? "" : Long.toUnsignedString(size)).append(']');
        }
        Type of = array.of().with(array.qualifiers() | array.elements());
        yield type(of, join(declared, sizes.toString()));
      }
      case Type.Function function ->
          function(function, join(convention(function), declared), true, true);
      case Type.Pointer pointer -> pointer(pointer, declared);
    };
  }

  private String pointer(Type.Pointer pointer, String declared) {
    int qualifiers = pointer.qualifiers();
    String unaligned = (qualifiers & Qualifiers.UNALIGNED) == 0 ? "" : keyword("__unaligned");
    String of = pointer.of() == null ? "" : join(name(pointer.of()), "::");
    String sign = spaced(unaligned, join(of, pointer.sign(), marks(qualifiers)));
    return switch (pointer.to()) {
      case Type.Function function -> {
        String convention = convention(function);
        String begin = of.isEmpty() ? join(convention, sign) : spaced(convention, sign);
        boolean bare = sign.endsWith(pointer.sign());
        String all = bare ? join(begin, declared) : spaced(begin, declared);
        yield function(function, join("(", all, ")"), true, true);
      }
      case Type.Array(List<Long> dimensions, Type element, int array, int elements) -> {
        String begin = spaced(spaced(cv(array), sign), declared);
        Type plain = new Type.Array(dimensions, element, Qualifiers.NONE, elements);
        yield type(plain, join("(", begin, ")"));
      }
      default -> type(pointer.to(), spaced(sign, declared));
    };
  }

  private String function(Type.Function type, String declared, boolean result, boolean arguments) {
    boolean thrown = type.isNoexcept() && !without(CrtFlag.NO_THROW_SIGNATURES);
    String behind = thisType(type);
    String text =
        join(
            declared,
            type.hasParameters() && arguments ? parameters(type) : "",
            behind,
            !thrown ? "" : behind.endsWith(" ") ? "noexcept" : " noexcept");
    return result && type.result() != null ? type(unqualified(type.result()), text) : text;
  }

  private String parameters(Type.Function type) {
    if (type.parameters().isEmpty()) {
      return type.variadic() ? "(...)" : "(void)";
    }
    String list = list(type.parameters(), ",", parameter -> type(parameter, ""));
    return join("(", list, type.variadic() ? ",...)" : ")");
  }

  /** What is said of the object of a member: words end with a space, {@code __ptr64} begins so. */
  private String thisType(Type.Function type) {
    int qualifiers = type.qualifiers();
    String cv = without(CrtFlag.NO_CV_THISTYPE) ? "" : spaced(cv(qualifiers), type.reference());
    String text = cv.isEmpty() ? "" : cv + " ";
    if (without(CrtFlag.NO_MS_THISTYPE)) {
      return text;
    }
    String unaligned = (qualifiers & Qualifiers.UNALIGNED) == 0 ? "" : keyword("__unaligned");
    text += unaligned.isEmpty() ? "" : unaligned + " ";
    String marks = marks(qualifiers & ~CV);
    return marks.isEmpty() ? text : text.stripTrailing() + marks;
  }

  private String name(Name name) {
    return switch (name) {
      case Name.Plain(String text) -> {
        if (!without(CrtFlag.NO_IDENT_CHAR_CHECK) && !isIdentifier(text)) {
          throw Encoded.wrong();
        }
        yield text;
      }
      case Name.Special(String text) -> OperatorNames.spelledOut(text);
      case Name.Recalled(Name of, String _) -> name(of);
      case Name.Qualified(List<Name> parts) -> list(parts, "::", this::name);
      case Name.Template(Name.Conversion(Type to), List<Argument> arguments) ->
          join("operator", arguments(arguments), converted(to));
      case Name.Template(Name of, List<Argument> arguments) -> join(name(of), arguments(arguments));
      case Name.Structor(boolean destructor, Name of) ->
          join(destructor ? "~" : "", of == null ? "" : name(of));
      case Name.Conversion(Type to) -> join("operator", converted(to));
      case Name.Local(Symbol in, long number) -> join("`", symbol(in), "'::`" + number + "'");
      case Name.Dynamic(String what, Symbol of) -> join(what, "'", symbol(of), "''");
      case Name.BaseClass(List<Long> at) ->
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
  private String converted(@Nullable Type to) {
    if (to == null) {
      return "";
    }
    boolean qualified =
        to instanceof Type.Basic(String _, int basic) && (basic & CV) != 0
            || to instanceof Type.Tag(String _, Name _, int tag) && (tag & CV) != 0;
    return join(" ", type(unqualified(to), ""), qualified ? " " : "");
  }

  private String arguments(List<Argument> arguments) {
    String list = list(arguments, ",", this::argument);
    return join("<", list, list.endsWith(">") ? " >" : ">");
  }

  private String argument(Argument argument) {
    return switch (argument) {
      case Argument.OfText(String text) -> text;
      case Argument.OfName(Name name) -> name(name);
      case Argument.OfType(Type type) -> type(type, "");
      case Argument.OfSymbol(Symbol symbol, boolean pointer, List<Long> offsets) -> {
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
