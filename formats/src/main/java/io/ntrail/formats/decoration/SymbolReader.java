package io.ntrail.formats.decoration;

import io.ntrail.formats.decoration.Name.Argument;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a decorated name stands for. Used for one name.
 *
 * <p>Source: the facts on undecoration (grammar), with the texts of llvm-undname 14 as the measure
 * of what is a name and what is not.
 */
final class SymbolReader {
  private static final int MOST_DEPTH = 200;
  private static final int MOST_BACK = 10;

  /** What names that were recalled may add up to: they can multiply. */
  private static final int MOST_TEXT = 1 << 16;

  private static final Map<String, String> OPERATORS =
      Map.ofEntries(
          Map.entry("2", "operator new"),
          Map.entry("3", "operator delete"),
          Map.entry("4", "operator="),
          Map.entry("5", "operator>>"),
          Map.entry("6", "operator<<"),
          Map.entry("7", "operator!"),
          Map.entry("8", "operator=="),
          Map.entry("9", "operator!="),
          Map.entry("A", "operator[]"),
          Map.entry("C", "operator->"),
          Map.entry("D", "operator*"),
          Map.entry("E", "operator++"),
          Map.entry("F", "operator--"),
          Map.entry("G", "operator-"),
          Map.entry("H", "operator+"),
          Map.entry("I", "operator&"),
          Map.entry("J", "operator->*"),
          Map.entry("K", "operator/"),
          Map.entry("L", "operator%"),
          Map.entry("M", "operator<"),
          Map.entry("N", "operator<="),
          Map.entry("O", "operator>"),
          Map.entry("P", "operator>="),
          Map.entry("Q", "operator,"),
          Map.entry("R", "operator()"),
          Map.entry("S", "operator~"),
          Map.entry("T", "operator^"),
          Map.entry("U", "operator|"),
          Map.entry("V", "operator&&"),
          Map.entry("W", "operator||"),
          Map.entry("X", "operator*="),
          Map.entry("Y", "operator+="),
          Map.entry("Z", "operator-="),
          Map.entry("_0", "operator/="),
          Map.entry("_1", "operator%="),
          Map.entry("_2", "operator>>="),
          Map.entry("_3", "operator<<="),
          Map.entry("_4", "operator&="),
          Map.entry("_5", "operator|="),
          Map.entry("_6", "operator^="),
          Map.entry("_D", "`vbase dtor'"),
          Map.entry("_E", "`vector deleting dtor'"),
          Map.entry("_F", "`default ctor closure'"),
          Map.entry("_G", "`scalar deleting dtor'"),
          Map.entry("_H", "`vector ctor iterator'"),
          Map.entry("_I", "`vector dtor iterator'"),
          Map.entry("_J", "`vector vbase ctor iterator'"),
          Map.entry("_K", "`virtual displacement map'"),
          Map.entry("_L", "`eh vector ctor iterator'"),
          Map.entry("_M", "`eh vector dtor iterator'"),
          Map.entry("_N", "`eh vector vbase ctor iterator'"),
          Map.entry("_O", "`copy ctor closure'"),
          Map.entry("_T", "`local vftable ctor closure'"),
          Map.entry("_U", "operator new[]"),
          Map.entry("_V", "operator delete[]"),
          Map.entry("_X", "`placement delete closure'"),
          Map.entry("_Y", "`placement delete[] closure'"),
          Map.entry("__A", "`managed vector ctor iterator'"),
          Map.entry("__B", "`managed vector dtor iterator'"),
          Map.entry("__C", "`EH vector copy ctor iterator'"),
          Map.entry("__D", "`EH vector vbase copy ctor iterator'"),
          Map.entry("__G", "`vector copy ctor iterator'"),
          Map.entry("__H", "`vector vbase copy constructor iterator'"),
          Map.entry("__I", "`managed vector vbase copy constructor iterator'"),
          Map.entry("__L", "operator co_await"),
          Map.entry("__M", "operator<=>"));

  private final Encoded in;
  private final TypeReader types;
  private List<Name> names = new ArrayList<>();
  private int recalled;
  private int depth;

  private SymbolReader(Encoded in) {
    this.in = in;
    this.types = new TypeReader(in, this);
  }

  /**
   * Reads a name. What follows it, as some tools write where a string is from, is left.
   *
   * @throws Encoded.Undecipherable if it is no decorated name
   */
  static Symbol read(String decorated) {
    Encoded in = new Encoded(decorated);
    SymbolReader reader = new SymbolReader(in);
    return in.starts(".") ? reader.typeInfo() : reader.symbol();
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
      return new Symbol.Text(StringLiteral.read(in));
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
      return untyped(
          "`RTTI Base Class Descriptor at (%d, %d, %d, %d)'"
              .formatted(nonVirtual, virtual, table, in.unsigned()));
    } else if (in.take("?_R2")) {
      return untyped("`RTTI Base Class Array'");
    } else if (in.take("?_R3")) {
      return untyped("`RTTI Class Hierarchy Descriptor'");
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
    Name name = scopes(new Name.Plain(what));
    if (!in.take('6') && !in.take('7')) {
      throw Encoded.wrong();
    }
    int qualifiers = types.qualifiers();
    Name target = in.take('@') ? null : types.className();
    if (target != null) {
      in.must('@');
    }
    return new Symbol.Table(name, qualifiers, target);
  }

  private Symbol untyped(String what) {
    Name name = scopes(new Name.Plain(what));
    in.must('8');
    return new Symbol.Untyped(name);
  }

  private Symbol vcall() {
    List<Name> parts = scopeParts();
    if (!in.take("$B")) {
      throw Encoded.wrong();
    }
    long offset = in.unsigned();
    in.must('A');
    String convention = types.convention();
    parts.add(new Name.Plain("`vcall'{" + offset + ", {flat}}"));
    return new Symbol.Function(
        new Name.Qualified(parts),
        "",
        "",
        false,
        "",
        new Type.Function(null, convention, false, List.of(), false, false, "", Qualifiers.NONE));
  }

  private Symbol guard(String what) {
    List<Name> parts = scopeParts();
    if (!in.take("4IA") && !in.take('5')) {
      throw Encoded.wrong();
    }
    long index = in.isEmpty() ? 0 : in.unsigned();
    parts.add(new Name.Plain(index > 0 ? what + "{" + index + "}" : what));
    return new Symbol.Untyped(new Name.Qualified(parts));
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
    Name.Qualified name = symbolName();
    return in.peek() >= '0' && in.peek() <= '4' ? variable(name) : function(name);
  }

  private Symbol variable(Name.Qualified name) {
    if (name.last() instanceof Name.Conversion) {
      throw Encoded.wrong();
    }
    char storage = in.next();
    Type type = types.type();
    if (type instanceof Type.Pointer pointer) {
      int flags = types.pointerFlags();
      int extra = types.qualifiers();
      if (pointer.of() != null) {
        types.className();
      }
      type = ((Type.Pointer) pointer.with(flags)).toWith(extra);
    } else {
      type = type.with(types.qualifiers());
    }
    String access =
        switch (storage) {
          case '0' -> "private";
          case '1' -> "protected";
          case '2' -> "public";
          default -> "";
        };
    return new Symbol.Variable(name, access, !access.isEmpty(), type);
  }

  private Symbol function(Name name) {
    boolean externC = in.take("$$J0");
    // Managed code says so; its functions are declared as all others.
    if (!in.take("$$F")) {
      in.take("$$H");
    }
    String access = "";
    String member = "";
    String thunk = null;
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
              ? "`vtordispex{%d, %d, %d, %d}'".formatted(offset(), offset(), offset(), offset())
              : "`vtordisp{%d, %d}'".formatted(offset(), offset());
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
        thunk = "`adjustor{" + in.unsigned() + "}'";
      }
    } else {
      throw Encoded.wrong();
    }
    Type.Function type = types.function(hasThis);
    return new Symbol.Function(resolved(name, type), access, member, externC, thunk, type);
  }

  /** Offsets below 0 come as 32 bits. */
  private int offset() {
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

  /** The name of a function or variable. */
  Name.Qualified symbolName() {
    Name last = unqualifiedSymbol(true);
    Name.Qualified name = scopes(last);
    boolean template = last instanceof Name.Template;
    Name inner = last instanceof Name.Template(Name of, List<Argument> _) ? of : last;
    if (!(inner instanceof Name.Structor(boolean destructor, Name _))) {
      return name;
    }
    if (name.parts().size() < 2) {
      throw Encoded.wrong();
    }
    List<Name> parts = new ArrayList<>(name.parts());
    Name resolved = new Name.Structor(destructor, parts.get(parts.size() - 2));
    parts.set(
        parts.size() - 1,
        template ? new Name.Template(resolved, ((Name.Template) last).arguments()) : resolved);
    return new Name.Qualified(parts);
  }

  /** The name of a type. */
  Name.Qualified typeName() {
    return scopes(unqualifiedType());
  }

  /** The name of a type without its scopes. */
  Name unqualifiedType() {
    if (in.startsWithDigit()) {
      return recall();
    }
    if (in.starts("?$")) {
      return template(true);
    }
    return simple(true);
  }

  /** The name of a function or variable without its scopes. */
  private Name unqualifiedSymbol(boolean remember) {
    if (in.startsWithDigit()) {
      return recall();
    }
    if (in.starts("?$")) {
      return template(false);
    }
    return in.starts("?") ? operator() : simple(remember);
  }

  private Name operator() {
    in.must('?');
    String code = "" + in.next();
    if (code.equals("_")) {
      code += in.next();
      if (code.equals("__")) {
        code += in.next();
      }
    }
    return switch (code) {
      case "0", "1" -> new Name.Structor(code.equals("1"), null);
      case "B" -> new Name.Conversion(null);
      case "__K" -> new Name.Plain("operator \"\"" + in.until('@'));
      default -> {
        String text = OPERATORS.get(code);
        if (text == null) {
          throw Encoded.wrong();
        }
        yield new Name.Plain(text);
      }
    };
  }

  private Name recall() {
    int index = in.next() - '0';
    if (index >= names.size()) {
      throw Encoded.wrong();
    }
    Name name = names.get(index);
    recalled += name instanceof Name.Plain(String text) ? text.length() : 0;
    if (recalled > MOST_TEXT) {
      throw Encoded.wrong();
    }
    return name;
  }

  private void remember(String text) {
    Name name = new Name.Plain(text);
    if (names.size() < MOST_BACK && !names.contains(name)) {
      names.add(name);
    }
  }

  private Name simple(boolean remember) {
    String text = in.until('@');
    if (remember) {
      remember(text);
    }
    return new Name.Plain(text);
  }

  /**
   * A template with its arguments.
   *
   * @param scope whether it is a type or a scope: these are remembered
   */
  private Name template(boolean scope) {
    enter();
    in.take("?$");
    List<Name> outer = names;
    names = new ArrayList<>();
    List<Type> outerTypes = types.fresh();
    Name name = unqualifiedSymbol(true);
    List<Argument> arguments = new ArrayList<>();
    while (!in.take('@')) {
      argument(arguments);
    }
    names = outer;
    types.back(outerTypes);
    Name whole = new Name.Template(name, arguments);
    if (scope) {
      if (name instanceof Name.Structor || name instanceof Name.Conversion) {
        throw Encoded.wrong();
      }
      remember(UndecoratedText.of(whole));
    }
    leave();
    return whole;
  }

  private void argument(List<Argument> arguments) {
    if (in.take("$S") || in.take("$$V") || in.take("$$$V") || in.take("$$Z")) {
      return;
    }
    if (in.take("$$Y")) {
      arguments.add(new Argument.OfName(typeName()));
    } else if (in.take("$$B")) {
      arguments.add(new Argument.OfType(types.type()));
    } else if (in.take("$$C")) {
      arguments.add(new Argument.OfType(types.qualified()));
    } else if (in.starts("$1") || in.starts("$H") || in.starts("$I") || in.starts("$J")) {
      in.must('$');
      arguments.add(member(in.next()));
    } else if (in.starts("$E?")) {
      in.take("$E");
      arguments.add(new Argument.OfSymbol(symbol(), false, List.of()));
    } else if (in.take("$F")) {
      arguments.add(new Argument.OfSymbol(null, false, numbers(2)));
    } else if (in.take("$G")) {
      arguments.add(new Argument.OfSymbol(null, false, numbers(3)));
    } else if (in.take("$0")) {
      arguments.add(new Argument.OfText(Long.toString(in.number())));
    } else {
      arguments.add(new Argument.OfType(types.type()));
    }
  }

  private Argument member(char kind) {
    Symbol symbol = null;
    if (in.starts("?")) {
      symbol = symbol();
      Name name = symbol.name();
      remember(
          UndecoratedText.of(name instanceof Name.Qualified qualified ? qualified.last() : name));
    }
    List<Long> offsets =
        numbers(
            switch (kind) {
              case 'J' -> 3;
              case 'I' -> 2;
              case 'H' -> 1;
              default -> 0;
            });
    return new Argument.OfSymbol(symbol, true, offsets);
  }

  private List<Long> numbers(int count) {
    List<Long> numbers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      numbers.add(in.number());
    }
    return numbers;
  }

  private List<Name> scopeParts() {
    List<Name> parts = new ArrayList<>();
    while (!in.take('@')) {
      if (in.isEmpty()) {
        throw Encoded.wrong();
      }
      parts.add(scope());
    }
    Collections.reverse(parts);
    return parts;
  }

  private Name.Qualified scopes(Name last) {
    List<Name> parts = scopeParts();
    parts.add(last);
    return new Name.Qualified(parts);
  }

  private Name scope() {
    if (in.startsWithDigit()) {
      return recall();
    }
    if (in.starts("?$")) {
      return template(true);
    }
    if (in.take("?A")) {
      remember(in.take('@') ? "" : in.until('@'));
      return new Name.Plain("`anonymous namespace'");
    }
    if (in.startsLocalScope()) {
      in.must('?');
      long number = in.number();
      in.must('?');
      return new Name.Local(symbol(), number);
    }
    return simple(true);
  }
}
