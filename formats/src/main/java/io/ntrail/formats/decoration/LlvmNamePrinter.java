package io.ntrail.formats.decoration;

import io.ntrail.formats.decoration.NameNode.Argument;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Prints an undecorated name in the form of llvm-undname. */
final class LlvmNamePrinter {
  private static final int MOST_TEXT = 1 << 16;

  private final StringBuilder out = new StringBuilder();
  private boolean namesOnly;

  private LlvmNamePrinter(boolean namesOnly) {
    this.namesOnly = namesOnly;
  }

  /**
   * A symbol.
   *
   * @param namesOnly whether names and parameters alone are written
   */
  static String of(SymbolNode symbol, boolean namesOnly) {
    LlvmNamePrinter text = new LlvmNamePrinter(namesOnly);
    text.symbol(symbol);
    return text.out.toString();
  }

  /** A name. */
  static String of(NameNode name) {
    LlvmNamePrinter text = new LlvmNamePrinter(false);
    text.name(name);
    return text.out.toString();
  }

  private LlvmNamePrinter put(String text) {
    if (out.length() + text.length() > MOST_TEXT) {
      throw DecoratedNameCursor.wrong();
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

  private void symbol(SymbolNode symbol) {
    switch (symbol) {
      case SymbolNode.Text(String text) -> put(text);
      case SymbolNode.Literal(String text) -> put(text);
      case SymbolNode.Guard(NameNode name, long index) -> {
        name(name);
        put(index > 0 ? "{" + index + "}" : "");
      }
      case SymbolNode.Untyped(NameNode name) -> name(name);
      case SymbolNode.Descriptor(TypeNode type, String what) -> {
        if (namesOnly) {
          put(what);
        } else {
          before(type);
          space();
          put(what);
          after(type);
        }
      }
      case SymbolNode.Table(NameNode name, int qualifiers, NameNode target) -> {
        for (String word : Qualifiers.words(qualifiers)) {
          put(word).put(" ");
        }
        name(name);
        if (target != null) {
          put("{for `");
          name(target);
          put("'}");
        }
      }
      case SymbolNode.Variable variable -> variable(variable);
      case SymbolNode.Function function -> function(function);
    }
  }

  private void access(String access, String member) {
    if (!namesOnly) {
      put(access.isEmpty() ? "" : access + ": ").put(member.isEmpty() ? "" : member + " ");
    }
  }

  private void variable(SymbolNode.Variable variable) {
    access(variable.access(), variable.isStatic() ? "static" : "");
    if (namesOnly) {
      name(variable.name());
      return;
    }
    TypeNode type = stored(variable.type(), variable.storage());
    before(type);
    space();
    name(variable.name());
    after(type);
  }

  /**
   * Returns the type with the qualifiers after it: they are of the variable, or of what it points
   * to.
   */
  private static TypeNode stored(TypeNode type, int storage) {
    int cv = storage & (Qualifiers.CONST | Qualifiers.VOLATILE);
    return type instanceof TypeNode.Pointer pointer
        ? ((TypeNode.Pointer) pointer.with(storage & ~cv)).toWith(cv)
        : type.with(storage);
  }

  private void function(SymbolNode.Function function) {
    if (function.thunk() != null) {
      put("[thunk]: ");
    }
    access(function.access(), function.member());
    if (function.externC() && !namesOnly) {
      put("extern \"C\" ");
    }
    TypeNode.Function type = function.type();
    before(type);
    convention(type);
    space();
    name(function.name());
    if (function.thunk() != null) {
      put(thunk(function.thunk()));
    }
    after(type);
  }

  private static String thunk(SymbolNode.Thunk thunk) {
    String offsets = String.join(", ", thunk.offsets().stream().map(String::valueOf).toList());
    return thunk.isVcall()
        ? "{" + offsets + ", {flat}}"
        : "`" + thunk.kind() + "{" + offsets + "}'";
  }

  private void convention(TypeNode.Function type) {
    if (!namesOnly && !type.convention().isEmpty()) {
      space();
      put(type.convention());
    }
  }

  private void words(int qualifiers) {
    for (String word : Qualifiers.words(qualifiers)) {
      put(" ").put(word);
    }
  }

  /** Writes the part before the declared name. */
  private void before(TypeNode type) {
    switch (type) {
      case TypeNode.Basic(String text, int qualifiers) -> {
        put(text);
        words(qualifiers);
      }
      case TypeNode.Tag(String kind, NameNode name, int qualifiers) -> {
        if (!kind.isEmpty()) {
          put(kind).put(" ");
        }
        name(name);
        words(qualifiers);
      }
      case TypeNode.Array array -> {
        before(array.of());
        words(array.qualifiers() | array.elements());
      }
      case TypeNode.Managed managed -> {
        put(managed.name()).put("<");
        before(managed.of());
        after(managed.of());
        put(managed.rank() > 1 ? ", " + managed.rank() : "").put(">").put(managed.sign());
        words(managed.qualifiers());
      }
      case TypeNode.Function function -> {
        if (!namesOnly && function.result() != null) {
          before(function.result());
          put(" ");
        }
      }
      case TypeNode.Pointer pointer -> pointer(pointer);
    }
  }

  /** Writes a part in full, whatever the style. */
  private void full(Runnable what) {
    boolean before = namesOnly;
    namesOnly = false;
    what.run();
    namesOnly = before;
  }

  private void pointer(TypeNode.Pointer pointer) {
    if (pointer.to() instanceof TypeNode.Function) {
      full(() -> before(pointer.to()));
    } else {
      before(pointer.to());
    }
    space();
    if ((pointer.qualifiers() & Qualifiers.UNALIGNED) != 0) {
      put("__unaligned ");
    }
    switch (pointer.to()) {
      case TypeNode.Array _ -> put("(");
      case TypeNode.Function function -> {
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

  /** Writes the part after the declared name. */
  private void after(TypeNode type) {
    switch (type) {
      case TypeNode.Basic _, TypeNode.Tag _, TypeNode.Managed _ -> {}
      case TypeNode.Pointer pointer -> {
        if (pointer.to() instanceof TypeNode.Array || pointer.to() instanceof TypeNode.Function) {
          put(")");
        }
        after(pointer.to());
      }
      case TypeNode.Array array -> {
        for (long dimension : array.dimensions()) {
          put("[").put(dimension == 0 ? "" : Long.toUnsignedString(dimension)).put("]");
        }
        after(array.of());
      }
      case TypeNode.Function function -> parameters(function);
    }
  }

  private void parameters(TypeNode.Function function) {
    if (function.hasParameters()) {
      put("(");
      if (function.parameters().isEmpty() && !function.variadic()) {
        put("void");
      }
      String between = "";
      for (TypeNode parameter : function.parameters()) {
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

  private void name(NameNode name) {
    switch (name) {
      case NameNode.Plain(String text) -> put(text);
      case NameNode.Special(String text) -> put(text);
      case NameNode.Recalled(NameNode _, String text) -> put(text);
      case NameNode.BaseClass(List<Long> at) ->
          put("`RTTI Base Class Descriptor at (")
              .put(String.join(", ", at.stream().map(String::valueOf).toList()))
              .put(")'");
      case NameNode.Qualified(List<NameNode> parts) -> {
        for (int i = 0; i < parts.size(); i++) {
          put(i > 0 ? "::" : "");
          name(parts.get(i));
        }
      }
      case NameNode.Template(NameNode.Conversion(TypeNode to), List<Argument> arguments) -> {
        put("operator");
        arguments(arguments);
        converted(to);
      }
      case NameNode.Template(NameNode of, List<Argument> arguments) -> {
        name(of);
        arguments(arguments);
      }
      case NameNode.Structor(boolean destructor, NameNode of) -> {
        put(destructor ? "~" : "");
        if (of != null) {
          name(of);
        }
      }
      case NameNode.Conversion(TypeNode to) -> {
        put("operator");
        converted(to);
      }
      case NameNode.Local(SymbolNode in, long number) -> {
        put("`");
        full(() -> symbol(in));
        put("'::`").put(Long.toString(number)).put("'");
      }
      case NameNode.Dynamic(String what, SymbolNode of) -> {
        put(what).put(of instanceof SymbolNode.Variable ? "`" : "'");
        symbol(of);
        put("''");
      }
    }
  }

  private void converted(@Nullable TypeNode to) {
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
      case Argument.OfName(NameNode name) -> name(name);
      case Argument.OfType(TypeNode type) -> {
        before(type);
        if (type instanceof TypeNode.Function function) {
          convention(function);
        }
        after(type);
      }
      case Argument.OfSymbol(SymbolNode symbol, boolean pointer, List<Long> offsets) -> {
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
