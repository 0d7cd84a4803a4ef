package io.ntrail.formats.decoration;

import io.ntrail.formats.decoration.NameNode.Argument;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Reads the names in a decorated name, with their scopes and with the arguments of templates. */
final class NameReader {
  private static final int MOST_BACK = 10;

  /** Bound of the text of all back references: they can multiply. */
  private static final int MOST_TEXT = 1 << 16;

  private final DecoratedNameCursor in;
  private final SymbolReader symbols;
  private List<NameNode.Recalled> names = new ArrayList<>();
  private int recalled;

  NameReader(DecoratedNameCursor in, SymbolReader symbols) {
    this.in = in;
    this.symbols = symbols;
  }

  /** The name of a function or variable. */
  NameNode.Qualified symbolName() {
    NameNode last = unqualifiedSymbol(true);
    NameNode.Qualified name = scopes(last);
    boolean template = last instanceof NameNode.Template;
    NameNode inner = last instanceof NameNode.Template(NameNode of, List<Argument> _) ? of : last;
    if (!(inner instanceof NameNode.Structor(boolean destructor, NameNode _))) {
      return name;
    }
    if (name.parts().size() < 2) {
      throw DecoratedNameCursor.wrong();
    }
    List<NameNode> parts = new ArrayList<>(name.parts());
    NameNode resolved = new NameNode.Structor(destructor, parts.get(parts.size() - 2));
    parts.set(
        parts.size() - 1,
        template
            ? new NameNode.Template(resolved, ((NameNode.Template) last).arguments())
            : resolved);
    return new NameNode.Qualified(parts);
  }

  /** The name of a type. */
  NameNode.Qualified typeName() {
    return scopes(unqualifiedType());
  }

  /** The name of a type without its scopes. */
  NameNode unqualifiedType() {
    if (in.startsWithDigit()) {
      return recall();
    }
    if (in.starts("?$")) {
      return template(true);
    }
    return simple(true);
  }

  /** The name of a function or variable without its scopes. */
  private NameNode unqualifiedSymbol(boolean remember) {
    if (in.startsWithDigit()) {
      return recall();
    }
    if (in.starts("?$")) {
      return template(false);
    }
    if (in.starts("??")) {
      // So managed code calls what initialises a variable: by a symbol within the name.
      if (!(symbols.symbol().name() instanceof NameNode.Dynamic initializer)) {
        throw DecoratedNameCursor.wrong();
      }
      in.must('@');
      return initializer;
    }
    return in.starts("?") ? operator() : simple(remember);
  }

  private NameNode operator() {
    in.must('?');
    String code = "" + in.next();
    if (code.equals("_")) {
      code += in.next();
      if (code.equals("__")) {
        code += in.next();
      }
    }
    return switch (code) {
      case "0", "1" -> new NameNode.Structor(code.equals("1"), null);
      case "B" -> new NameNode.Conversion(null);
      case "__K" -> new NameNode.Special("operator \"\"" + in.until('@'));
      default -> {
        String text = OperatorNames.of(code);
        if (text == null) {
          throw DecoratedNameCursor.wrong();
        }
        yield new NameNode.Special(text);
      }
    };
  }

  private NameNode recall() {
    int index = in.next() - '0';
    if (index >= names.size()) {
      throw DecoratedNameCursor.wrong();
    }
    NameNode.Recalled name = names.get(index);
    recalled += name.text().length();
    if (recalled > MOST_TEXT) {
      throw DecoratedNameCursor.wrong();
    }
    return name;
  }

  private void remember(NameNode name, String text) {
    if (names.size() < MOST_BACK && !isKnown(text)) {
      names.add(new NameNode.Recalled(name, text));
    }
  }

  private boolean isKnown(String text) {
    for (NameNode.Recalled name : names) {
      if (name.text().equals(text)) {
        return true;
      }
    }
    return false;
  }

  private NameNode simple(boolean remember) {
    String text = in.until('@');
    NameNode name = new NameNode.Plain(text);
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
  private NameNode template(boolean scope) {
    NameNode.Template whole = open(false);
    if (scope) {
      NameNode name = whole.name();
      if (name instanceof NameNode.Structor || name instanceof NameNode.Conversion) {
        throw DecoratedNameCursor.wrong();
      }
      remember(whole, LlvmNamePrinter.of(whole));
    }
    return whole;
  }

  /** A template by itself, whose arguments need no end. */
  NameNode templateAlone() {
    return open(true);
  }

  /**
   * A template with its arguments.
   *
   * @param alone whether its arguments may end with the text
   */
  private NameNode.Template open(boolean alone) {
    symbols.enter();
    in.take("?$");
    List<NameNode.Recalled> outer = names;
    names = new ArrayList<>();
    List<TypeNode> outerTypes = symbols.types().fresh();
    NameNode name = unqualifiedSymbol(true);
    List<Argument> arguments = new ArrayList<>();
    while (!in.take('@') && !(alone && in.isEmpty())) {
      argument(arguments);
    }
    names = outer;
    symbols.types().back(outerTypes);
    symbols.leave();
    return new NameNode.Template(name, arguments);
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
    SymbolNode symbol = null;
    if (in.starts("?")) {
      symbol = symbols.symbol();
      NameNode name = symbol.name();
      NameNode last = name instanceof NameNode.Qualified qualified ? qualified.last() : name;
      remember(last, LlvmNamePrinter.of(last));
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

  /** Reads the scopes of a name, the outermost first. */
  List<NameNode> scopeParts() {
    List<NameNode> parts = new ArrayList<>();
    while (!in.take('@')) {
      if (in.isEmpty()) {
        throw DecoratedNameCursor.wrong();
      }
      parts.add(scope());
    }
    Collections.reverse(parts);
    return parts;
  }

  /** A name with what it is in. */
  NameNode.Qualified scopes(NameNode last) {
    List<NameNode> parts = scopeParts();
    parts.add(last);
    return new NameNode.Qualified(parts);
  }

  private NameNode scope() {
    if (in.startsWithDigit()) {
      return recall();
    }
    if (in.starts("?$")) {
      return template(true);
    }
    if (in.take("?A")) {
      NameNode name = new NameNode.Special("`anonymous namespace'");
      remember(name, in.take('@') ? "" : in.until('@'));
      return name;
    }
    if (in.startsLocalScope()) {
      in.must('?');
      long number = in.number();
      in.must('?');
      return new NameNode.Local(symbols.symbol(), number);
    }
    return simple(true);
  }
}
