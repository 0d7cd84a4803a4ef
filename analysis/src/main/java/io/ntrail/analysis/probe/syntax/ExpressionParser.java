package io.ntrail.analysis.probe.syntax;

import io.ntrail.analysis.probe.syntax.Expression.Scope;
import io.ntrail.analysis.probe.syntax.Token.Kind;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads expressions: precedence as in C, with {@code ^^} between {@code ||} and {@code &&}. */
final class ExpressionParser extends TypeParser {

  /** Expressions that lie in each other at most. */
  private static final int MOST_HEIGHT = 500;

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

  private final IdentityHashMap<Expression, Integer> heights = new IdentityHashMap<>();
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
      left = binary(",", left, assignment(), place);
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
      Expression otherwise = assignment();
      left =
          made(
              new Expression.Conditional(left, then, otherwise, place),
              List.of(left, then, otherwise));
    } else if (token.kind() == Kind.OPERATOR && ASSIGNMENTS.contains(token.text())) {
      String operator = token.text().substring(0, token.text().length() - 1);
      advance();
      Expression value = assignment();
      left = made(new Expression.Assignment(operator, left, value, place), List.of(left, value));
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
      left = binary(operator, left, binary(precedence + 1), place);
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
      Expression operand = prefix();
      return made(new Expression.Prefix(operator, operand, place), List.of(operand));
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
      Expression operand = prefix();
      return made(new Expression.SizeOf(operand, place), List.of(operand));
    }
    if (token.isName("stringof")) {
      advance();
      Expression operand = prefix();
      return made(new Expression.StringOf(operand, place), List.of(operand));
    }
    if (token.is("(")) {
      int here = lexer.at();
      Token parenthesis = token;
      advance();
      if (isType()) {
        TypeName type = typeName();
        expect(")");
        Expression operand = prefix();
        return made(new Expression.Cast(type, operand, place), List.of(operand));
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
      Expression inner = left;
      switch (token.text()) {
        case "[" -> {
          advance();
          List<Expression> keys = list("]");
          left = made(new Expression.Index(inner, keys, place), keys);
        }
        case ".", "->" -> {
          boolean isPointer = token.is("->");
          advance();
          left = new Expression.Member(inner, name("a member"), isPointer, place);
        }
        case "++", "--" -> {
          left = new Expression.Postfix(token.text(), inner, place);
          advance();
        }
        default -> {
          return left;
        }
      }
      left = made(left, List.of(inner));
    }
    return left;
  }

  private Expression binary(String operator, Expression left, Expression right, Place place) {
    return made(new Expression.Binary(operator, left, right, place), List.of(left, right));
  }

  /** Notes how deep an expression is: what is too deep could not be evaluated. */
  private Expression made(Expression whole, List<Expression> parts) {
    int height = heights.getOrDefault(whole, 0);
    for (Expression part : parts) {
      height = Math.max(height, heights.getOrDefault(part, 0) + 1);
    }
    if (height > MOST_HEIGHT) {
      throw new CompileError(
          "D_SYNTAX",
          whole.place(),
          "more than %d operators lie in each other".formatted(MOST_HEIGHT));
    }
    heights.put(whole, height);
    return whole;
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
        List<Expression> keys = take("[") ? list("]") : List.of();
        yield made(new Expression.Aggregation(name, keys, place), keys);
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
      List<Expression> arguments = list(")");
      return made(new Expression.Call(name, arguments, first.place()), arguments);
    }
    return new Expression.Name(name, Scope.GLOBAL, first.place());
  }

  static CompileError refused(String what, Place place) {
    return new CompileError("D_PRAGMA_UNSUP", place, what + " are not supported");
  }
}
