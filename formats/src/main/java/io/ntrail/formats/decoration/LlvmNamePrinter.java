package io.ntrail.formats.decoration;

import io.ntrail.formats.decoration.NameNode.Argument;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Prints an undecorated name in the form of llvm-undname.
 *
 * <p>Kinds of nodes are asked for one by one, the frequent ones first: a switch over types is made
 * at its first use, at every start anew, and short runs end before it is compiled.
 */
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
    if (symbol instanceof SymbolNode.Function function) {
      function(function);
    } else if (symbol instanceof SymbolNode.Variable variable) {
      variable(variable);
    } else if (symbol instanceof SymbolNode.Table table) {
      table(table);
    } else if (symbol instanceof SymbolNode.Literal literal) {
      put(literal.text());
    } else if (symbol instanceof SymbolNode.Text text) {
      put(text.text());
    } else if (symbol instanceof SymbolNode.Untyped untyped) {
      name(untyped.name());
    } else if (symbol instanceof SymbolNode.Guard guard) {
      name(guard.name());
      put(guard.index() > 0 ? "{" + guard.index() + "}" : "");
    } else {
      descriptor((SymbolNode.Descriptor) symbol);
    }
  }

  private void table(SymbolNode.Table table) {
    String words = Qualifiers.text(table.qualifiers());
    if (!words.isEmpty()) {
      put(words).put(" ");
    }
    name(table.name());
    NameNode target = table.target();
    if (target != null) {
      put("{for `");
      name(target);
      put("'}");
    }
  }

  private void descriptor(SymbolNode.Descriptor descriptor) {
    if (namesOnly) {
      put(descriptor.what());
      return;
    }
    before(descriptor.type());
    space();
    put(descriptor.what());
    after(descriptor.type());
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
    String words = Qualifiers.text(qualifiers);
    if (!words.isEmpty()) {
      put(" ").put(words);
    }
  }

  /** Writes the part before the declared name. */
  private void before(TypeNode type) {
    if (type instanceof TypeNode.Tag tag) {
      if (!tag.kind().isEmpty()) {
        put(tag.kind()).put(" ");
      }
      name(tag.name());
      words(tag.qualifiers());
    } else if (type instanceof TypeNode.Basic basic) {
      put(basic.text());
      words(basic.qualifiers());
    } else if (type instanceof TypeNode.Pointer pointer) {
      pointer(pointer);
    } else if (type instanceof TypeNode.Function function) {
      if (!namesOnly && function.result() != null) {
        before(function.result());
        put(" ");
      }
    } else if (type instanceof TypeNode.Array array) {
      before(array.of());
      words(array.qualifiers() | array.elements());
    } else {
      managed((TypeNode.Managed) type);
    }
  }

  private void managed(TypeNode.Managed managed) {
    put(managed.name()).put("<");
    before(managed.of());
    after(managed.of());
    put(managed.rank() > 1 ? ", " + managed.rank() : "").put(">").put(managed.sign());
    words(managed.qualifiers());
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
    if (pointer.to() instanceof TypeNode.Array) {
      put("(");
    } else if (pointer.to() instanceof TypeNode.Function function) {
      put("(").put(function.convention()).put(" ");
    }
    if (pointer.of() != null) {
      name(pointer.of());
      put("::");
    }
    put(pointer.sign());
    put(Qualifiers.text(pointer.qualifiers()));
  }

  /** Writes the part after the declared name. */
  private void after(TypeNode type) {
    if (type instanceof TypeNode.Pointer pointer) {
      if (pointer.to() instanceof TypeNode.Array || pointer.to() instanceof TypeNode.Function) {
        put(")");
      }
      after(pointer.to());
    } else if (type instanceof TypeNode.Function function) {
      parameters(function);
    } else if (type instanceof TypeNode.Array array) {
      for (long dimension : array.dimensions()) {
        put("[").put(dimension == 0 ? "" : Long.toUnsignedString(dimension)).put("]");
      }
      after(array.of());
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
    if (name instanceof NameNode.Plain plain) {
      put(plain.text());
    } else if (name instanceof NameNode.Recalled recalled) {
      put(recalled.text());
    } else if (name instanceof NameNode.Qualified qualified) {
      qualified(qualified);
    } else if (name instanceof NameNode.Template template) {
      template(template);
    } else if (name instanceof NameNode.Special special) {
      put(special.text());
    } else if (name instanceof NameNode.Structor structor) {
      put(structor.destructor() ? "~" : "");
      if (structor.of() != null) {
        name(structor.of());
      }
    } else if (name instanceof NameNode.Local local) {
      put("`");
      full(() -> symbol(local.in()));
      put("'::`").put(Long.toString(local.number())).put("'");
    } else if (name instanceof NameNode.Conversion conversion) {
      put("operator");
      converted(conversion.to());
    } else if (name instanceof NameNode.Dynamic dynamic) {
      put(dynamic.what()).put(dynamic.of() instanceof SymbolNode.Variable ? "`" : "'");
      symbol(dynamic.of());
      put("''");
    } else {
      baseClass((NameNode.BaseClass) name);
    }
  }

  private void qualified(NameNode.Qualified name) {
    List<NameNode> parts = name.parts();
    for (int i = 0; i < parts.size(); i++) {
      put(i > 0 ? "::" : "");
      name(parts.get(i));
    }
  }

  private void template(NameNode.Template template) {
    if (template.name() instanceof NameNode.Conversion conversion) {
      put("operator");
      arguments(template.arguments());
      converted(conversion.to());
    } else {
      name(template.name());
      arguments(template.arguments());
    }
  }

  private void baseClass(NameNode.BaseClass base) {
    put("`RTTI Base Class Descriptor at (")
        .put(String.join(", ", base.at().stream().map(String::valueOf).toList()))
        .put(")'");
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
    if (argument instanceof Argument.OfType of) {
      before(of.type());
      if (of.type() instanceof TypeNode.Function function) {
        convention(function);
      }
      after(of.type());
    } else if (argument instanceof Argument.OfText of) {
      put(of.text());
    } else if (argument instanceof Argument.OfName of) {
      name(of.name());
    } else {
      symbol((Argument.OfSymbol) argument);
    }
  }

  private void symbol(Argument.OfSymbol of) {
    List<Long> offsets = of.offsets();
    put(!offsets.isEmpty() ? "{" : of.pointer() ? "&" : "");
    SymbolNode symbol = of.symbol();
    if (symbol != null) {
      symbol(symbol);
      put(offsets.isEmpty() ? "" : ", ");
    }
    put(String.join(", ", offsets.stream().map(String::valueOf).toList()));
    put(offsets.isEmpty() ? "" : "}");
  }
}
