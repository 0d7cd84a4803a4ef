package io.ntrail.formats.decoration;

import io.ntrail.formats.decoration.Name.Argument;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a decorated name stands for. Used for one name.
 *
 * <p>Source: the facts on undecoration (grammar), with the texts of llvm-undname 14 as the measure
 * of what is a name and what is not.
 */
final class SymbolReader {
  private static final int MOST_DEPTH = 200;

  private final Encoded in;
  private final boolean crt;
  private final NameReader names;
  private final TypeReader types;
  private int depth;

  private SymbolReader(Encoded in, boolean crt) {
    this.in = in;
    this.crt = crt;
    this.names = new NameReader(in, this);
    this.types = new TypeReader(in, this, names);
  }

  /**
   * Reads a name. What follows it, as some tools write where a string is from, is left.
   *
   * @param crt whether the C runtime is asked, for which {@code ?$a@H@} is a name and {@code ?} a
   *     parameter among the arguments of a template
   * @throws Encoded.Undecipherable if it is no decorated name
   */
  static Symbol read(String decorated, boolean crt) {
    if (crt && decorated.startsWith("?$")) {
      Symbol template = templateAlone(decorated);
      if (template != null) {
        return template;
      }
    }
    Encoded in = new Encoded(decorated);
    SymbolReader reader = new SymbolReader(in, crt);
    return in.starts(".") ? reader.typeInfo() : reader.symbol();
  }

  /**
   * A template and no more; null if it is something else, as a function may be called {@code $f}.
   */
  private static @Nullable Symbol templateAlone(String decorated) {
    try {
      Encoded in = new Encoded(decorated);
      Name name = new SymbolReader(in, true).names.templateAlone();
      return in.isEmpty() ? new Symbol.Untyped(name) : null;
    } catch (Encoded.Undecipherable e) {
      return null;
    }
  }

  /** Whether the C runtime is asked. */
  boolean isCrt() {
    return crt;
  }

  TypeReader types() {
    return types;
  }

  private Symbol typeInfo() {
    in.must('.');
    Type type = types.result();
    if (!in.isEmpty()) {
      throw Encoded.wrong();
    }
    return new Symbol.Descriptor(type, "`RTTI Type Descriptor Name'");
  }

  /** One more within another; too deep is nonsense. */
  void enter() {
    if (++depth > MOST_DEPTH) {
      throw Encoded.wrong();
    }
  }

  void leave() {
    depth--;
  }

  /** A symbol, which begins with its {@code ?}. */
  Symbol symbol() {
    enter();
    try {
      if (in.starts("??@")) {
        return hashed();
      }
      in.must('?');
      Symbol special = special();
      return special != null ? special : declaration();
    } finally {
      leave();
    }
  }

  /** A name that was too long and is told by its MD5. */
  private Symbol hashed() {
    in.take("??@");
    String text = "??@" + in.until('@') + "@";
    return new Symbol.Text(in.take("??_R4@") ? text + "??_R4@" : text);
  }

  private @Nullable Symbol special() {
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
      return new Symbol.Literal(StringLiteral.read(in));
    } else if (in.take("?_R0")) {
      Type type = types.result();
      if (!in.take("@8") || !in.isEmpty()) {
        throw Encoded.wrong();
      }
      return new Symbol.Descriptor(type, "`RTTI Type Descriptor'");
    } else if (in.take("?_R1")) {
      long nonVirtual = in.unsigned();
      long virtual = in.number();
      long table = in.unsigned();
      return untyped(new Name.BaseClass(List.of(nonVirtual, virtual, table, in.unsigned())));
    } else if (in.take("?_R2")) {
      return untyped(new Name.Special("`RTTI Base Class Array'"));
    } else if (in.take("?_R3")) {
      return untyped(new Name.Special("`RTTI Class Hierarchy Descriptor'"));
    } else if (in.take("?__E")) {
      return dynamic("`dynamic initializer for ");
    } else if (in.take("?__F")) {
      return dynamic("`dynamic atexit destructor for ");
    } else if (in.starts("?_A") || in.starts("?_P")) {
      throw Encoded.wrong();
    }
    return null;
  }

  private Symbol table(String what) {
    Name name = names.scopes(new Name.Special(what));
    if (!in.take('6') && !in.take('7')) {
      throw Encoded.wrong();
    }
    int qualifiers = types.qualifiers();
    Name target = in.take('@') ? null : names.typeName();
    if (target != null) {
      in.must('@');
    }
    return new Symbol.Table(name, qualifiers, target);
  }

  private Symbol untyped(Name what) {
    Name name = names.scopes(what);
    in.must('8');
    return new Symbol.Untyped(name);
  }

  private Symbol vcall() {
    List<Name> parts = names.scopeParts();
    if (!in.take("$B")) {
      throw Encoded.wrong();
    }
    long offset = in.unsigned();
    in.must('A');
    String convention = types.convention();
    parts.add(new Name.Special("`vcall'"));
    return new Symbol.Function(
        new Name.Qualified(parts),
        "",
        "",
        false,
        new Symbol.Thunk("vcall", List.of(offset)),
        new Type.Function(null, convention, false, List.of(), false, false, "", Qualifiers.NONE));
  }

  private Symbol guard(String what) {
    Name name = names.scopes(new Name.Special(what));
    if (!in.take("4IA") && !in.take('5')) {
      throw Encoded.wrong();
    }
    return new Symbol.Guard(name, in.isEmpty() ? 0 : in.unsigned());
  }

  private Symbol dynamic(String what) {
    boolean member = in.take('?');
    Symbol of = declaration();
    if (of instanceof Symbol.Variable) {
      in.must('@');
      if (member) {
        in.must('@');
      }
      return function(new Name.Dynamic(what, of));
    }
    if (member || !(of instanceof Symbol.Function function)) {
      throw Encoded.wrong();
    }
    return new Symbol.Function(
        new Name.Dynamic(what, new Symbol.Untyped(of.name())),
        function.access(),
        function.member(),
        function.externC(),
        function.thunk(),
        function.type());
  }

  private Symbol declaration() {
    Name.Qualified name = names.symbolName();
    // Managed code says so; what it declares is declared as all others.
    if (!in.take("$$Q")) {
      return in.peek() >= '0' && in.peek() <= '4' ? variable(name) : function(name);
    }
    return variable(name);
  }

  private Symbol variable(Name.Qualified name) {
    if (name.last() instanceof Name.Conversion) {
      throw Encoded.wrong();
    }
    String access =
        switch (in.next()) {
          case '0' -> "private";
          case '1' -> "protected";
          case '2' -> "public";
          case '3', '4' -> "";
          default -> throw Encoded.wrong();
        };
    Type type = types.type();
    int storage = types.storage(type);
    if (type instanceof Type.Pointer pointer && pointer.of() != null) {
      names.typeName();
    }
    return new Symbol.Variable(name, access, !access.isEmpty(), type, storage);
  }

  private Symbol function(Name name) {
    boolean externC = in.take("$$J0");
    if (!in.take("$$F")) {
      in.take("$$H");
    }
    String access = "";
    String member = "";
    Symbol.Thunk thunk = null;
    boolean hasThis = true;
    char kind = in.next();
    if (kind == '9') {
      return new Symbol.Function(
          name,
          "",
          "",
          true,
          null,
          new Type.Function(null, "", false, List.of(), false, false, "", Qualifiers.NONE));
    }
    if (kind == '$') {
      boolean extended = in.take('R');
      int which = in.next() - '0';
      if (which < 0 || which > 5) {
        throw Encoded.wrong();
      }
      access = List.of("private", "protected", "public").get(which / 2);
      member = "virtual";
      thunk =
          extended
              ? new Symbol.Thunk("vtordispex", List.of(offset(), offset(), offset(), offset()))
              : new Symbol.Thunk("vtordisp", List.of(offset(), offset()));
    } else if (kind == 'Y' || kind == 'Z') {
      hasThis = false;
    } else if (kind >= 'A' && kind <= 'X') {
      access = List.of("private", "protected", "public").get((kind - 'A') / 8);
      int form = (kind - 'A') % 8 / 2;
      hasThis = form != 1;
      // Thunks of private functions are told as llvm-undname tells them.
      boolean virtual = form == 2 || form == 3 && kind > 'H';
      member = form == 1 ? "static" : virtual ? "virtual" : "";
      if (form == 3) {
        thunk = new Symbol.Thunk("adjustor", List.of(in.unsigned()));
      }
    } else {
      throw Encoded.wrong();
    }
    Type.Function type = types.function(hasThis);
    return new Symbol.Function(resolved(name, type), access, member, externC, thunk, type);
  }

  /** Offsets below 0 come as 32 bits. */
  private long offset() {
    return (int) in.number();
  }

  /** An operator that converts is called by what it converts to. */
  private static Name resolved(Name name, Type.Function type) {
    if (!(name instanceof Name.Qualified qualified)) {
      return name;
    }
    Name last = qualified.last();
    Name inner = last instanceof Name.Template(Name of, List<Argument> _) ? of : last;
    if (!(inner instanceof Name.Conversion)) {
      return name;
    }
    if (type.result() == null) {
      throw Encoded.wrong();
    }
    Name conversion = new Name.Conversion(type.result());
    List<Name> parts = new ArrayList<>(qualified.parts());
    parts.set(
        parts.size() - 1,
        last instanceof Name.Template(Name _, List<Argument> arguments)
            ? new Name.Template(conversion, arguments)
            : conversion);
    return new Name.Qualified(parts);
  }
}
