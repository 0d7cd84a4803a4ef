package io.ntrail.analysis.probe.syntax;

/**
 * Token of an expression or a declaration.
 *
 * @param text of a name or an operator as written; of a string what it stands for, a character for
 *     each byte
 * @param value of a number or character
 * @param size of a number in bytes, as its suffix and value demand; of others 0
 * @param isSigned of a number
 */
record Token(Kind kind, String text, long value, int size, boolean isSigned, Place place) {
  /** Kinds of tokens. */
  enum Kind {
    NAME,
    AGGREGATION,
    NUMBER,
    STRING,
    OPERATOR,
    END
  }

  boolean is(String operator) {
    return kind == Kind.OPERATOR && text.equals(operator);
  }

  boolean isName(String name) {
    return kind == Kind.NAME && text.equals(name);
  }

  /** Returns the token as an error quotes it. */
  String quoted() {
    return kind == Kind.END ? "the end of the program" : "\"" + text + "\"";
  }
}
