package io.ntrail.formats.decoration;

import io.ntrail.formats.decoration.Name.Argument;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes what a decorated name stands for, in the form of llvm-undname. */
final class UndecoratedText {
  private static final int MOST_TEXT = 1 << 16;

  private final StringBuilder out = new StringBuilder();
  private boolean namesOnly;

  private UndecoratedText(boolean namesOnly) {
    this.namesOnly = namesOnly;
  }

  /**
   * A symbol.
   *
   * @param namesOnly whether names and parameters alone are written
   */
  static String of(Symbol symbol, boolean namesOnly) {
    UndecoratedText text = new UndecoratedText(namesOnly);
    text.symbol(symbol);
    return text.out.toString();
  }

  /** A name. */
  static String of(Name name) {
    UndecoratedText text = new UndecoratedText(false);
    text.name(name);
    return text.out.toString();
  }

  private UndecoratedText put(String text) {
    if (out.length() + text.length() > MOST_TEXT) {
      throw Encoded.wrong();
    }
    out.append(text);
    return this;
  }

  /** Words and templates keep away from what follows, signs do not. */
  private void space() {
    if (!out.isEmpty()) {
      char last = out.charAt(out.length() - 1);
      if (Character.isLetterOrDigit(last) && last < 0x80 || last == '>') {
        out.append(' ');
      }
    }
  }

  private void symbol(Symbol symbol) {
    switch (symbol) {
      case Symbol.Text(String text) -> put(text);
      case Symbol.Literal(String text) -> put(text);
      case Symbol.Guard(Name name, long index) -> {
        name(name);
        put(index > 0 ? "{" + index + "}" : "");
      }
      case Symbol.Untyped(Name name) -> name(name);
      case Symbol.Descriptor(Type type, String what) -> {
        if (namesOnly) {
          put(what);
        } else {
          before(type);
          space();
          put(what);
          after(type);
        }
      }
      case Symbol.Table(Name name, int qualifiers, Name target) -> {
        Qualifiers.words(qualifiers).forEach(word -> put(word).put(" "));
        name(name);
        if (target != null) {
          put("{for `");
          name(target);
          put("'}");
        }
      }
      case Symbol.Variable variable -> variable(variable);
      case Symbol.Function function -> function(function);
    }
  }

  private void access(String access, String member) {
    if (!namesOnly) {
      put(access.isEmpty() ? "" : access + ": ").put(member.isEmpty() ? "" : member + " ");
    }
  }

  private void variable(Symbol.Variable variable) {
    access(variable.access(), variable.isStatic() ? "static" : "");
    if (namesOnly) {
      name(variable.name());
      return;
    }
    Type type = stored(variable.type(), variable.storage());
    before(type);
    space();
    name(variable.name());
    after(type);
  }

  /** What is told behind the type is of the variable, or of what it points to. */
  private static Type stored(Type type, int storage) {
    int cv = storage & (Qualifiers.CONST | Qualifiers.VOLATILE);
    return type instanceof Type.Pointer pointer
        ? ((Type.Pointer) pointer.with(storage & ~cv)).toWith(cv)
        : type.with(storage);
  }

  private void function(Symbol.Function function) {
    if (function.thunk() != null) {
      put("[thunk]: ");
    }
    access(function.access(), function.member());
    if (function.externC() && !namesOnly) {
      put("extern \"C\" ");
    }
    Type.Function type = function.type();
    before(type);
    convention(type);
    space();
    name(function.name());
    if (function.thunk() != null) {
      put(thunk(function.thunk()));
    }
    after(type);
  }

  private static String thunk(Symbol.Thunk thunk) {
    String offsets = String.join(", ", thunk.offsets().stream().map(String::valueOf).toList());
    return thunk.isVcall()
        ? "{" + offsets + ", {flat}}"
        : "`" + thunk.kind() + "{" + offsets + "}'";
  }

  private void convention(Type.Function type) {
    if (!namesOnly && !type.convention().isEmpty()) {
      space();
      put(type.convention());
    }
  }

  private void words(int qualifiers) {
    Qualifiers.words(qualifiers).forEach(word -> put(" ").put(word));
  }

  /** What is in front of the declared name. */
  private void before(Type type) {
    switch (type) {
      case Type.Basic(String text, int qualifiers) -> {
        put(text);
        words(qualifiers);
      }
      case Type.Tag(String kind, Name name, int qualifiers) -> {
        if (!kind.isEmpty()) {
          put(kind).put(" ");
        }
        name(name);
        words(qualifiers);
      }
      case Type.Array array -> {
        before(array.of());
        words(array.qualifiers() | array.elements());
      }
      case Type.Managed managed -> {
        put(managed.name()).put("<");
        before(managed.of());
        after(managed.of());
        put(managed.rank() > 1 ? ", " + managed.rank() : "").put(">").put(managed.sign());
        words(managed.qualifiers());
      }
      case Type.Function function -> {
        if (!namesOnly && function.result() != null) {
          before(function.result());
          put(" ");
        }
      }
      case Type.Pointer pointer -> pointer(pointer);
    }
  }

  /** Writes all of it, whatever is asked for. */
  private void full(Runnable what) {
    boolean before = namesOnly;
    namesOnly = false;
    what.run();
    namesOnly = before;
  }

  private void pointer(Type.Pointer pointer) {
    if (pointer.to() instanceof Type.Function) {
      full(() -> before(pointer.to()));
    } else {
      before(pointer.to());
    }
    space();
    if ((pointer.qualifiers() & Qualifiers.UNALIGNED) != 0) {
      put("__unaligned ");
    }
    switch (pointer.to()) {
      case Type.Array _ -> put("(");
      case Type.Function function -> {
        put("(").put(function.convention()).put(" ");
      }
      default -> {}
    }
    if (pointer.of() != null) {
      name(pointer.of());
      put("::");
    }
    put(pointer.sign());
    put(String.join(" ", Qualifiers.words(pointer.qualifiers())));
  }

  /** What is behind the declared name. */
  private void after(Type type) {
    switch (type) {
      case Type.Basic _, Type.Tag _, Type.Managed _ -> {}
      case Type.Pointer pointer -> {
        if (pointer.to() instanceof Type.Array || pointer.to() instanceof Type.Function) {
          put(")");
        }
        after(pointer.to());
      }
      case Type.Array array -> {
        for (long dimension : array.dimensions()) {
          put("[").put(dimension == 0 ? "" : Long.toUnsignedString(dimension)).put("]");
        }
        after(array.of());
      }
      case Type.Function function -> parameters(function);
    }
  }

  private void parameters(Type.Function function) {
    if (function.hasParameters()) {
      put("(");
      if (function.parameters().isEmpty() && !function.variadic()) {
        put("void");
      }
      String between = "";
      for (Type parameter : function.parameters()) {
        put(between);
        before(parameter);
        after(parameter);
        between = ", ";
      }
      if (function.variadic()) {
        put(between).put("...");
      }
      put(")");
    }
    words(function.qualifiers());
    if ((function.qualifiers() & Qualifiers.UNALIGNED) != 0) {
      put(" __unaligned");
    }
    if (function.isNoexcept()) {
      put(" noexcept");
    }
    if (!function.reference().isEmpty()) {
      put(" ").put(function.reference());
    }
    if (!namesOnly && function.result() != null) {
      after(function.result());
    }
  }

  private void name(Name name) {
    switch (name) {
      case Name.Plain(String text) -> put(text);
      case Name.Special(String text) -> put(text);
      case Name.Recalled(Name _, String text) -> put(text);
      case Name.BaseClass(List<Long> at) ->
          put("`RTTI Base Class Descriptor at (")
              .put(String.join(", ", at.stream().map(String::valueOf).toList()))
              .put(")'");
      case Name.Qualified(List<Name> parts) -> {
        for (int i = 0; i < parts.size(); i++) {
          put(i > 0 ? "::" : "");
          name(parts.get(i));
        }
      }
      case Name.Template(Name.Conversion(Type to), List<Argument> arguments) -> {
        put("operator");
        arguments(arguments);
        converted(to);
      }
      case Name.Template(Name of, List<Argument> arguments) -> {
        name(of);
        arguments(arguments);
      }
      case Name.Structor(boolean destructor, Name of) -> {
        put(destructor ? "~" : "");
        if (of != null) {
          name(of);
        }
      }
      case Name.Conversion(Type to) -> {
        put("operator");
        converted(to);
      }
      case Name.Local(Symbol in, long number) -> {
        put("`");
        full(() -> symbol(in));
        put("'::`").put(Long.toString(number)).put("'");
      }
      case Name.Dynamic(String what, Symbol of) -> {
        put(what).put(of instanceof Symbol.Variable ? "`" : "'");
        symbol(of);
        put("''");
      }
    }
  }

  private void converted(@Nullable Type to) {
    if (to != null) {
      put(" ");
      before(to);
      after(to);
    }
  }

  private void arguments(List<Argument> arguments) {
    put("<");
    String between = "";
    for (Argument argument : arguments) {
      put(between);
      argument(argument);
      between = ", ";
    }
    put(">");
  }

  private void argument(Argument argument) {
    switch (argument) {
      case Argument.OfText(String text) -> put(text);
      case Argument.OfName(Name name) -> name(name);
      case Argument.OfType(Type type) -> {
        before(type);
        if (type instanceof Type.Function function) {
          convention(function);
        }
        after(type);
      }
      case Argument.OfSymbol(Symbol symbol, boolean pointer, List<Long> offsets) -> {
        put(!offsets.isEmpty() ? "{" : pointer ? "&" : "");
        if (symbol != null) {
          symbol(symbol);
          put(offsets.isEmpty() ? "" : ", ");
        }
        put(String.join(", ", offsets.stream().map(String::valueOf).toList()));
        put(offsets.isEmpty() ? "" : "}");
      }
    }
  }
}
