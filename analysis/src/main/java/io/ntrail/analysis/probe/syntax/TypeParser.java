package io.ntrail.analysis.probe.syntax;

import io.ntrail.analysis.probe.syntax.Token.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads tokens one by one, and the names of types in them. */
abstract class TypeParser {
  /** Depth of expressions in expressions at most. */
  private static final int MOST_DEPTH = 400;

  /** Stars and lengths that a type has at most. */
  private static final int MOST_POINTERS = 16;

  private static final Set<String> BASIC =
      Set.of(
          "void",
          "char",
          "short",
          "int",
          "long",
          "signed",
          "unsigned",
          "float",
          "double",
          "string");

  private static final Set<String> QUALIFIERS =
      Set.of("const", "volatile", "static", "extern", "register", "auto", "restrict", "userland");

  final Lexer lexer;
  private final Set<String> typedefs;
  private int depth;
  Token token;

  TypeParser(Lexer lexer, Set<String> typedefs) {
    this.lexer = lexer;
    this.typedefs = typedefs;
    this.token = new Token(Kind.END, "", 0, 0, false, Place.NOWHERE);
  }

  /** Reads an expression without commas: the length of an array, the value of a name. */
  abstract Expression assignment();

  /** Takes the first token of an expression or a declaration. */
  final void advance() {
    token = lexer.token();
  }

  final CompileError unexpected(String wanted) {
    return new CompileError(
        "D_SYNTAX", token.place(), "%s is not expected here: %s".formatted(token.quoted(), wanted));
  }

  final void expect(String operator) {
    if (!token.is(operator)) {
      throw unexpected("\"%s\" is".formatted(operator));
    }
    advance();
  }

  final boolean take(String operator) {
    if (token.is(operator)) {
      advance();
      return true;
    }
    return false;
  }

  final String name(String what) {
    if (token.kind() != Kind.NAME) {
      throw unexpected("%s is".formatted(what));
    }
    String name = token.text();
    advance();
    return name;
  }

  final void enter() {
    if (++depth > MOST_DEPTH) {
      throw new CompileError(
          "D_SYNTAX", token.place(), "more than %d levels of nesting".formatted(MOST_DEPTH));
    }
  }

  final void leave() {
    depth--;
  }

  final void declare(String typedef) {
    typedefs.add(typedef);
  }

  /** Returns true if the token begins the name of a type. */
  final boolean isType() {
    if (token.kind() != Kind.NAME) {
      return false;
    }
    String name = token.text();
    return BASIC.contains(name)
        || QUALIFIERS.contains(name)
        || typedefs.contains(name)
        || name.equals("struct")
        || name.equals("union")
        || name.equals("enum");
  }

  /** Reads the name of a type with stars, as casts have it. */
  final TypeName typeName() {
    TypeName base = specifiers();
    int stars = stars();
    List<Expression> lengths = lengths();
    return base.with(stars, lengths);
  }

  final int stars() {
    int stars = 0;
    while (token.is("*")) {
      if (++stars > MOST_POINTERS) {
        throw unexpected("at most %d stars are".formatted(MOST_POINTERS));
      }
      advance();
      skipQualifiers();
    }
    return stars;
  }

  private void skipQualifiers() {
    while (token.kind() == Kind.NAME && QUALIFIERS.contains(token.text())) {
      advance();
    }
  }

  final List<Expression> lengths() {
    List<Expression> lengths = new ArrayList<>();
    while (token.is("[")) {
      if (lengths.size() == MOST_POINTERS) {
        throw unexpected("at most %d lengths are".formatted(MOST_POINTERS));
      }
      advance();
      lengths.add(token.is("]") ? new Expression.Number(0, 4, true, token.place()) : assignment());
      expect("]");
    }
    return lengths;
  }

  /** Reads what stands before stars and names. */
  final TypeName specifiers() {
    skipQualifiers();
    Place place = token.place();
    List<String> words = new ArrayList<>();
    if (!isType()) {
      throw unexpected("a type is");
    }
    String first = token.text();
    if (first.equals("struct") || first.equals("union") || first.equals("enum")) {
      advance();
      return tagged(first, place);
    }
    if (!BASIC.contains(first)) {
      advance();
      skipQualifiers();
      return plain(List.of(first), place);
    }
    while (token.kind() == Kind.NAME
        && (BASIC.contains(token.text()) || QUALIFIERS.contains(token.text()))) {
      if (BASIC.contains(token.text())) {
        words.add(token.text());
      }
      advance();
    }
    return plain(words, place);
  }

  private static TypeName plain(List<String> words, Place place) {
    return new TypeName(words, "", Optional.empty(), Optional.empty(), 0, List.of(), place);
  }

  private TypeName tagged(String keyword, Place place) {
    String tag = token.kind() == Kind.NAME ? name("a tag") : "";
    Optional<List<TypeName.Declarator>> members = Optional.empty();
    Optional<List<TypeName.EnumValue>> values = Optional.empty();
    if (take("{")) {
      if (keyword.equals("enum")) {
        values = Optional.of(enumValues());
      } else {
        members = Optional.of(members());
      }
    } else if (tag.isEmpty()) {
      throw unexpected("a tag is");
    }
    skipQualifiers();
    return new TypeName(List.of(keyword), tag, members, values, 0, List.of(), place);
  }

  private List<TypeName.EnumValue> enumValues() {
    List<TypeName.EnumValue> values = new ArrayList<>();
    while (!token.is("}")) {
      String name = name("a name");
      Optional<Expression> value = take("=") ? Optional.of(assignment()) : Optional.empty();
      values.add(new TypeName.EnumValue(name, value));
      if (!take(",")) {
        break;
      }
    }
    expect("}");
    return values;
  }

  private List<TypeName.Declarator> members() {
    enter();
    List<TypeName.Declarator> members = new ArrayList<>();
    while (!take("}")) {
      Place place = token.place();
      TypeName type = specifiers();
      if (token.is(";") && type.members().isPresent()) {
        // Its members are those of the struct around it.
        members.add(new TypeName.Declarator("", type, Optional.empty(), 0, place));
      } else {
        members.addAll(declarators(type));
      }
      expect(";");
    }
    leave();
    return members;
  }

  /** Reads the names of a declaration. */
  final List<TypeName.Declarator> declarators(TypeName base) {
    List<TypeName.Declarator> all = new ArrayList<>();
    do {
      int stars = stars();
      Place place = token.place();
      String name = token.is(":") ? "" : name("a name");
      Optional<List<TypeName>> keys = Optional.empty();
      List<Expression> lengths = List.of();
      if (token.is("[")) {
        int here = lexer.at();
        Token bracket = token;
        advance();
        if (isType()) {
          List<TypeName> types = new ArrayList<>();
          do {
            types.add(typeName());
          } while (take(","));
          expect("]");
          keys = Optional.of(types);
        } else {
          lexer.reset(here);
          token = bracket;
          lengths = lengths();
        }
      }
      int bits = 0;
      if (take(":")) {
        if (token.kind() != Kind.NUMBER || token.value() < 1 || token.value() > Long.SIZE) {
          throw unexpected("a width in bits is");
        }
        bits = (int) token.value();
        advance();
      }
      all.add(new TypeName.Declarator(name, base.with(stars, lengths), keys, bits, place));
    } while (take(","));
    return all;
  }
}
