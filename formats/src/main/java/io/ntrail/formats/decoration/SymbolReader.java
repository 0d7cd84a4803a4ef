package io.ntrail.formats.decoration;

import io.ntrail.formats.decoration.NameNode.Argument;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parser of one decorated name.
 *
 * <p>Source: the facts on undecoration (grammar), with the texts of llvm-undname 14 as the measure
 * of what is a decorated name and what is not.
 */
final class SymbolReader {
  private static final int MOST_DEPTH = 200;

  private final DecoratedNameCursor in;
  private final boolean crt;
  private final NameReader names;
  private final TypeReader types;
  private int depth;

  private SymbolReader(DecoratedNameCursor in, boolean crt) {
    this.in = in;
    this.crt = crt;
    this.names = new NameReader(in, this);
    this.types = new TypeReader(in, this, names);
  }

  /**
   * Parses a name. Anything after it, as some tools write to show where a string is from, is
   * ignored.
   *
   * @param crt whether the rules of the C runtime apply, for which {@code ?$a@H@} is a name and
   *     {@code ?} a parameter among the arguments of a template
   * @throws DecoratedNameCursor.Undecipherable if it is not a decorated name
   */
  static SymbolNode read(String decorated, boolean crt) {
    if (crt && decorated.startsWith("?$")) {
      SymbolNode template = templateAlone(decorated);
      if (template != null) {
        return template;
      }
    }
    DecoratedNameCursor in = new DecoratedNameCursor(decorated);
    SymbolReader reader = new SymbolReader(in, crt);
    return in.starts(".") ? reader.typeInfo() : reader.symbol();
  }

  /**
   * A template and no more; null if it is something else, as a function may be called {@code $f}.
   */
  private static @Nullable SymbolNode templateAlone(String decorated) {
    try {
      DecoratedNameCursor in = new DecoratedNameCursor(decorated);
      NameNode name = new SymbolReader(in, true).names.templateAlone();
      return in.isEmpty() ? new SymbolNode.Untyped(name) : null;
    } catch (DecoratedNameCursor.Undecipherable e) {
      return null;
    }
  }

  /** Returns true if the rules of the C runtime apply. */
  boolean isCrt() {
    return crt;
  }

  TypeReader types() {
    return types;
  }

  private SymbolNode typeInfo() {
    in.must('.');
    TypeNode type = types.result();
    if (!in.isEmpty()) {
      throw DecoratedNameCursor.wrong();
    }
    return new SymbolNode.Descriptor(type, "`RTTI Type Descriptor Name'");
  }

  /** One more within another; too deep is nonsense. */
  void enter() {
    if (++depth > MOST_DEPTH) {
      throw DecoratedNameCursor.wrong();
    }
  }

  void leave() {
    depth--;
  }

  /** Reads a symbol, which starts with its {@code ?}. */
  SymbolNode symbol() {
    enter();
    try {
      if (in.starts("??@")) {
        return hashed();
      }
      in.must('?');
      SymbolNode special = special();
      return special != null ? special : declaration();
    } finally {
      leave();
    }
  }

  /** Reads the MD5 that replaces a name that was too long. */
  private SymbolNode hashed() {
    in.take("??@");
    String text = "??@" + in.until('@') + "@";
    return new SymbolNode.Text(in.take("??_R4@") ? text + "??_R4@" : text);
  }

  private @Nullable SymbolNode special() {
    if (in.take("?_7")) {
      return table("`vftable'");
    } else if (in.take("?_8")) {
      return table("`vbtable'");
    } else if (in.take("?_S")) {
      return table("`local vftable'");
    } else if (in.take("?_R4")) {
      return table("`RTTI Complete Object Locator'");
    } else if (in.take("?_9")) {
      return vcall();
    } else if (in.take("?_B")) {
      return guard("`local static guard'");
    } else if (in.take("?__J")) {
      return guard("`local static thread guard'");
    } else if (in.take("?_C")) {
      return new SymbolNode.Literal(StringLiteral.read(in));
    } else if (in.take("?_R0")) {
      TypeNode type = types.result();
      if (!in.take("@8") || !in.isEmpty()) {
        throw DecoratedNameCursor.wrong();
      }
      return new SymbolNode.Descriptor(type, "`RTTI Type Descriptor'");
    } else if (in.take("?_R1")) {
      long nonVirtual = in.unsigned();
      long virtual = in.number();
      long table = in.unsigned();
      return untyped(new NameNode.BaseClass(List.of(nonVirtual, virtual, table, in.unsigned())));
    } else if (in.take("?_R2")) {
      return untyped(new NameNode.Special("`RTTI Base Class Array'"));
    } else if (in.take("?_R3")) {
      return untyped(new NameNode.Special("`RTTI Class Hierarchy Descriptor'"));
    } else if (in.take("?__E")) {
      return dynamic("`dynamic initializer for ");
    } else if (in.take("?__F")) {
      return dynamic("`dynamic atexit destructor for ");
    } else if (in.starts("?_A") || in.starts("?_P")) {
      throw DecoratedNameCursor.wrong();
    }
    return null;
  }

  private SymbolNode table(String what) {
    NameNode name = names.scopes(new NameNode.Special(what));
    if (!in.take('6') && !in.take('7')) {
      throw DecoratedNameCursor.wrong();
    }
    int qualifiers = types.qualifiers();
    NameNode target = in.take('@') ? null : names.typeName();
    if (target != null) {
      in.must('@');
    }
    return new SymbolNode.Table(name, qualifiers, target);
  }

  private SymbolNode untyped(NameNode what) {
    NameNode name = names.scopes(what);
    in.must('8');
    return new SymbolNode.Untyped(name);
  }

  private SymbolNode vcall() {
    List<NameNode> parts = names.scopeParts();
    if (!in.take("$B")) {
      throw DecoratedNameCursor.wrong();
    }
    long offset = in.unsigned();
    in.must('A');
    String convention = types.convention();
    parts.add(new NameNode.Special("`vcall'"));
    return new SymbolNode.Function(
        new NameNode.Qualified(parts),
        "",
        "",
        false,
        new SymbolNode.Thunk("vcall", List.of(offset)),
        new TypeNode.Function(
            null, convention, false, List.of(), false, false, "", Qualifiers.NONE));
  }

  private SymbolNode guard(String what) {
    NameNode name = names.scopes(new NameNode.Special(what));
    if (!in.take("4IA") && !in.take('5')) {
      throw DecoratedNameCursor.wrong();
    }
    return new SymbolNode.Guard(name, in.isEmpty() ? 0 : in.unsigned());
  }

  private SymbolNode dynamic(String what) {
    boolean member = in.take('?');
    SymbolNode of = declaration();
    if (of instanceof SymbolNode.Variable) {
      in.must('@');
      if (member) {
        in.must('@');
      }
      return function(new NameNode.Dynamic(what, of));
    }
    if (member || !(of instanceof SymbolNode.Function function)) {
      throw DecoratedNameCursor.wrong();
    }
    return new SymbolNode.Function(
        new NameNode.Dynamic(what, new SymbolNode.Untyped(of.name())),
        function.access(),
        function.member(),
        function.externC(),
        function.thunk(),
        function.type());
  }

  private SymbolNode declaration() {
    NameNode.Qualified name = names.symbolName();
    // Managed code says so; what it declares is declared as all others.
    if (!in.take("$$Q")) {
      return in.peek() >= '0' && in.peek() <= '4' ? variable(name) : function(name);
    }
    return variable(name);
  }

  private SymbolNode variable(NameNode.Qualified name) {
    if (name.last() instanceof NameNode.Conversion) {
      throw DecoratedNameCursor.wrong();
    }
    String access =
        switch (in.next()) {
          case '0' -> "private";
          case '1' -> "protected";
          case '2' -> "public";
          case '3', '4' -> "";
          default -> throw DecoratedNameCursor.wrong();
        };
    TypeNode type = types.type();
    int storage = types.storage(type);
    if (type instanceof TypeNode.Pointer pointer && pointer.of() != null) {
      names.typeName();
    }
    return new SymbolNode.Variable(name, access, !access.isEmpty(), type, storage);
  }

  private SymbolNode function(NameNode name) {
    boolean externC = in.take("$$J0");
    if (!in.take("$$F")) {
      in.take("$$H");
    }
    String access = "";
    String member = "";
    SymbolNode.Thunk thunk = null;
    boolean hasThis = true;
    char kind = in.next();
    if (kind == '9') {
      return new SymbolNode.Function(
          name,
          "",
          "",
          true,
          null,
          new TypeNode.Function(null, "", false, List.of(), false, false, "", Qualifiers.NONE));
    }
    if (kind == '$') {
      boolean extended = in.take('R');
      int which = in.next() - '0';
      if (which < 0 || which > 5) {
        throw DecoratedNameCursor.wrong();
      }
      access = List.of("private", "protected", "public").get(which / 2);
      member = "virtual";
      thunk =
          extended
              ? new SymbolNode.Thunk("vtordispex", List.of(offset(), offset(), offset(), offset()))
              : new SymbolNode.Thunk("vtordisp", List.of(offset(), offset()));
    } else if (kind == 'Y' || kind == 'Z') {
      hasThis = false;
    } else if (kind >= 'A' && kind <= 'X') {
      access = List.of("private", "protected", "public").get((kind - 'A') / 8);
      int form = (kind - 'A') % 8 / 2;
      hasThis = form != 1;
      // Thunks of private functions are printed as llvm-undname prints them.
      boolean virtual = form == 2 || form == 3 && kind > 'H';
      member = form == 1 ? "static" : virtual ? "virtual" : "";
      if (form == 3) {
        thunk = new SymbolNode.Thunk("adjustor", List.of(in.unsigned()));
      }
    } else {
      throw DecoratedNameCursor.wrong();
    }
    TypeNode.Function type = types.function(hasThis);
    return new SymbolNode.Function(resolved(name, type), access, member, externC, thunk, type);
  }

  /** Offsets below 0 come as 32 bits. */
  private long offset() {
    return (int) in.number();
  }

  /** An operator that converts is called by what it converts to. */
  private static NameNode resolved(NameNode name, TypeNode.Function type) {
    if (!(name instanceof NameNode.Qualified qualified)) {
      return name;
    }
    NameNode last = qualified.last();
    NameNode inner = last instanceof NameNode.Template(NameNode of, List<Argument> _) ? of : last;
    if (!(inner instanceof NameNode.Conversion)) {
      return name;
    }
    if (type.result() == null) {
      throw DecoratedNameCursor.wrong();
    }
    NameNode conversion = new NameNode.Conversion(type.result());
    List<NameNode> parts = new ArrayList<>(qualified.parts());
    parts.set(
        parts.size() - 1,
        last instanceof NameNode.Template(NameNode _, List<Argument> arguments)
            ? new NameNode.Template(conversion, arguments)
            : conversion);
    return new NameNode.Qualified(parts);
  }
}
