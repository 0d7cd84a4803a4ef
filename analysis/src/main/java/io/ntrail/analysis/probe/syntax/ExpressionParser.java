package io.ntrail.analysis.probe.syntax;

import io.ntrail.analysis.probe.syntax.Expression.Scope;
import io.ntrail.analysis.probe.syntax.Token.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads expressions: precedence as in C, with {@code ^^} between {@code ||} and {@code &&}. */
final class ExpressionParser extends TypeParser {

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

  private static final Set<String> RESERVED =
      Set.of(
          "break", "case", "continue", "default", "do", "for", "goto", "return", "switch", "while");

  private boolean inPredicate;

  ExpressionParser(Lexer lexer, Set<String> typedefs) {
    super(lexer, typedefs);
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

  @Override
  Expression assignment() {
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
}
