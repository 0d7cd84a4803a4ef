package io.ntrail.formats.decoration;

import io.ntrail.formats.decoration.Name.Argument;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Reads the names in a decorated name, with their scopes and with the arguments of templates. */
final class NameReader {
  private static final int MOST_BACK = 10;

  /** What names that were recalled may add up to: they can multiply. */
  private static final int MOST_TEXT = 1 << 16;

  private final Encoded in;
  private final SymbolReader symbols;
  private List<Name.Recalled> names = new ArrayList<>();
  private int recalled;

  NameReader(Encoded in, SymbolReader symbols) {
    this.in = in;
    this.symbols = symbols;
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
    if (in.starts("??")) {
      // So managed code calls what initialises a variable: by a symbol within the name.
      if (!(symbols.symbol().name() instanceof Name.Dynamic initializer)) {
        throw Encoded.wrong();
      }
      in.must('@');
      return initializer;
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
      case "__K" -> new Name.Special("operator \"\"" + in.until('@'));
      default -> {
        String text = OperatorNames.of(code);
        if (text == null) {
          throw Encoded.wrong();
        }
        yield new Name.Special(text);
      }
    };
  }

  private Name recall() {
    int index = in.next() - '0';
    if (index >= names.size()) {
      throw Encoded.wrong();
    }
    Name.Recalled name = names.get(index);
    recalled += name.text().length();
    if (recalled > MOST_TEXT) {
      throw Encoded.wrong();
    }
    return name;
  }

  private void remember(Name name, String text) {
    if (names.size() < MOST_BACK && names.stream().noneMatch(one -> one.text().equals(text))) {
      names.add(new Name.Recalled(name, text));
    }
  }

  private Name simple(boolean remember) {
    String text = in.until('@');
    Name name = new Name.Plain(text);
    if (remember) {
      remember(name, text);
    }
    return name;
  }

  /**
   * A template.
   *
   * @param scope whether it is a type or a scope: these are remembered
   */
  private Name template(boolean scope) {
    Name.Template whole = open(false);
    if (scope) {
      Name name = whole.name();
      if (name instanceof Name.Structor || name instanceof Name.Conversion) {
        throw Encoded.wrong();
      }
      remember(whole, UndecoratedText.of(whole));
    }
    return whole;
  }

  /** A template by itself, whose arguments need no end. */
  Name templateAlone() {
    return open(true);
  }

  /**
   * A template with its arguments.
   *
   * @param alone whether its arguments may end with the text
   */
  private Name.Template open(boolean alone) {
    symbols.enter();
    in.take("?$");
    List<Name.Recalled> outer = names;
    names = new ArrayList<>();
    List<Type> outerTypes = symbols.types().fresh();
    Name name = unqualifiedSymbol(true);
    List<Argument> arguments = new ArrayList<>();
    while (!in.take('@') && !(alone && in.isEmpty())) {
      argument(arguments);
    }
    names = outer;
    symbols.types().back(outerTypes);
    symbols.leave();
    return new Name.Template(name, arguments);
  }

  private void argument(List<Argument> arguments) {
    if (in.take("$S") || in.take("$$V") || in.take("$$$V") || in.take("$$Z")) {
      return;
    }
    if (in.take("$$Y")) {
      arguments.add(new Argument.OfName(typeName()));
    } else if (in.take("$$B")) {
      arguments.add(new Argument.OfType(symbols.types().type()));
    } else if (in.take("$$C")) {
      arguments.add(new Argument.OfType(symbols.types().qualified()));
    } else if (in.starts("$1") || in.starts("$H") || in.starts("$I") || in.starts("$J")) {
      in.must('$');
      arguments.add(member(in.next()));
    } else if (in.starts("$E?")) {
      in.take("$E");
      arguments.add(new Argument.OfSymbol(symbols.symbol(), false, List.of()));
    } else if (in.take("$F")) {
      arguments.add(new Argument.OfSymbol(null, false, numbers(2)));
    } else if (in.take("$G")) {
      arguments.add(new Argument.OfSymbol(null, false, numbers(3)));
    } else if (in.take("$0")) {
      arguments.add(new Argument.OfText(Long.toString(in.number())));
    } else if (in.take("$D")) {
      arguments.add(new Argument.OfText("`template-parameter" + in.number() + "'"));
    } else if (in.take("$Q")) {
      arguments.add(new Argument.OfText("`non-type-template-parameter" + in.number() + "'"));
    } else if (symbols.isCrt() && in.take('?')) {
      arguments.add(new Argument.OfText("`template-parameter-" + in.number() + "'"));
    } else {
      arguments.add(new Argument.OfType(symbols.types().type()));
    }
  }

  private Argument member(char kind) {
    Symbol symbol = null;
    if (in.starts("?")) {
      symbol = symbols.symbol();
      Name name = symbol.name();
      Name last = name instanceof Name.Qualified qualified ? qualified.last() : name;
      remember(last, UndecoratedText.of(last));
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

  /** What a name is in, the outermost first. */
  List<Name> scopeParts() {
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

  /** A name with what it is in. */
  Name.Qualified scopes(Name last) {
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
      Name name = new Name.Special("`anonymous namespace'");
      remember(name, in.take('@') ? "" : in.until('@'));
      return name;
    }
    if (in.startsLocalScope()) {
      in.must('?');
      long number = in.number();
      in.must('?');
      return new Name.Local(symbols.symbol(), number);
    }
    return simple(true);
  }
}
