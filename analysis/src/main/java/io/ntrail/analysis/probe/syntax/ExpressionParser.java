package io.ntrail.analysis.probe.syntax;

import io.ntrail.analysis.probe.syntax.Expression.Scope;
import io.ntrail.analysis.probe.syntax.Token.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads expressions and names of types: precedence as in C, with {@code ^^} above {@code &&}. */
class ExpressionParser {
  /** Depth of expressions in expressions at most. */
  private static final int MOST_DEPTH = 200;

  private static final Map<String, Integer> PRECEDENCE =
      Map.ofEntries(
          Map.entry("||", 1),
          Map.entry("^^", 2),
          Map.entry("&&", 3),
          Map.entry("|", 4),
          Map.entry("^", 5),
          Map.entry("&", 6),
          Map.entry("==", 7),
          Map.entry("!=", 7),
          Map.entry("<", 8),
          Map.entry("<=", 8),
          Map.entry(">", 8),
          Map.entry(">=", 8),
          Map.entry("<<", 9),
          Map.entry(">>", 9),
          Map.entry("+", 10),
          Map.entry("-", 10),
          Map.entry("*", 11),
          Map.entry("/", 11),
          Map.entry("%", 11));

  private static final Set<String> ASSIGNMENTS =
      Set.of("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=");

  private static final Set<String> PREFIXES = Set.of("!", "~", "-", "+", "*", "&", "++", "--");

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

  private static final Set<String> RESERVED =
      Set.of(
          "break", "case", "continue", "default", "do", "for", "goto", "return", "switch", "while");

  final Lexer lexer;
  private final Set<String> typedefs;
  private int depth;
  private boolean inPredicate;
  Token token;

  ExpressionParser(Lexer lexer, Set<String> typedefs) {
    this.lexer = lexer;
    this.typedefs = typedefs;
    this.token = new Token(Kind.END, "", 0, 0, false, Place.NOWHERE);
  }

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

  final void declare(String typedef) {
    typedefs.add(typedef);
  }

  /** Reads a predicate, from behind its first slash to behind its last one. */
  final Expression predicate() {
    inPredicate = true;
    advance();
    Expression predicate = expression();
    inPredicate = false;
    if (!token.is("/")) {
      throw unexpected("\"/\" ends a predicate");
    }
    return predicate;
  }

  final Expression expression() {
    Expression left = assignment();
    while (token.is(",")) {
      Place place = token.place();
      advance();
      left = new Expression.Binary(",", left, assignment(), place);
    }
    return left;
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

  final Expression assignment() {
    enter();
    Expression left = binary(1);
    Place place = token.place();
    if (token.is("?")) {
      advance();
      Expression then = expression();
      expect(":");
      left = new Expression.Conditional(left, then, assignment(), place);
    } else if (token.kind() == Kind.OPERATOR && ASSIGNMENTS.contains(token.text())) {
      String operator = token.text().substring(0, token.text().length() - 1);
      advance();
      left = new Expression.Assignment(operator, left, assignment(), place);
    }
    leave();
    return left;
  }

  private Expression binary(int least) {
    Expression left = prefix();
    while (token.kind() == Kind.OPERATOR) {
      int precedence = PRECEDENCE.getOrDefault(token.text(), 0);
      if (precedence < least || isPredicateEnd()) {
        return left;
      }
      String operator = token.text();
      Place place = token.place();
      advance();
      left = new Expression.Binary(operator, left, binary(precedence + 1), place);
    }
    return left;
  }

  private boolean isPredicateEnd() {
    if (!inPredicate || !token.is("/")) {
      return false;
    }
    int here = lexer.at();
    lexer.reset(here - 1);
    boolean isEnd = lexer.isPredicateEnd();
    lexer.reset(here);
    return isEnd;
  }

  private Expression prefix() {
    enter();
    Expression read = prefixed();
    leave();
    return read;
  }

  private Expression prefixed() {
    Place place = token.place();
    if (token.kind() == Kind.OPERATOR && PREFIXES.contains(token.text())) {
      String operator = token.text();
      advance();
      return new Expression.Prefix(operator, prefix(), place);
    }
    if (token.isName("sizeof")) {
      advance();
      if (token.is("(")) {
        int here = lexer.at();
        Token parenthesis = token;
        advance();
        if (isType()) {
          TypeName type = typeName();
          expect(")");
          return new Expression.SizeOfType(type, place);
        }
        lexer.reset(here);
        token = parenthesis;
      }
      return new Expression.SizeOf(prefix(), place);
    }
    if (token.isName("stringof")) {
      advance();
      return new Expression.StringOf(prefix(), place);
    }
    if (token.is("(")) {
      int here = lexer.at();
      Token parenthesis = token;
      advance();
      if (isType()) {
        TypeName type = typeName();
        expect(")");
        return new Expression.Cast(type, prefix(), place);
      }
      lexer.reset(here);
      token = parenthesis;
    }
    return postfix();
  }

  private Expression postfix() {
    Expression left = primary();
    while (token.kind() == Kind.OPERATOR) {
      Place place = token.place();
      switch (token.text()) {
        case "[" -> {
          advance();
          List<Expression> keys = list("]");
          left = new Expression.Index(left, keys, place);
        }
        case "." -> {
          advance();
          left = new Expression.Member(left, name("a member"), false, place);
        }
        case "->" -> {
          advance();
          left = new Expression.Member(left, name("a member"), true, place);
        }
        case "++", "--" -> {
          left = new Expression.Postfix(token.text(), left, place);
          advance();
        }
        default -> {
          return left;
        }
      }
    }
    return left;
  }

  /** Reads a list up to its end, which is taken, too. */
  private List<Expression> list(String end) {
    List<Expression> all = new ArrayList<>();
    boolean wasInPredicate = inPredicate;
    inPredicate = false;
    if (!token.is(end)) {
      do {
        all.add(assignment());
      } while (take(","));
    }
    inPredicate = wasInPredicate;
    expect(end);
    return all;
  }

  final String name(String what) {
    if (token.kind() != Kind.NAME) {
      throw unexpected("%s is".formatted(what));
    }
    String name = token.text();
    advance();
    return name;
  }

  private Expression primary() {
    Token first = token;
    Place place = first.place();
    return switch (first.kind()) {
      case NUMBER -> {
        advance();
        yield new Expression.Number(first.value(), first.size(), first.isSigned(), place);
      }
      case STRING -> {
        advance();
        yield new Expression.Text(first.text(), place);
      }
      case AGGREGATION -> {
        advance();
        String name = first.text().isEmpty() ? "_" : first.text();
        yield new Expression.Aggregation(name, take("[") ? list("]") : List.of(), place);
      }
      case NAME -> named(first);
      default -> {
        boolean wasInPredicate = inPredicate;
        if (!take("(")) {
          throw unexpected("an expression is");
        }
        inPredicate = false;
        Expression inner = expression();
        inPredicate = wasInPredicate;
        expect(")");
        yield inner;
      }
    };
  }

  private Expression named(Token first) {
    String name = first.text();
    if (RESERVED.contains(name)) {
      throw new CompileError(
          "D_SYNTAX", first.place(), "\"%s\" is reserved, and has no meaning in D".formatted(name));
    }
    if (name.equals("xlate")) {
      throw refused("translators", first.place());
    }
    advance();
    boolean isThread = name.equals("self");
    if ((isThread || name.equals("this")) && take("->")) {
      Place place = token.place();
      return new Expression.Name(name("a variable"), isThread ? Scope.THREAD : Scope.CLAUSE, place);
    }
    if (name.equals("offsetof") && take("(")) {
      TypeName type = typeName();
      expect(",");
      String member = name("a member");
      expect(")");
      return new Expression.OffsetOf(type, member, first.place());
    }
    if (take("(")) {
      return new Expression.Call(name, list(")"), first.place());
    }
    return new Expression.Name(name, Scope.GLOBAL, first.place());
  }

  static CompileError refused(String what, Place place) {
    return new CompileError("D_PRAGMA_UNSUP", place, what + " are not supported");
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
    while (take("*")) {
      stars++;
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
    while (take("[")) {
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
      members.addAll(declarators(specifiers()));
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
        bits = (int) token.value();
        advance();
      }
      all.add(new TypeName.Declarator(name, base.with(stars, lengths), keys, bits, place));
    } while (take(","));
    return all;
  }
}
