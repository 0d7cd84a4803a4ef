package io.ntrail.analysis.probe.syntax;

import io.ntrail.analysis.probe.syntax.Expression.Scope;
import io.ntrail.analysis.probe.syntax.Program.Item;
import io.ntrail.analysis.probe.syntax.Token.Kind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads programs. */
public final class Parser {
  private static final Set<String> KNOWN_TYPES =
      Set.of(
          "int8_t",
          "int16_t",
          "int32_t",
          "int64_t",
          "uint8_t",
          "uint16_t",
          "uint32_t",
          "uint64_t",
          "intptr_t",
          "uintptr_t",
          "size_t",
          "ssize_t",
          "ptrdiff_t",
          "uchar_t",
          "ushort_t",
          "uint_t",
          "ulong_t",
          "u_longlong_t",
          "longlong_t",
          "pid_t",
          "id_t",
          "off_t",
          "time_t",
          "boolean_t",
          "wchar_t",
          "BYTE",
          "WORD",
          "DWORD",
          "ULONG",
          "LONG",
          "USHORT",
          "SHORT",
          "UCHAR",
          "CHAR",
          "ULONGLONG",
          "LONGLONG",
          "ULONG64",
          "LONG64",
          "PVOID",
          "HANDLE",
          "NTSTATUS",
          "BOOLEAN",
          "BOOL",
          "ULONG_PTR",
          "SIZE_T",
          "WCHAR");

  private final Lexer lexer;
  private final ProbeDescription.Field lastField;
  private final ExpressionParser expressions;
  private final List<Item> items = new ArrayList<>();

  private Parser(String text, Macros macros, ProbeDescription.Field lastField) {
    this.lexer = new Lexer(text, macros);
    this.lastField = lastField;
    this.expressions = new ExpressionParser(lexer, new HashSet<>(KNOWN_TYPES));
  }

  /**
   * Reads a program.
   *
   * @throws CompileError if it is none
   */
  public static Program parse(String text, Macros macros) {
    return parse(text, macros, ProbeDescription.Field.NAME, false);
  }

  /**
   * Reads a program of the command line.
   *
   * @param lastField the field that a word without colons stands for
   * @param hasDefaults true if macros without a value stand for nothing
   * @throws CompileError if it is none
   */
  public static Program parse(
      String text, Macros macros, ProbeDescription.Field lastField, boolean hasDefaults) {
    Parser parser = new Parser(text, macros, lastField);
    if (hasDefaults) {
      parser.lexer.useDefaults();
    }
    parser.items();
    return new Program(parser.items);
  }

  private void items() {
    while (!lexer.isAtEnd()) {
      Optional<String> directive = lexer.directive();
      if (directive.isPresent()) {
        pragma(directive.get());
      } else if (lexer.next() == ';') {
        lexer.reset(lexer.at() + 1);
      } else if (!isDeclaration()) {
        clause();
      }
    }
  }

  private void pragma(String line) {
    String[] words = line.split("\\s+", 4);
    Place place = lexer.place(lexer.at() - line.length(), lexer.at());
    if (words.length < 2 || !words[0].equals("pragma")) {
      if (words[0].equals("line") || words[0].matches("\\d*")) {
        return;
      }
      throw new CompileError(
          "D_PRAGCTL_INVAL", place, "no line beginning with # but #pragma D is known");
    }
    if (!words[1].equals("D") || words.length < 3) {
      return;
    }
    String rest = words.length > 3 ? words[3] : "";
    switch (words[2]) {
      case "option" -> option(rest, place);
      case "depends_on", "attributes", "binding" -> {
        // Nothing here depends on modules or on the stability of interfaces.
      }
      case "error" -> throw new CompileError("D_PRAGERR", place, rest);
      default ->
          throw new CompileError(
              "D_PRAGMA_INVAL", place, "the pragma %s is unknown".formatted(words[2]));
    }
  }

  private void option(String text, Place place) {
    String[] parts = text.strip().split("=", 2);
    if (parts[0].isEmpty()) {
      throw new CompileError("D_PRAGMA_MALFORM", place, "an option has no name");
    }
    if (parts[0].strip().equals("defaultargs")) {
      lexer.useDefaults();
    }
    items.add(
        new Program.Option(
            parts[0].strip(),
            parts.length > 1 ? Optional.of(parts[1].strip()) : Optional.empty(),
            place));
  }

  /** Reads a declaration, if there is one. */
  private boolean isDeclaration() {
    int here = lexer.at();
    char c = lexer.next();
    if (!Character.isLetter(c) && c != '_') {
      return false;
    }
    Token first = lexer.token();
    int behind = lexer.at();
    boolean isProbe =
        first.kind() != Kind.NAME || lexer.isAtEnd() || ":-!".indexOf(lexer.next()) >= 0;
    lexer.reset(here);
    if (isProbe) {
      return false;
    }
    switch (first.text()) {
      case "translator" -> throw ExpressionParser.refused("translators", first.place());
      case "provider" ->
          throw ExpressionParser.refused("definitions of providers (USDT)", first.place());
      case "inline" -> {
        lexer.reset(behind);
        expressions.advance();
        inline();
      }
      case "typedef" -> {
        lexer.reset(behind);
        expressions.advance();
        List<TypeName.Declarator> names = expressions.declarators(expressions.specifiers());
        names.forEach(name -> expressions.declare(name.name()));
        items.add(new Program.Typedef(names));
      }
      case "self" -> {
        lexer.reset(behind);
        expressions.advance();
        variables(Scope.THREAD);
      }
      case "this" -> {
        lexer.reset(behind);
        expressions.advance();
        variables(Scope.CLAUSE);
      }
      default -> {
        expressions.advance();
        if (!expressions.isType()) {
          lexer.reset(here);
          return false;
        }
        variables(Scope.GLOBAL);
      }
    }
    if (!expressions.token.is(";")) {
      throw expressions.unexpected("\";\" ends a declaration");
    }
    return true;
  }

  private void inline() {
    TypeName type = expressions.specifiers();
    List<TypeName.Declarator> names = expressions.declarators(type);
    expressions.expect("=");
    items.add(new Program.Inline(names.getFirst(), expressions.expression()));
  }

  private void variables(Scope scope) {
    TypeName type = expressions.specifiers();
    if (expressions.token.is(";") && (type.members().isPresent() || type.values().isPresent())) {
      items.add(new Program.TypeDeclaration(type));
      return;
    }
    items.add(new Program.Variables(scope, expressions.declarators(type)));
  }

  private void clause() {
    int from = lexer.at();
    List<ProbeDescription> probes = new ArrayList<>();
    while (true) {
      lexer.next();
      int start = lexer.at();
      String description = lexer.description();
      probes.add(ProbeDescription.of(description, lastField, lexer.place(start, lexer.at())));
      if (lexer.next() != ',') {
        break;
      }
      lexer.reset(lexer.at() + 1);
    }
    Place place = lexer.place(from, lexer.at());
    Optional<Expression> predicate = Optional.empty();
    if (lexer.next() == '/') {
      lexer.reset(lexer.at() + 1);
      predicate = Optional.of(expressions.predicate());
    }
    Optional<List<Statement>> body = Optional.empty();
    if (lexer.next() == '{') {
      lexer.reset(lexer.at() + 1);
      expressions.advance();
      body = Optional.of(statements());
      if (!expressions.token.is("}")) {
        throw expressions.unexpected("\"}\" ends a clause");
      }
    } else if (!lexer.isAtEnd() && lexer.next() != ';') {
      expressions.advance();
      throw expressions.unexpected("\"{\", \"/\" or \";\" follows a probe");
    }
    items.add(new Program.Clause(probes, predicate, body, lexer.text(from, lexer.at()), place));
  }

  private List<Statement> statements() {
    List<Statement> all = new ArrayList<>();
    while (!expressions.token.is("}")) {
      if (expressions.token.kind() == Kind.END) {
        throw expressions.unexpected("\"}\" ends a clause");
      }
      if (!expressions.take(";")) {
        all.add(statement());
      }
    }
    return all;
  }

  private Statement statement() {
    if (expressions.token.isName("if")) {
      expressions.advance();
      expressions.expect("(");
      Expression condition = expressions.expression();
      expressions.expect(")");
      List<Statement> then = block();
      List<Statement> otherwise = List.of();
      if (expressions.token.isName("else")) {
        expressions.advance();
        otherwise = block();
      }
      return new Statement.If(condition, then, otherwise);
    }
    Expression expression = expressions.expression();
    if (!expressions.token.is("}")) {
      expressions.expect(";");
    }
    return new Statement.Evaluate(expression);
  }

  private List<Statement> block() {
    expressions.enter();
    List<Statement> all;
    if (expressions.take("{")) {
      all = statements();
      expressions.expect("}");
    } else {
      all = expressions.take(";") ? List.of() : List.of(statement());
    }
    expressions.leave();
    return all;
  }
}
